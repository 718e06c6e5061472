/// The group's wait for participants who aren't ready to start.
public struct WaitingModel: Hashable, Sendable {
  /// The names of the participants that the group waits for; empty while that isn't known.
  public var waitingFor: [TerminalText]
  /// The time until the group starts anyway. Never shown as negative.
  public var remaining: Duration

  /// Creates a wait for these participants.
  public init(waitingFor: [TerminalText], remaining: Duration) {
    self.waitingFor = waitingFor
    self.remaining = remaining
  }

  /// The remaining whole seconds, rounded up, so that "0 s left" isn't shown while there is time left.
  var secondsLeft: Int64 {
    let (seconds, attoseconds) = remaining.components
    return max(0, seconds + (attoseconds > 0 ? 1 : 0))
  }
}
