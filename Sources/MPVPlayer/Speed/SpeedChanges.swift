import Timekeeping

/// Corrects `audio-pts` after a change of speed.
///
/// mpv subtracts the remaining contents of audio buffers at the new speed, though they were made, and are heard, at the
/// old one. So right after a change from 1 to 1.5 with 0.4 s in buffers, `audio-pts` is 0.2 s too low; the error
/// shrinks to zero as the old audio is played.
struct SpeedChanges: Hashable, Sendable {
  private struct Change: Hashable, Sendable {
    var hostTime: HostTime
    var difference: Double
    var buffered: Duration

    func mistake(at time: HostTime) -> Duration {
      let left = buffered - (time - hostTime)
      return left > .zero ? min(left, buffered) * difference : .zero
    }
  }

  private var changes: [Change] = []

  /// Records a change of speed.
  ///
  /// - Parameter buffered: the time for which audio made at the old speed will still be heard.
  mutating func record(from old: Double, to new: Double, at time: HostTime, buffered: Duration) {
    changes.removeAll { $0.mistake(at: time) == .zero }
    // Bounded: sixteen changes within half a second mean that the user holds down a key.
    if changes.count >= 16 { changes.removeFirst() }
    changes.append(Change(hostTime: time, difference: new - old, buffered: buffered))
  }

  /// Discards all changes after a seek, which empties the buffers.
  mutating func forget() { changes = [] }

  /// Returns the value to add to `audio-pts`.
  func correction(at time: HostTime) -> Duration {
    changes.reduce(.zero) { $0 + $1.mistake(at: time) }
  }
}
