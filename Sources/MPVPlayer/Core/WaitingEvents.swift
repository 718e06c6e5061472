import Timekeeping

/// mpv's events on their way to the player, which wait while mpv begins to play.
///
/// mpv hands the sound over in a chain of threads of its own and of the sound server's. What the player does about the
/// same start would take the processor from them: with three participants on two cores, their requests to PulseAudio
/// were 1.6 ms apart in the median of 80 seeks, and are 0.8 ms apart if the events wait.
struct WaitingEvents: Sendable {
  /// The time from a start in which events wait. PulseAudio has the sound within 5 ms, PipeWire within 14, unless the
  /// machine is busier than that.
  static let period = Duration.milliseconds(20)

  private var waiting: [StampedEvent] = []
  /// The instant from which events don't wait; nil if they don't wait now.
  private var end: HostTime?

  /// mpv is asked to begin to play now.
  mutating func began(at time: HostTime) { end = time + Self.period }

  /// Returns the time after which ``released(at:)`` has events; nil if none wait.
  func patience(at time: HostTime) -> Duration? {
    guard !waiting.isEmpty else { return nil }
    return end.map { max($0 - time, .zero) } ?? .zero
  }

  /// An event has come.
  mutating func received(_ event: StampedEvent) {
    waiting.append(event)
    // Nothing begins any more.
    if event.event == .shutdown { end = nil }
  }

  /// Takes the events that needn't wait any more, in their order, with the times at which they came.
  mutating func released(at time: HostTime) -> [StampedEvent] {
    if let end, time < end { return [] }
    end = nil
    defer { waiting = [] }
    return waiting
  }
}
