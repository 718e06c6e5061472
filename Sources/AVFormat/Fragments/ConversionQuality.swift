/// The largest picture that a conversion makes, and its bit rate.
package struct ConversionQuality: Hashable, Sendable {
  /// The largest height, in pixels; the width is at most sixteen ninths of it.
  package var height: Int
  /// The largest bit rate, in bits per second.
  package var bitRate: Int

  package init(height: Int, bitRate: Int) {
    self.height = height
    self.bitRate = bitRate
  }

  /// The picture for a browser beside the keeper's own film.
  package static let browser = ConversionQuality(height: 720, bitRate: 4_000_000)
}
