import GroupActivities

/// The words for errors of commands.
package enum ErrorAdvice {
  /// Returns the way to open a party in the terminal.
  ///
  /// - Parameter key: the key that hosts one; nil if the user has given it another meaning.
  package static func hostingInTerminal(key: String?) -> String {
    key.map { "Press \($0) to host one." } ?? "To host one: matinee host FILM"
  }

  /// Returns the error's text with a suggestion.
  ///
  /// - Parameter hosting: the way to open a party in the face that shows the text.
  package static func text(
    of error: any Error, hosting: String = "To open one, type: host"
  ) -> String {
    switch error {
    case is PartyOnly: "\(error) \(hosting)"
    case PartyError.transport(let error) where error.kind == .unreachable:
      "\(error). Is the host online, and its port open? Check your side with: matinee doctor"
    case PartyError.transport(let error) where error.kind == .refused:
      "\(error). The relay doesn't know this party: the invite may be damaged, or the host may have "
        + "closed the party. Ask for a new invite. If the relay needs credentials, use "
        + "--relay-credentials FILE."
    default: "\(error)"
    }
  }
}
