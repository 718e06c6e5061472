/// The limit of the questions about servers that one film may cause.
struct QuestionLimit: Hashable, Sendable {
  private var film: String?
  private var count = 0

  /// The maximum number of questions. Pages fetch their film from several servers.
  static let limit = 8
  static let text =
    "This film needs more than \(limit) servers that you haven't agreed to. It isn't loaded."

  /// - Parameter film: the film's identifier.
  mutating func mayAsk(about film: String) -> Bool {
    if self.film != film { (self.film, count) = (film, 0) }
    guard count < Self.limit else { return false }
    count += 1
    return true
  }
}
