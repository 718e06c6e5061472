import Glibc

/// The network that a connection comes from, as far as one person is likely to hold all of it: an IPv4 address, or
/// the first 64 bits of an IPv6 address.
///
/// An IPv6 subscriber has at least 2^64 addresses. Link-local addresses have the same first 64 bits on every network,
/// so all of their bits count.
struct Origin: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// - Parameter address: in numbers; all other texts are one origin.
  init(_ address: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, address, &v4) == 1 {
      (high, low) = (0, 0xffff << 32 | UInt64(UInt32(bigEndian: v4.s_addr)))
    } else if inet_pton(AF_INET6, address, &v6) == 1 {
      let words = withUnsafeBytes(of: &v6) { bytes in
        [0, 8].map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
      }
      high = words[0]
      // An IPv4 client of a socket that listens for both has an address of 0:0:0:0:0:ffff (RFC 4291 §2.5.5.2).
      let isWhole = high == 0 || high >> 54 == 0x3fa
      low = isWhole ? words[1] : 0
    } else {
      (high, low) = (0, 0)
    }
  }
}
