/// The group's wait for participants who aren't ready to start.
package struct WaitingModel: Hashable, Sendable {
  /// The names of the participants that the group waits for; empty while that isn't known.
  package var waitingFor: [TerminalText]
  /// The time until the group starts anyway, never shown as negative; nil if it starts as soon as a participant can play.
  package var remaining: Duration?

  package init(waitingFor: [TerminalText], remaining: Duration?) {
    self.waitingFor = waitingFor
    self.remaining = remaining
  }

  /// The remaining whole seconds in parentheses, rounded up, so that "0 s left" isn't shown while there is time left.
  func left(isShort: Bool = false) -> TerminalText {
    guard let (seconds, attoseconds) = remaining?.components else { return "" }
    let whole = max(0, seconds + (attoseconds > 0 ? 1 : 0))
    return isShort ? " (\(whole) s)" : " (\(whole) s left)"
  }
}
