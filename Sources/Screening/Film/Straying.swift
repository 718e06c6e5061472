import Timekeeping

/// The times at which the player moved by itself: in a group it is put back twice in ten seconds.
struct Straying: Hashable, Sendable {
  private var times: [HostTime] = []

  /// Notes that the player moved by itself.
  ///
  /// - Returns: a Boolean value that indicates whether something in it moves it again and again.
  mutating func isTooMuch(at time: HostTime) -> Bool {
    times = times.filter { time - $0 < .seconds(10) } + [time]
    return times.count > 2
  }
}
