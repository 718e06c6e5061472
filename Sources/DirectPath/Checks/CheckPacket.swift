import Crypto
import GroupActivities
import STUN

/// A packet that proves that a path works. All kinds have the same length, so that an answer is never longer than its
/// question.
struct CheckPacket: Hashable, Sendable {
  /// The kinds of packets.
  enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// A question: is the other end there?
    case request = 1
    /// The answer.
    case response = 2
    /// A question of the controlling end on the path that it has chosen. It doesn't choose on its own: it makes the
    /// controlled end ask.
    case nomination = 3
    /// The answer of the controlling end on the path that it has chosen. The controlled end follows only this.
    case confirmation = 4

    var isAnswer: Bool {
      switch self {
      case .request, .nomination: false
      case .response, .confirmation: true
      }
    }
  }

  var kind: Kind
  /// A Boolean value that indicates whether the sender has had an answer from this address, and so accepts datagrams.
  var isValidated: Bool
  /// The question's number, which the answer repeats: 64 random bits.
  var transaction: UInt64
  /// In an answer, the address from which the question came, as the answering end saw it.
  var observed: SocketAddress?

  /// The first byte of each check. STUN's first byte is below 64.
  static let firstByte: UInt8 = 0xc1
  /// The bytes of a packet.
  static let size = 54
  private static let signedSize = 38

  /// Returns the packet's bytes, with the proof that this end sent it.
  func bytes(_ direction: PathKeys.Direction) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.size)
    bytes.append(Self.firstByte)
    bytes.append(kind.rawValue)
    bytes.append(isValidated ? 1 : 0)
    bytes.append(observed.map { $0.isIPv6 ? 6 : 4 } ?? 0)
    bytes += direction.id.bigEndianBytes
    bytes += transaction.bigEndianBytes
    let port = observed?.port ?? 0
    bytes += [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
    bytes += observed?.bytes ?? []
    bytes += [UInt8](repeating: 0, count: Self.signedSize - bytes.count)
    bytes += Self.proof(bytes[...], direction.key)
    return bytes
  }

  /// Reads a packet.
  ///
  /// - Returns: nil unless the other end of the path sent exactly these bytes.
  init?(_ bytes: [UInt8], _ direction: PathKeys.Direction) {
    guard bytes.count == Self.size, Self.pathID(of: bytes) == direction.id,
      Self.equal(
        Self.proof(bytes[..<Self.signedSize], direction.key), bytes[Self.signedSize...]),
      let kind = Kind(rawValue: bytes[1]), bytes[2] <= 1
    else { return nil }
    self.kind = kind
    isValidated = bytes[2] == 1
    transaction = UInt64(bigEndianBytes: bytes[12..<20])
    switch (bytes[3], kind.isAnswer) {
    case (0, false): observed = nil
    case (4, true):
      observed = SocketAddress(bytes[22..<26], port: UInt16(bytes[20]) << 8 | UInt16(bytes[21]))
    case (6, true):
      observed = SocketAddress(bytes[22..<38], port: UInt16(bytes[20]) << 8 | UInt16(bytes[21]))
    default: return nil
    }
  }

  init(
    _ kind: Kind, isValidated: Bool, transaction: UInt64, observed: SocketAddress? = nil
  ) {
    self.kind = kind
    self.isValidated = isValidated
    self.transaction = transaction
    self.observed = observed
  }

  /// Returns the number of the path that a packet names; nil if the bytes are no check.
  static func pathID(of bytes: [UInt8]) -> UInt64? {
    guard bytes.count == size, bytes[0] == firstByte else { return nil }
    return UInt64(bigEndianBytes: bytes[4..<12])
  }

  private static func proof(_ bytes: ArraySlice<UInt8>, _ key: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(size - signedSize))
  }

  /// Compares in a time that doesn't depend on the bytes.
  private static func equal(_ a: [UInt8], _ b: ArraySlice<UInt8>) -> Bool {
    a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
