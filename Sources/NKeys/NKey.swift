/// The text form of a user's public NKEY: base32 (RFC 4648, without padding) of a prefix byte, the 32
/// bytes of an Ed25519 public key, and a CRC-16 of both. 56 characters that begin with `U`.
///
/// Source: nats-io/nkeys, "NKEYS", and `nkeys.c` of the NATS C client.
public enum NKey {
  /// Users have 20 in the upper five bits, which base32 shows as `U`.
  private static let userPrefix: UInt8 = 20 << 3
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// - Parameter publicKey: 32 bytes.
  public static func userText(publicKey: [UInt8]) -> String {
    precondition(
      publicKey.count == 32, "an Ed25519 public key has 32 bytes, not \(publicKey.count)")
    var bytes = [userPrefix] + publicKey
    let checksum = crc16(bytes)
    bytes += [UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)]
    return base32(bytes)
  }

  /// - Returns: the 32 bytes; nil unless `text` is exactly a user's public key.
  public static func publicKey(userText text: String) -> [UInt8]? {
    guard let bytes = decodeBase32(text), bytes.count == 35, bytes[0] == userPrefix,
      crc16(bytes[..<33]) == UInt16(bytes[33]) | UInt16(bytes[34]) << 8
    else { return nil }
    return Array(bytes[1..<33])
  }

  /// CRC-16/XMODEM: polynomial 0x1021, initial value 0.
  private static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var crc: UInt16 = 0
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
    return crc
  }

  private static func base32(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[Int(bits >> UInt32(count)) & 31])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(5 - count)) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func decodeBase32(_ text: String) -> [UInt8]? {
    guard text.utf8.count == 56 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
