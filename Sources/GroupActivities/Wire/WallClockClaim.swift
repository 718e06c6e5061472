import Timekeeping

/// A participant's statement about its wall clock: UTC minus group time is ``offset``, with an error of at most
/// ``uncertainty``.
struct WallClockClaim: Hashable, Sendable {
  /// Wall time minus group time, in nanoseconds.
  var offset: Int64
  /// The error of the wall clock and of the sender's group time together, in nanoseconds.
  var uncertainty: Int64
  /// The part of ``uncertainty`` that is its group time's, in nanoseconds; zero for the reference.
  var clockUncertainty: Int64

  /// The largest error of a wall clock that is used.
  static let greatestUncertainty = Duration.seconds(1)

  /// A Boolean value that indicates whether the numbers can be used for calculations.
  var isPlausible: Bool {
    (0...Self.greatestUncertainty.inNanoseconds).contains(uncertainty)
      && (0...uncertainty).contains(clockUncertainty)
  }
}

extension WallClockClaim: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.word(offset)
    writer.number(UInt64(max(0, uncertainty)))
    writer.number(UInt64(max(0, clockUncertainty)))
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    offset = try reader.signedWord()
    uncertainty = try reader.nonnegative()
    clockUncertainty = try reader.nonnegative()
    guard isPlausible else { throw .malformed }
  }
}
