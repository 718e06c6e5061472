import Addresses

/// The choice of this machine's addresses that other participants may be able to reach.
package enum LocalAddresses {
  /// The greatest number of addresses, so that an invite with them stays short.
  package static let limit = 4

  /// Returns the addresses that others may reach, best first: IPv4 and IPv6 addresses of the internet, then those of
  /// the local network, and among them first those of the interface that leads to the internet.
  ///
  /// It omits addresses that only this machine or this link knows, addresses that are about to be removed, and those of
  /// containers' and virtual machines' networks. If an interface has several IPv6 addresses in one scope, it
  /// returns one of them, if possible a permanent one.
  package static func usable(among all: [InterfaceAddress], limit: Int = limit)
    -> [InterfaceAddress]
  {
    let candidates = all.filter { address in
      guard !address.isUnsettled, !address.isInternal else { return false }
      switch address.scope {
      case .site, .carrier, .everywhere: return true
      case .machine, .link, .nowhere: return false
      }
    }
    var seen: Set<Reach> = []
    let lasting = candidates.filter { !$0.isTemporary } + candidates.filter(\.isTemporary)
    let distinct = lasting.filter { address in
      !address.isIPv6
        || seen.insert(Reach(interface: address.interface, scope: address.scope)).inserted
    }
    let sorted = distinct.enumerated().sorted { one, other in
      let ranks = (rank(one.element), rank(other.element))
      return ranks.0 == ranks.1 ? one.offset < other.offset : ranks.0 < ranks.1
    }
    return Array(sorted.map(\.element).prefix(limit))
  }

  private struct Reach: Hashable {
    var interface: String
    var scope: AddressScope
  }

  private static func rank(_ address: InterfaceAddress) -> Int {
    switch (address.scope, address.isIPv6) {
    case (.everywhere, false): 0
    case (.everywhere, true): 1
    case (_, false): address.hasDefaultRoute ? 2 : 4
    case (_, true): address.hasDefaultRoute ? 3 : 5
    }
  }
}
