import AVFormat

/// The redirects of an address, followed one step at a time while the user's consent permits. Thus even an open
/// redirector, which sends a request to any address that is named in it, leads only to servers that the user agreed to.
struct RedirectWalk: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    /// The server at this address is to be asked.
    case look(at: String)
    /// The end of the redirects: the player opens this address, or reports why it can't.
    case open(String)
    case ask(Origin, location: String)
    case refuse(String)
  }

  private(set) var location: String
  private var steps = 0

  /// The maximum number of redirects. FFmpeg follows eight, browsers somewhat more.
  private static let limit = 8

  init(_ location: String) { self.location = location }

  /// - Returns: the first step.
  func begin(_ policy: URLPolicy) -> Step { judge(policy) }

  /// - Parameter answer: the server's answer about ``location``.
  mutating func answered(_ answer: HTTPProbe.Answer?, _ policy: URLPolicy) -> Step {
    guard case .status(_, let target?, _)? = answer else { return .open(location) }
    steps += 1
    guard steps <= Self.limit else {
      return .refuse("The party's address for this film redirects without end.")
    }
    location = target
    return judge(policy)
  }

  private func judge(_ policy: URLPolicy) -> Step {
    switch policy.verdict(on: location) {
    case .open: .look(at: location)
    case .ask(let origin): .ask(origin, location: location)
    case .refuse(let reason):
      .refuse(
        steps == 0 ? reason : "A server redirected the film to a forbidden address: \(reason)")
    }
  }
}
