import Timekeeping

/// The positions of a room or a party: at `position` at `date`, moving at `rate`, which is 0 while paused.
struct SyncplayLine: Hashable, Sendable {
  var position = MediaTime.zero
  var date = HostTime(nanoseconds: 0)
  var rate = 0.0

  var isPaused: Bool { rate == 0 }

  func position(at time: HostTime) -> MediaTime {
    isPaused ? position : position + (time - date) * rate
  }
}
