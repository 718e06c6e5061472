import Timekeeping

/// A limit for the work that one connection or party may cause: so much at once, and so much a second.
///
/// It may become negative, for work that was done before it was counted; then its owner has to wait.
struct TokenBucket: Hashable, Sendable {
  typealias Rate = RelayConfiguration.Limits.Rate

  private var tokens: Double
  private var refilled: HostTime

  init(_ rate: Rate, at now: HostTime) {
    tokens = rate.saved
    refilled = now
  }

  var isEmpty: Bool { tokens <= 0 }

  mutating func refill(_ rate: Rate, at now: HostTime) {
    guard now > refilled else { return }
    tokens = min(rate.saved, tokens + (now - refilled).inSeconds * rate.steady)
    refilled = now
  }

  mutating func spend(_ cost: Double) { tokens -= cost }

  /// Adds tokens, up to the most that can be saved.
  mutating func add(_ tokens: Double, upTo rate: Rate) {
    self.tokens = min(rate.saved, self.tokens + tokens)
  }

  /// Returns the time until the bucket holds enough to continue for a while (20 ms at its rate), so
  /// that a connection at its limit is not stopped and started for each message.
  func wait(_ rate: Rate) -> Duration {
    let wanted = min(rate.saved, rate.steady / 50)
    return tokens >= wanted ? .zero : .seconds((wanted - tokens) / rate.steady)
  }
}

extension RelayConfiguration.Limits.Rate {
  /// Tokens a second, above 0.
  fileprivate var steady: Double { Double(max(1, perSecond)) }
  /// The most tokens that can be saved, above 0.
  fileprivate var saved: Double { Double(max(1, burst)) }
}
