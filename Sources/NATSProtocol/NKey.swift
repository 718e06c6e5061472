/// The text form of an Ed25519 public key in NATS, an *nkey*: base32 (RFC 4648, without padding) over a prefix byte
/// with the role of the key's owner, the 32 bytes of the key, and a CRC-16 with its low byte first. 56 characters.
package enum NKey {
  /// The role of the key's owner: the five high bits of the prefix byte, which become the first letter.
  package enum Role: UInt8, Sendable {
    /// `U`, a client that answers a challenge with the key.
    case user = 0b10100_000
    /// `N`, the identity of a server.
    case server = 0b01101_000
    /// `A`, an account, which a cluster's operator permits to have users.
    case account = 0b00000_000
    /// `O`, an operator, who runs a cluster and vouches for its accounts.
    case `operator` = 0b01110_000
  }

  /// Returns the nkey of a public key.
  ///
  /// - Parameter publicKey: 32 bytes.
  package static func text(of publicKey: [UInt8], role: Role) -> String {
    precondition(publicKey.count == 32, "an Ed25519 key has 32 bytes, not \(publicKey.count)")
    return encode([role.rawValue] + publicKey)
  }

  /// Returns the 32 bytes of the key, or nil unless `text` is an intact nkey of that role.
  package static func publicKey(from text: some Collection<UInt8>, role: Role) -> [UInt8]? {
    guard text.count == 56, let bytes = Base32.decode(text), bytes.count == 35,
      bytes[0] == role.rawValue,
      CRC16.checksum(of: bytes.prefix(33)) == UInt16(bytes[33]) | UInt16(bytes[34]) << 8
    else { return nil }
    return Array(bytes[1...32])
  }

  /// Returns the 32 bytes of the private key's seed, or nil unless `text` is an intact seed of that role: the same form
  /// with `S` in front, so that the role's letter comes second. 58 characters.
  package static func seed(from text: some Collection<UInt8>, role: Role) -> [UInt8]? {
    guard text.count == 58, let bytes = Base32.decode(text), bytes.count == 36,
      bytes[0] == seedPrefix | role.rawValue >> 5, bytes[1] == role.rawValue << 3,
      CRC16.checksum(of: bytes.prefix(34)) == UInt16(bytes[34]) | UInt16(bytes[35]) << 8
    else { return nil }
    return Array(bytes[2..<34])
  }

  /// Returns the text of a seed.
  ///
  /// - Parameter seed: 32 bytes.
  package static func text(ofSeed seed: [UInt8], role: Role) -> String {
    precondition(seed.count == 32, "a seed has 32 bytes, not \(seed.count)")
    return encode([seedPrefix | role.rawValue >> 5, role.rawValue << 3] + seed)
  }

  private static let seedPrefix: UInt8 = 0b10010_000

  private static func encode(_ bytes: [UInt8]) -> String {
    let checksum = CRC16.checksum(of: bytes)
    return Base32.encode(
      bytes + [UInt8(truncatingIfNeeded: checksum), UInt8(truncatingIfNeeded: checksum >> 8)])
  }
}

/// The CRC-16 of XMODEM: polynomial 0x1021, start value 0, no reflection.
enum CRC16 {
  static func checksum(of bytes: some Sequence<UInt8>) -> UInt16 {
    var checksum: UInt16 = 0
    for byte in bytes {
      checksum ^= UInt16(byte) << 8
      for _ in 0..<8 {
        checksum = checksum & 0x8000 != 0 ? checksum << 1 ^ 0x1021 : checksum << 1
      }
    }
    return checksum
  }
}
