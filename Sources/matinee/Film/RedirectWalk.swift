import AVFormat

/// Where an address leads on to, one step at a time, as long as it may be followed: an honest server's redirects, even
/// of one that sends on wherever the address says, lead to nobody whom the user hasn't agreed to.
struct RedirectWalk: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    /// Ask what is there.
    case look(at: String)
    /// Here it ends: this can be opened, or fails by itself.
    case open(String)
    case ask(Origin, location: String)
    case refuse(String)
  }

  private(set) var location: String
  private var steps = 0

  /// Browsers follow some more, FFmpeg eight.
  private static let limit = 8

  init(_ location: String) { self.location = location }

  /// - Returns: what comes first.
  func begin(_ policy: URLPolicy) -> Step { judge(policy) }

  /// - Parameter answer: what is at ``location``.
  mutating func take(_ answer: HTTPProbe.Answer?, _ policy: URLPolicy) -> Step {
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
