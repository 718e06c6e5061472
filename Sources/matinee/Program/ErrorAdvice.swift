import GroupActivities

/// The words for errors of commands.
enum ErrorAdvice {
  /// Returns the error's text with a suggestion.
  static func text(of error: any Error) -> String {
    switch error {
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
