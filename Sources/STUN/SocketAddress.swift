/// An IP address and a UDP port.
package struct SocketAddress: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64
  /// The port, 0 to 65535.
  package let port: UInt16
  /// A Boolean value that indicates whether the address has 16 bytes, not 4.
  package let isIPv6: Bool

  /// Creates an address. An IPv4 address in the IPv6 form (`::ffff:192.0.2.7`) becomes an IPv4 address.
  ///
  /// - Parameter address: the bytes of the IP address.
  /// - Returns: nil unless there are 4 or 16 bytes.
  package init?(_ address: some Collection<UInt8>, port: UInt16) {
    switch address.count {
    case 4:
      self.init(IPv4: UInt32(truncatingIfNeeded: Self.number(address)), port: port)
    case 16:
      let (high, low) = (Self.number(address.prefix(8)), Self.number(address.suffix(8)))
      self.init(high: high, low: low, port: port)
    default: return nil
    }
  }

  /// - Parameter IPv4: the address as a number, its first byte being the most significant one.
  package init(IPv4 number: UInt32, port: UInt16) {
    high = 0
    low = UInt64(number)
    isIPv6 = false
    self.port = port
  }

  private init(high: UInt64, low: UInt64, port: UInt16) {
    let isMapped = high == 0 && low >> 32 == 0xffff
    self.high = high
    self.low = isMapped ? low & 0xffff_ffff : low
    isIPv6 = !isMapped
    self.port = port
  }

  private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 4 or 16 bytes of the IP address.
  package var bytes: [UInt8] {
    let parts = isIPv6 ? [(high, 8), (low, 8)] : [(low, 4)]
    return parts.flatMap { number, count in
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }
  }

  /// Returns the same IP address with another port.
  package func with(port: UInt16) -> SocketAddress {
    SocketAddress(high: high, low: isIPv6 ? low : low | 0xffff << 32, port: port)
  }

  /// Returns whether two addresses have their first bits in common.
  ///
  /// - Parameter bits: 0 to 32 for IPv4, 0 to 64 for IPv6.
  package func sharesPrefix(of bits: Int, with other: SocketAddress) -> Bool {
    guard isIPv6 == other.isIPv6 else { return false }
    let difference = isIPv6 ? high ^ other.high : (low ^ other.low) << 32
    return bits == 0 || difference >> (64 - bits) == 0
  }
}

/// The distance from which an address can be used (RFC 6890).
extension SocketAddress {
  /// A Boolean value that indicates whether the address is this machine's own: 127.0.0.0/8, ::1.
  package var isLoopback: Bool { isIPv6 ? high == 0 && low == 1 : low >> 24 == 127 }

  /// A Boolean value that indicates whether the address is one of a single link: 169.254.0.0/16, fe80::/10.
  package var isLinkLocal: Bool { isIPv6 ? high >> 54 == 0x3fa : low >> 16 == 0xa9fe }

  /// A Boolean value that indicates whether the address is one of a site, which others use too: 10.0.0.0/8,
  /// 172.16.0.0/12, 192.168.0.0/16, fc00::/7.
  package var isPrivate: Bool {
    isIPv6
      ? high >> 57 == 0x7e : low >> 24 == 10 || low >> 20 == 0xac1 || low >> 16 == 0xc0a8
  }

  /// A Boolean value that indicates whether one machine is at the address. It is false for unspecified, multicast,
  /// broadcast and reserved addresses, and for port 0.
  package var isUnicast: Bool {
    guard port > 0 else { return false }
    guard isIPv6 else { return low >> 24 != 0 && low >> 28 < 0xe }
    // The first 64 bits are zero only in the loopback address, and in forms of IPv4 addresses.
    return high >> 56 != 0xff && (high > 0 || low == 1)
  }
}

extension SocketAddress: CustomStringConvertible {
  /// `192.0.2.7:40112`, or `[2001:db8:0:0:0:0:0:7]:40112` without a short form.
  package var description: String {
    guard isIPv6 else {
      return bytes.map(String.init).joined(separator: ".") + ":\(port)"
    }
    let groups = (0..<8).map { group in
      let number = group < 4 ? high : low
      return String(number >> UInt64(48 - 16 * (group % 4)) & 0xffff, radix: 16)
    }
    return "[" + groups.joined(separator: ":") + "]:\(port)"
  }
}
