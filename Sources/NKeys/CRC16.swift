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
