/// A server to which a client of the proxy wants a connection.
package struct ProxyDestination: Hashable, Sendable {
  /// A Boolean value that indicates whether the client speaks TLS to the server, through a tunnel.
  package let isEncrypted: Bool
  /// The host's name or address, in lower case and without brackets.
  package let host: String
  /// The TCP port, from 1 to 65535.
  package let port: Int
  /// The requested URL. For a tunnel only the server is known.
  package let location: String

  /// Parses `host:port`, the target of a CONNECT request.
  init?(tunnel target: String) {
    guard let (host, port) = Self.split(target), let port else { return nil }
    self.init(isEncrypted: true, host: host, port: port, location: "https://\(target)/")
  }

  /// Parses an absolute URL with the scheme `http` and without credentials.
  init?(url: String) {
    guard url.utf8.count > 7, url.prefix(7).lowercased() == "http://" else { return nil }
    let authority = url.dropFirst(7).prefix { !"/?#".contains($0) }
    guard let (host, port) = Self.split(String(authority)) else { return nil }
    self.init(isEncrypted: false, host: host, port: port ?? 80, location: url)
  }

  private init(isEncrypted: Bool, host: String, port: Int, location: String) {
    self.isEncrypted = isEncrypted
    self.host = host
    self.port = port
    self.location = location
  }

  /// Splits `host[:port]`. Credentials, percent signs and zones are not accepted.
  private static func split(_ authority: String) -> (host: String, port: Int?)? {
    let host: Substring
    let rest: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
      guard host.utf8.allSatisfy({ isHexadecimal($0) || $0 == 0x3A || $0 == 0x2E }) else {
        return nil
      }
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority[host.endIndex...]
      guard host.utf8.allSatisfy(isNameByte) else { return nil }
    }
    guard !host.isEmpty, host.utf8.count <= 255 else { return nil }
    guard rest.hasPrefix(":") else { return rest.isEmpty ? (host.lowercased(), nil) : nil }
    let digits = rest.dropFirst()
    guard !digits.isEmpty else { return (host.lowercased(), nil) }
    guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(digits), (1...65535).contains(port)
    else { return nil }
    return (host.lowercased(), port)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._".utf8.contains(byte)
    }
  }
}
