import Timekeeping

/// What one connection may make the relay work: so much at once, and so much a second.
///
/// It may go into debt, for work that had been done when it was counted, and then has to wait.
struct TokenBucket: Hashable, Sendable {
  /// Tokens a second, and the most that can be saved up; above 0.
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

  /// How long until it holds enough to go on for a while (20 ms at its rate), so that a connection at
  /// its limit is not stopped and started for each message.
  func wait(_ rate: Rate) -> Duration {
    let wanted = min(rate.burst, rate.perSecond / 50)
    return tokens >= wanted ? .zero : .seconds((wanted - tokens) / rate.perSecond)
  }
}
