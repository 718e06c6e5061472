/// What the relay says of itself in INFO.
struct ServerDescription: Sendable {
  /// An nkey of the server's, which here is only a name: random for each start.
  let identifier: String
  let host: String
  var port: Int
  let maximumPayload: Int

  /// The protocol level that clients may count on: headers and no_responders came with 2.2, and
  /// the errors are worded as 2.9 words them.
  static let version = "2.9.10"

  /// - Parameter address: the client's; nil leaves it out.
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

  /// As JSON. The host comes from the user's configuration, the rest is ours.
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
