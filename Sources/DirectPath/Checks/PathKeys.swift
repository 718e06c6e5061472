import Crypto
import GroupActivities

/// The keys of a path, one for each direction, so that a packet that is sent back proves nothing.
struct PathKeys: Sendable {
  /// The keys of one direction.
  struct Direction: Sendable {
    /// The number that names the path in packets of this direction. Only the two ends can calculate it.
    let id: UInt64
    let key: SymmetricKey
  }

  /// The direction from this end.
  let outgoing: Direction
  /// The direction to this end.
  let incoming: Direction

  /// - Parameters:
  ///   - secret: the secret of the two ends, 32 bytes.
  ///   - isControlling: a Boolean value that indicates whether this end chooses the path.
  init(secret: [UInt8], isControlling: Bool) {
    let fromControlling = Self.direction(secret, "matinee direct path v1 controlling")
    let fromControlled = Self.direction(secret, "matinee direct path v1 controlled")
    outgoing = isControlling ? fromControlling : fromControlled
    incoming = isControlling ? fromControlled : fromControlling
  }

  /// The first 8 bytes that HKDF-SHA-256 derives are the path's number, and the next 32 its key.
  private static func direction(_ secret: [UInt8], _ label: String) -> Direction {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), info: Array(label.utf8), outputByteCount: 40
    ).withUnsafeBytes { bytes in
      Direction(
        id: UInt64(bigEndianBytes: bytes[..<8]),
        key: SymmetricKey(data: Array(bytes[8...])))
    }
  }
}
