/// The encoding of RFC 4648 §4, which terminals use for pictures and the clipboard.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    alphabet.withUnsafeBufferPointer { alphabet in
      bytes.withUnsafeBufferPointer { bytes in
        var index = 0
        while index < bytes.count {
          let count = min(3, bytes.count - index)
          var bits = UInt32(bytes[index]) << 16
          if count > 1 { bits |= UInt32(bytes[index + 1]) << 8 }
          if count > 2 { bits |= UInt32(bytes[index + 2]) }
          result.append(alphabet[Int(bits >> 18 & 63)])
          result.append(alphabet[Int(bits >> 12 & 63)])
          result.append(count > 1 ? alphabet[Int(bits >> 6 & 63)] : 0x3D)
          result.append(count > 2 ? alphabet[Int(bits & 63)] : 0x3D)
          index += 3
        }
      }
    }
    return result
  }
}
