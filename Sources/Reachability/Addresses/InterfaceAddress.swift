import Addresses
import Foundation

/// One address of one of this machine's active network interfaces.
package struct InterfaceAddress: Hashable, Sendable {
  /// The interface's name: "eth0".
  package var interface: String
  /// The numeric address, without an interface's name.
  package var text: String
  /// The part of the world from which the address can be reached.
  package var scope: AddressScope
  /// A Boolean value that indicates whether the address is an IPv6 address, not an IPv4 one.
  package var isIPv6: Bool
  /// A Boolean value that indicates whether the system replaces this IPv6 address by another one every day or so (RFC
  /// 8981).
  package var isTemporary = false
  /// A Boolean value that indicates whether this IPv6 address is deprecated, or isn't known to be unique.
  package var isUnsettled = false
  /// A Boolean value that indicates whether the interface is a bridge without a device of this machine: the network of
  /// containers or virtual machines.
  package var isInternal = false
  /// A Boolean value that indicates whether packets to the internet leave by this interface.
  package var hasDefaultRoute = false

  /// Creates an address from its numeric text, of which its scope and family follow.
  ///
  /// - Parameters:
  ///   - interface: the name of the interface, such as `eth0`.
  ///   - text: an address without an interface's name; the scope of any other text is `nowhere`.
  package init(interface: String, text: String) {
    self.interface = interface
    self.text = text
    scope = AddressScope(of: text) ?? .nowhere
    isIPv6 = text.contains(":")
  }

  /// Returns the current addresses in the system's order; empty if the system reports none.
  package static func all() -> [InterfaceAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    let settled = IPv6Flags.read()
    let routed = defaultRouteInterfaces()
    return sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap { entry in
      guard let entry, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0,
        let address = entry.pointee.ifa_addr, let text = numeric(address)
      else { return nil }
      var found = InterfaceAddress(interface: String(cString: entry.pointee.ifa_name), text: text)
      let flags = settled[text] ?? []
      found.isTemporary = flags.contains(.temporary)
      found.isUnsettled = !flags.isDisjoint(with: [.deprecated, .tentative, .duplicate])
      found.isInternal = isInternalBridge(found.interface)
      found.hasDefaultRoute = routed.contains(found.interface)
      return found
    }
  }

  private static func numeric(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
    let length: Int
    switch Int32(address.pointee.sa_family) {
    case AF_INET: length = MemoryLayout<sockaddr_in>.size
    case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      getnameinfo(
        address, socklen_t(length), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
    else { return nil }
    let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // A link-local address has the form fe80::1%eth0.
    return text.split(separator: "%").first.map(String.init)
  }

  /// Returns whether a bridge is internal: it is unless one of its ports has a device, such as a network card or a
  /// radio.
  private static func isInternalBridge(_ interface: String) -> Bool {
    let folder = "/sys/class/net/\(interface)"
    let files = FileManager.default
    guard files.fileExists(atPath: folder + "/bridge") else { return false }
    let ports = (try? files.contentsOfDirectory(atPath: folder + "/brif")) ?? []
    return !ports.contains { files.fileExists(atPath: "/sys/class/net/\($0)/device") }
  }

  /// Returns the interfaces of the routes to 0.0.0.0/0 and ::/0, from `/proc/net/route` and `ipv6_route` (proc(5)).
  private static func defaultRouteInterfaces() -> Set<String> {
    var names: Set<String> = []
    for words in table("/proc/net/route") where words.count > 7 {
      if words[1] == "00000000", words[7] == "00000000" { names.insert(words[0]) }
    }
    for words in table("/proc/net/ipv6_route") where words.count > 9 {
      if words[0].allSatisfy({ $0 == "0" }), words[1] == "00", words[9] != "lo" {
        names.insert(words[9])
      }
    }
    return names
  }

  /// Returns the addresses of the routers to the internet, numeric.
  package static func routers() -> [String] {
    var texts: [String] = []
    for words in table("/proc/net/route") where words.count > 7 && words[1] == "00000000" {
      // The number is in the machine's byte order, so that its bytes are those of the address.
      guard let number = UInt32(words[2], radix: 16) else { continue }
      texts.append(withUnsafeBytes(of: number) { $0.map(String.init).joined(separator: ".") })
    }
    for words in table("/proc/net/ipv6_route") where words.count > 9 && words[1] == "00" {
      var address = in6_addr()
      let digits = Array(words[4].utf8)
      guard digits.count == 32 else { continue }
      let bytes = (0..<16).compactMap {
        UInt8(String(decoding: digits[2 * $0..<2 * $0 + 2], as: UTF8.self), radix: 16)
      }
      guard bytes.count == 16 else { continue }
      withUnsafeMutableBytes(of: &address) { $0.copyBytes(from: bytes) }
      var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_ntop(AF_INET6, &address, &name, socklen_t(name.count)) != nil else { continue }
      texts.append(
        String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    return texts.filter { $0 != "0.0.0.0" && $0 != "::" }
  }

  fileprivate static func table(_ path: String) -> [[String]] {
    // A missing file (no IPv6 in this kernel, a sandbox without /proc) has no rows.
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { line in
      line.split(whereSeparator: \.isWhitespace).map(String.init)
    }
  }
}

/// The kernel's flags of an IPv6 address: `IFA_F_…` of `linux/if_addr.h`.
private struct IPv6Flags: OptionSet {
  let rawValue: UInt32

  static let temporary = IPv6Flags(rawValue: 0x01)
  static let duplicate = IPv6Flags(rawValue: 0x08)
  static let deprecated = IPv6Flags(rawValue: 0x20)
  static let tentative = IPv6Flags(rawValue: 0x40)

  /// Returns the flags by address, as `getnameinfo` writes it. `/proc/net/if_inet6` has the address in 32 hexadecimal
  /// digits and, in its fifth column, the flags.
  static func read() -> [String: IPv6Flags] {
    var flags: [String: IPv6Flags] = [:]
    for words in InterfaceAddress.table("/proc/net/if_inet6") where words.count > 4 {
      guard words[0].utf8.count == 32, let value = UInt32(words[4], radix: 16) else { continue }
      let groups = stride(from: 0, to: 32, by: 4).map { words[0].dropFirst($0).prefix(4) }
      var address = in6_addr()
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_pton(AF_INET6, groups.joined(separator: ":"), &address) == 1,
        inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil
      else { continue }
      let name = String(
        decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      flags[name] = IPv6Flags(rawValue: value)
    }
    return flags
  }
}
