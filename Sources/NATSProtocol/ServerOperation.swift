/// One operation of a server, as the parser understood it.
package enum ServerOperation: Hashable, Sendable {
  case ping, pong, ok
  case info(ServerInfo)
  case message(ServerMessage)
  case error(ServerError)
}

/// A message with its subject, for one subscription.
package struct ServerMessage: Hashable, Sendable {
  package var subject: Subject
  /// The client's number of the subscription.
  package var sid: Int
  package var payload: ArraySlice<UInt8>
}

/// A server's complaint: its kind, by the texts that `nats-server` and the relay use, and the text itself.
package struct ServerError: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The server doesn't admit this client, or no longer.
    case authorization
    /// The client may not subscribe to this subject, and the connection continues.
    case subscriptionRefused(String)
    /// The client may not publish to a subject, and the connection continues.
    case publishRefused
    /// The server had no sign of life from this client.
    case staleConnection
    case other
  }

  package let kind: Kind
  /// The text without the quotation marks around it. It may contain anything but control characters.
  package let text: String

  /// - Parameter argument: the line after `-ERR`.
  package init(_ argument: ArraySlice<UInt8>) {
    var text = Substring(decoding: argument, as: UTF8.self).drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    if text.count >= 2, text.first == "'", text.last == "'" {
      text = text.dropFirst().dropLast()
    }
    self.text = String(text)
    let words = text.lowercased()
    if words.hasPrefix("permissions violation for subscription to ") {
      kind = .subscriptionRefused(Self.quoted(in: text))
    } else if words.hasPrefix("permissions violation") {
      kind = .publishRefused
    } else if Self.refusals.contains(where: words.hasPrefix) {
      kind = .authorization
    } else {
      kind = words == "stale connection" ? .staleConnection : .other
    }
  }

  /// The beginnings of the texts that say why this client isn't admitted, or no longer. A timeout isn't among them: the
  /// client was too slow, or the server.
  private static let refusals = [
    "authorization", "authentication expired", "authentication revoked", "user authentication",
    "account authentication",
  ]

  /// Returns the text between the first two quotation marks; empty if there are none.
  private static func quoted(in text: Substring) -> String {
    guard let start = text.firstIndex(of: "\"") else { return "" }
    return String(text[text.index(after: start)...].prefix { $0 != "\"" })
  }
}
