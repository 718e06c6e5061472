import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// This machine's addresses, for invites.
enum NetworkAddresses {
  /// Where others may reach a relay that listens on `host`: `host` itself, or, for all interfaces,
  /// each interface's address; this machine's own (127.0.0.1) only if there is no other.
  static func reachable(listeningOn host: String) -> [String] {
    guard host == "0.0.0.0" || host == "::" else { return [host] }
    var addresses: [String] = []
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return ["127.0.0.1"] }
    defer { freeifaddrs(list) }
    for interface in sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap({ $0 }) {
      let flags = Int32(interface.pointee.ifa_flags)
      guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
        let address = interface.pointee.ifa_addr
      else { continue }
      let family = Int32(address.pointee.sa_family)
      guard family == AF_INET || (family == AF_INET6 && host == "::") else { continue }
      let length =
        family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          address, socklen_t(length), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
      else { continue }
      let text = String(
        decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      // Link-local addresses mean nothing on another machine.
      if !text.hasPrefix("fe80") && !text.hasPrefix("169.254.") { addresses.append(text) }
    }
    return addresses.isEmpty ? ["127.0.0.1"] : Array(addresses.prefix(8))
  }
}
