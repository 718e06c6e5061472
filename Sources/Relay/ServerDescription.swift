/// The relay's description of itself in INFO.
struct ServerDescription: Hashable, Sendable {
  /// The server's nkey, used only as a name: random for each start.
  let identifier: String
  let host: String
  var port: Int
  let maximumPayload: Int

  /// The version of `nats-server` whose protocol this is, for clients that ask for a minimum.
  private static let version = "2.9.10"

  /// - Parameter address: the client's address; nil omits it.
  func info(id: ConnectionID, address: String?, nonce: String, isLameDuck: Bool) -> String {
    var members = [
      "\"server_id\":\(quoted(identifier))", "\"server_name\":\"matinee\"",
      "\"version\":\(quoted(Self.version))", "\"proto\":1", "\"host\":\(quoted(host))",
      "\"port\":\(port)", "\"auth_required\":true", "\"max_payload\":\(maximumPayload)",
      "\"client_id\":\(id.number)",
    ]
    if let address { members.append("\"client_ip\":\(quoted(address))") }
    members.append("\"nonce\":\(quoted(nonce))")
    if isLameDuck { members.append("\"ldm\":true") }
    return "INFO {\(members.joined(separator: ","))}\r\n"
  }

  /// Returns the text as JSON, without the characters that JSON would escape. No address contains one.
  private func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.filter { $0 >= " " && $0 != "\"" && $0 != "\\" }
    return "\"\(String(String.UnicodeScalarView(plain)))\""
  }
}
