import Foundation

/// The distance from which an IP address can be used, according to its number alone (RFC 6890's registry).
package enum AddressScope: Hashable, Sendable, CaseIterable {
  /// This machine only: 127.0.0.0/8, ::1.
  case machine
  /// The same link, and in IPv6 only with the name of an interface: 169.254.0.0/16, fe80::/10.
  case link
  /// The same site, or a VPN: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7. Also the ranges for documentation
  /// and benchmarks (192.0.2.0/24, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 2001:db8::/32), which the internet
  /// doesn't carry but some networks use inside.
  case site
  /// A provider's network, behind its address translation: 100.64.0.0/10 (RFC 6598). VPNs use these addresses too.
  case carrier
  /// The whole internet, as far as firewalls allow.
  case everywhere
  /// No distance: unspecified, multicast or reserved.
  case nowhere

  /// Reads an address.
  ///
  /// - Returns: nil if `text` is not a literal IPv4 or IPv6 address.
  package init?(of text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self = withUnsafeBytes(of: &four) { Self.scope(ofIPv4: Array($0)) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self = withUnsafeBytes(of: &six) { Self.scope(ofIPv6: Array($0)) }
    } else {
      return nil
    }
  }

  private static func scope(ofIPv4 bytes: [UInt8]) -> AddressScope {
    switch (bytes[0], bytes[1], bytes[2]) {
    case (127, _, _): .machine
    case (169, 254, _): .link
    case (10, _, _), (172, 16...31, _), (192, 168, _): .site
    case (100, 64...127, _): .carrier
    case (192, 0, 2), (198, 51, 100), (203, 0, 113), (198, 18...19, _): .site
    // This network; IETF protocols; multicast and above.
    case (0, _, _), (192, 0, 0), (224..., _, _): .nowhere
    default: .everywhere
    }
  }

  private static func scope(ofIPv6 bytes: [UInt8]) -> AddressScope {
    let isLow = bytes[..<15].allSatisfy { $0 == 0 }
    if isLow { return bytes[15] == 1 ? .machine : .nowhere }
    switch (bytes[0], bytes[1]) {
    case (0xfe, 0x80...0xbf): return .link
    case (0xfc...0xfd, _): return .site
    case (0x20, 0x01) where bytes[2] == 0x0d && bytes[3] == 0xb8: return .site
    // Global unicast is 2000::/3 so far.
    case (0x20...0x3f, _): return .everywhere
    default: return .nowhere
    }
  }
}
