import Timekeeping

/// The time for which calls are audible, from the peaks of their sound.
///
/// Pauses between words are shorter than the hold, so that the film doesn't become louder in each of them.
struct CallActivity: Sendable {
  /// The smallest peak that counts as sound: −40 dB of full scale.
  static let threshold: Float = 0.01
  /// The time from the last sound to the end.
  static let hold = Duration.milliseconds(400)

  /// The last sound of each stream that had any.
  private var lastSounds: [UInt32: HostTime] = [:]

  /// A part of a stream has arrived, with this peak.
  mutating func peakReceived(_ peak: Float, from stream: UInt32, at time: HostTime) {
    if peak >= Self.threshold { lastSounds[stream] = time }
  }

  /// Only these streams still exist. The hold of the others is over.
  mutating func streamsListed(_ isListed: (UInt32) -> Bool) {
    lastSounds = lastSounds.filter { isListed($0.key) }
  }

  /// Returns a Boolean value that indicates whether a call is audible.
  func isAudible(at time: HostTime) -> Bool {
    lastSounds.values.contains { time - $0 < Self.hold }
  }
}
