import Timekeeping

/// A limit for the work that one connection or party may cause: so much at once, and so much a second.
///
/// It may become negative, for work that was done before it was counted; then its owner has to wait.
struct TokenBucket: Hashable, Sendable {
  /// Tokens a second, and the most that can be saved; above 0.
  struct Rate: Hashable, Sendable {
    var perSecond: Double
    var burst: Double
  }

  private var tokens: Double
  private var refilled: HostTime

  init(_ rate: Rate, at now: HostTime) {
    tokens = rate.burst
    refilled = now
  }

  var isEmpty: Bool { tokens <= 0 }

  mutating func refill(_ rate: Rate, at now: HostTime) {
    guard now > refilled else { return }
    tokens = min(rate.burst, tokens + (now - refilled).inSeconds * rate.perSecond)
    refilled = now
  }

  mutating func spend(_ cost: Double) { tokens -= cost }

  /// Adds tokens, up to the most that can be saved.
  mutating func add(_ tokens: Double, upTo rate: Rate) {
    self.tokens = min(rate.burst, self.tokens + tokens)
  }

  /// Returns the time until the bucket holds enough to continue for a while (20 ms at its rate), so
  /// that a connection at its limit is not stopped and started for each message.
  func wait(_ rate: Rate) -> Duration {
    let wanted = min(rate.burst, rate.perSecond / 50)
    return tokens >= wanted ? .zero : .seconds((wanted - tokens) / rate.perSecond)
  }
}
