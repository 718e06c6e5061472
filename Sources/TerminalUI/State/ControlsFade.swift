import Timekeeping

/// The visibility of the controls over a full picture: they fade some seconds after the last input.
struct ControlsFade: Hashable, Sendable {
  enum Phase: Hashable, Sendable { case shown, fading, hidden }

  private static let shownTime = Duration.milliseconds(2500)
  private static let fadingTime = Duration.milliseconds(700)

  private(set) var phase = Phase.hidden
  private var until: HostTime?

  /// The time of the next change of ``phase``; nil for none.
  var nextChange: HostTime? { phase == .hidden ? nil : until }

  /// Shows the controls, after a key press or mouse event.
  mutating func wake(at now: HostTime) {
    phase = .shown
    until = now + Self.shownTime
  }

  mutating func advance(to now: HostTime) {
    while phase != .hidden, let end = until, now >= end {
      phase = phase == .shown ? .fading : .hidden
      until = end + Self.fadingTime
    }
  }
}
