/// The relay's description of itself in INFO.
struct ServerDescription: Hashable, Sendable {
  /// The server's nkey, used only as a name: random for each start.
  let identifier: String
  let host: String
  var port: Int
  let maximumPayload: Int

  /// The protocol level that clients may rely on: headers and no_responders were added in 2.2, and
  /// the errors are worded as in 2.9.
  static let version = "2.9.10"

  /// - Parameter address: the client's address; nil omits it.
  func info(id: ConnectionID, address: String?, nonce: String, isLameDuck: Bool) -> String {
    var members = [
      "\"server_id\":\(quoted(identifier))", "\"server_name\":\"matinee\"",
      "\"version\":\(quoted(Self.version))", "\"proto\":1", "\"host\":\(quoted(host))",
      "\"port\":\(port)", "\"headers\":true", "\"auth_required\":true",
      "\"max_payload\":\(maximumPayload)", "\"client_id\":\(id.number)",
    ]
    if let address { members.append("\"client_ip\":\(quoted(address))") }
    members.append("\"nonce\":\(quoted(nonce))")
    if isLameDuck { members.append("\"ldm\":true") }
    return "INFO {\(members.joined(separator: ","))}\r\n"
  }

  /// Returns the text as JSON. The host comes from the user's configuration; the relay writes the
  /// rest.
  private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{0}"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
