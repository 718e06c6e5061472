import Addresses
import Foundation

/// The network of a server, seen from this machine.
package enum HostNetwork: Hashable, Sendable {
  /// This machine, its router, or a machine that isn't reachable from the internet.
  case own
  case internet
  /// The name can't be resolved, or not in time.
  case unknown

  /// - Parameters:
  ///   - host: the host in lower case, without brackets (``FilmOrigin/host``).
  ///   - addresses: the numeric addresses of the name; nil while they aren't known.
  ///   - nearby: addresses of this machine and its routers.
  package init(of host: String, addresses: [String]?, nearby: Set<String>) {
    if Self.isLocalName(host) {
      self = .own
    } else if let address = Self.address(host) {
      self = Self.isOwn(address, nearby) ? .own : .internet
    } else if let addresses, !addresses.isEmpty {
      self = addresses.contains { Self.isOwn($0, nearby) } ? .own : .internet
    } else {
      self = .unknown
    }
  }

  /// The endings of names that the internet's name servers don't know (RFC 6761, RFC 6762, RFC 8375, and habits of
  /// routers).
  private static let localEndings: Set = [
    "local", "localhost", "localdomain", "internal", "intranet", "lan", "home", "corp", "private",
    "home.arpa",
  ]

  private static func isLocalName(_ host: String) -> Bool {
    let labels = host.split(separator: ".")
    guard address(host) == nil else { return false }
    // Only a local name server completes a name without a dot.
    return labels.count <= 1 || localEndings.contains(String(labels[labels.count - 1]))
      || localEndings.contains(labels.suffix(2).joined(separator: "."))
  }

  /// - Returns: `host` as an address in its usual form; nil for a name. To every resolver "127.1", "0x7f000001" and
  ///   "2130706433" are 127.0.0.1 (inet_aton(3)).
  private static func address(_ host: String) -> String? {
    if AddressScope(of: host) != nil { return host }
    var address = in_addr()
    guard inet_aton(host, &address) != 0 else { return nil }
    return withUnsafeBytes(of: &address) { $0.map(String.init).joined(separator: ".") }
  }

  private static func isOwn(_ address: String, _ nearby: Set<String>) -> Bool {
    // A 6to4 address contains any IPv4 address (RFC 3056).
    nearby.contains(address) || AddressScope(of: address) != .everywhere
      || address.hasPrefix("2002:")
  }
}
