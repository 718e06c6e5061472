import Synchronization
import Timekeeping

/// The party's clock, readable from any thread without waiting.
public final class GroupClock: Sendable {
  private struct State {
    var reading: GroupClockReading?
    /// The time that this machine had slept when the reading was made.
    var slept = Duration.zero
  }

  private let state: Mutex<State>

  /// Creates a clock.
  ///
  /// - Parameter reading: the relation between the two clocks at the beginning; nil while it is unknown. A
  ///   program outside any party uses ``GroupClockReading/alone``.
  public init(_ reading: GroupClockReading? = nil) {
    state = Mutex(State(reading: reading, slept: HostTime.slept()))
  }

  /// The current reading; nil until the first exchange with a participant.
  public var reading: GroupClockReading? {
    let (now, slept) = (HostTime.now(), HostTime.slept())
    return state.withLock { state in
      guard var reading = state.reading else { return nil }
      // Applies a sleep that the party's machine doesn't know of yet.
      if slept - state.slept > HostTime.leastSleep { reading.offset += slept - state.slept }
      return reading.rebased(at: now)
    }
  }

  func set(_ reading: GroupClockReading?, slept: Duration) {
    state.withLock { $0 = State(reading: reading, slept: slept) }
  }
}
