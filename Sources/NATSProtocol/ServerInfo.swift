import FoundationEssentials

/// A server's description of itself, and of one connection, in INFO.
package struct ServerInfo: Decodable, Hashable, Sendable {
  /// The server's nkey, used only as a name: random for each start.
  package var identifier: String?
  package var name: String?
  package var host: String?
  package var port: Int?
  /// The limit for a message, in bytes.
  package var maximumPayload: Int?
  /// The number of the connection.
  package var clientID: UInt64?
  /// The client's address, as the server sees it.
  package var clientAddress: String?
  /// The challenge that a client has to sign.
  package var nonce: String?
  /// A Boolean value that indicates whether the server is about to stop.
  package var isLameDuck: Bool?
  /// A Boolean value that indicates whether the connection has to change to TLS after INFO.
  package var requiresTLS: Bool?
  /// A Boolean value that indicates whether it may change to TLS then.
  package var offersTLS: Bool?
  /// The addresses of a cluster's servers for clients, without a scheme.
  package var clusterAddresses: [String]?

  private enum CodingKeys: String, CodingKey {
    case identifier = "server_id"
    case name = "server_name"
    case host, port, nonce
    case maximumPayload = "max_payload"
    case clientID = "client_id"
    case clientAddress = "client_ip"
    case isLameDuck = "ldm"
    case requiresTLS = "tls_required"
    case offersTLS = "tls_available"
    case clusterAddresses = "connect_urls"
  }

  /// The version of `nats-server` whose protocol this is, for clients that ask for a minimum.
  private static let version = "2.9.10"
  private static let ownName = "matinee"

  /// A Boolean value that indicates whether the server is a relay of Matinee's, which serves the page for browsers too.
  package var servesPage: Bool { name == Self.ownName }

  package init(identifier: String, host: String, port: Int, maximumPayload: Int) {
    self.identifier = identifier
    self.host = host
    self.port = port
    self.maximumPayload = maximumPayload
  }

  /// - Parameter json: the line after `INFO`.
  package init(json: ArraySlice<UInt8>) throws(ProtocolViolation) {
    do {
      self = try JSONDecoder().decode(ServerInfo.self, from: Data(json))
    } catch {
      throw .malformed
    }
    if let maximumPayload, maximumPayload < 0 { throw .malformed }
  }

  /// The line as Matinee's relay sends it: JSON by hand, since it is written for each stranger that connects.
  package var line: String {
    var members = [
      "\"server_id\":\(quoted(identifier ?? ""))", "\"server_name\":\"\(Self.ownName)\"",
      "\"version\":\(quoted(Self.version))", "\"proto\":1", "\"host\":\(quoted(host ?? ""))",
      "\"port\":\(port ?? 0)", "\"auth_required\":true", "\"max_payload\":\(maximumPayload ?? 0)",
    ]
    if let clientID { members.append("\"client_id\":\(clientID)") }
    if let clientAddress { members.append("\"client_ip\":\(quoted(clientAddress))") }
    if let nonce { members.append("\"nonce\":\(quoted(nonce))") }
    if requiresTLS == true { members.append("\"tls_required\":true") }
    if isLameDuck == true { members.append("\"ldm\":true") }
    return "INFO {\(members.joined(separator: ","))}\r\n"
  }

  /// Returns the text as JSON, without the characters that JSON would escape. No address contains one.
  private func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.filter { $0 >= " " && $0 != "\"" && $0 != "\\" }
    return "\"\(String(String.UnicodeScalarView(plain)))\""
  }
}
