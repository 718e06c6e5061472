import GroupActivities

/// A datagram of a participant on its way: one byte, the path's number, and the content.
///
/// The content proves its sender itself. The number attributes it to a participant when several share one address, and
/// keeps out senders who have never seen a packet of the path.
enum DataPacket {
  /// The first byte of each datagram.
  static let firstByte: UInt8 = 0xc2
  /// The bytes before the content.
  static let headerSize = 9

  static func bytes(_ content: [UInt8], _ direction: PathKeys.Direction) -> [UInt8] {
    [firstByte] + direction.id.bigEndianBytes + content
  }

  /// Returns the path's number and the content; nil if the bytes are no datagram of a path, or too long.
  static func read(_ bytes: [UInt8]) -> (pathID: UInt64, content: [UInt8])? {
    guard bytes.count >= headerSize, bytes[0] == firstByte,
      bytes.count - headerSize <= PathInvitation.datagramLimit
    else { return nil }
    return (UInt64(bigEndianBytes: bytes[1..<headerSize]), Array(bytes[headerSize...]))
  }
}
