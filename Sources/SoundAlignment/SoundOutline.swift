import Timekeeping

/// The loudness of a film's sound in eight bands of frequencies, fifty times a second.
///
/// It identifies a passage of the sound, whatever the encoding, and can't be played. Two hours are 2.9 MB.
package struct SoundOutline: Hashable, Sendable {
  /// The levels of the bands at position 0 from the lowest band on, then those 20 ms later, and so on. The unit is half
  /// a decibel; 0 is silence, or a level of at most -110 dB.
  let levels: [UInt8]

  static let bands = 8
  /// The number of levels of a band per second.
  static let rate = 50
  /// The longest film: 12 hours.
  static let limit = 12 * 3600 * rate * bands
  /// The first byte of the coding.
  private static let version: UInt8 = 1

  init(levels: [UInt8]) { self.levels = levels }

  /// Reads the coding that ``bytes`` returns, which may come from a peer.
  ///
  /// - Returns: nil for bytes that are none, and for those of a film that is longer than 12 hours.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.first == Self.version, bytes.count <= 1 + Self.limit,
      (bytes.count - 1) % Self.bands == 0
    else { return nil }
    levels = Array(bytes.dropFirst())
  }

  /// The coding: a version, and a byte for each level.
  package var bytes: [UInt8] { [Self.version] + levels }

  /// The number of levels of each band.
  var count: Int { levels.count / Self.bands }

  package var duration: Duration { .seconds(Double(count) / Double(Self.rate)) }
}
