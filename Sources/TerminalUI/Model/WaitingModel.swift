/// The group is about to start and waits for somebody to get ready.
public struct WaitingModel: Hashable, Sendable {
  /// Names of those waited for; may be empty if that isn't known yet.
  public var waitingFor: [TerminalText]
  /// Until the group starts anyway. Never negative on the screen.
  public var remaining: Duration

  public init(waitingFor: [TerminalText], remaining: Duration) {
    self.waitingFor = waitingFor
    self.remaining = remaining
  }

  /// Whole seconds left, rounded up: "0 s left" is never said while there is still time.
  var secondsLeft: Int64 {
    let (seconds, attoseconds) = remaining.components
    return max(0, seconds + (attoseconds > 0 ? 1 : 0))
  }
}
