import Timekeeping

/// Whether the controls over a full picture show: some seconds after the last sign of life they go.
struct ControlsFade: Hashable, Sendable {
  enum Phase: Hashable, Sendable { case shown, fading, hidden }

  private static let shownTime = Duration.milliseconds(2500)
  private static let fadingTime = Duration.milliseconds(700)

  private(set) var phase = Phase.hidden
  private var until: HostTime?

  /// When ``phase`` changes by itself; nil for never.
  var nextChange: HostTime? { phase == .hidden ? nil : until }

  /// Somebody touched a key or the mouse.
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
