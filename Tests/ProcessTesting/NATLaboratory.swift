import Foundation

/// Homes behind routers, and an internet between them, made of network namespaces: none of it touches this machine's
/// networks. The outer addresses only look like the internet's.
///
/// The internet is a bridge with the addresses 11.22.33.0/24 and 2001:470:33::/64, and the relay is at the first of each.
/// Each home is a router and one machine, 192.168.1.2.
package final class NATLaboratory {
  package enum Kind: String, CaseIterable, Sendable {
    case fullCone, addressRestricted, portRestricted, symmetric
    /// The router carries no UDP.
    case blocked

    /// Returns a Boolean value that indicates whether two homes behind such routers can open a direct path over IPv4.
    package func canOpenPath(to other: Kind) -> Bool {
      let strict: Set<Kind> = [.symmetric, .portRestricted]
      if self == .blocked || other == .blocked { return false }
      return
        !(self == .symmetric && strict.contains(other)
        || other == .symmetric && strict.contains(self))
    }
  }

  /// A network with its router and its machine.
  package struct Home: Sendable {
    package let number: Int
    package let kind: Kind
    package let router: String
    package let machine: String
    /// The router's outer address.
    package var outerAddress: String
  }

  /// A Boolean value that indicates whether this machine lets a test make such networks. If not, the reason is
  /// printed. Finding out takes a tenth of a second, so only tests that run may ask.
  package static let isPossible = NetworkNamespaces.areAllowed { name in
    [
      ["ip", "-n", name, "link", "add", "three", "type", "bridge"],
      ["ip", "netns", "exec", name, "nft", rules(.portRestricted, outer: "11.22.33.9")],
      ["ip", "netns", "exec", name, "conntrack", "-F"],
    ]
  }

  /// The reason for which tests are skipped where it is false.
  package static let need =
    "this machine lets the tests make no network namespaces, for which they need root, ip, nft and conntrack"

  package static let relayAddress = "11.22.33.1"
  private let namespaces = NetworkNamespaces()
  /// The processes in the namespaces, which end before these.
  private var processes: [AnyObject] = []
  private var homes: [Home] = []
  package let internet: String

  package init() throws {
    internet = try namespaces.make("net")
    try namespaces.ip(internet, "link add net type bridge")
    try namespaces.ip(internet, "addr add \(Self.relayAddress)/24 dev net")
    try namespaces.ip(internet, "addr add 2001:470:33::1/64 dev net nodad")
    try namespaces.ip(internet, "link set net up")
  }

  deinit { processes = [] }

  /// Keeps a process, which ends with its last reference, for as long as the laboratory.
  package func keep(_ process: AnyObject) { processes.append(process) }

  /// Makes a home.
  ///
  /// - Parameters:
  ///   - provider: the router whose network is the home's outer one; nil for the internet.
  ///   - hasIPv6: a Boolean value that indicates whether the home has public IPv6 addresses behind a firewall.
  package func makeHome(_ kind: Kind, behind provider: Home? = nil, hasIPv6: Bool = false) throws
    -> Home
  {
    let number = homes.count + 1
    let outer = provider == nil ? "11.22.33.\(10 + number)" : "100.64.0.\(10 + number)"
    let home = Home(
      number: number, kind: kind, router: try namespaces.make("r\(number)"),
      machine: try namespaces.make("m\(number)"), outerAddress: outer)
    // The outer side.
    let outerSide = provider?.router ?? internet
    try namespaces.ip(
      home.router, "link add wan type veth peer name port\(number) netns \(outerSide)")
    try namespaces.ip(
      outerSide, "link set port\(number) master \(provider == nil ? "net" : "lan") up")
    try namespaces.ip(home.router, "addr add \(outer)/24 dev wan")
    try namespaces.ip(home.router, "link set wan up")
    if provider != nil { try namespaces.ip(home.router, "route add default via 100.64.0.1") }
    // The home.
    try namespaces.ip(home.router, "link add lan type bridge")
    try namespaces.ip(home.router, "link set lan up")
    try namespaces.ip(home.router, "addr add 192.168.1.1/24 dev lan")
    try namespaces.ip(home.machine, "link add eth0 type veth peer name port0 netns \(home.router)")
    try namespaces.ip(home.router, "link set port0 master lan up")
    try namespaces.ip(home.machine, "addr add 192.168.1.2/24 dev eth0")
    try namespaces.ip(home.machine, "link set eth0 up")
    try namespaces.ip(home.machine, "route add default via 192.168.1.1")
    try namespaces.run(home.router, ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"])
    try namespaces.run(home.router, ["nft", Self.rules(kind, outer: outer)])
    if hasIPv6 { try addIPv6(home) }
    homes.append(home)
    return home
  }

  /// Makes a provider's router, whose network is 100.64.0.0/24.
  package func makeProvider(_ kind: Kind) throws -> Home {
    let home = try makeHome(kind)
    try namespaces.ip(home.router, "addr flush dev lan")
    try namespaces.ip(home.router, "addr add 100.64.0.1/24 dev lan")
    try namespaces.run(home.router, ["nft", "delete table ip paths"])
    try namespaces.run(
      home.router, ["nft", Self.rules(kind, outer: home.outerAddress, inside: "100.64.0.0/24")])
    return home
  }

  private func addIPv6(_ home: Home) throws {
    try namespaces.ip(home.router, "addr add 2001:470:33::\(10 + home.number)/64 dev wan nodad")
    try namespaces.ip(home.router, "addr add 2001:470:\(home.number)::1/64 dev lan nodad")
    try namespaces.ip(home.machine, "addr add 2001:470:\(home.number)::2/64 dev eth0 nodad")
    try namespaces.ip(home.machine, "route add default via 2001:470:\(home.number)::1")
    try namespaces.ip(home.router, "route add 2001:470::/32 via 2001:470:33::1")
    try namespaces.ip(
      internet, "route add 2001:470:\(home.number)::/64 via 2001:470:33::\(10 + home.number)")
    for name in [home.router, internet] {
      try namespaces.run(name, ["sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding"])
    }
    // A router's default: only answers come in.
    try namespaces.run(
      home.router,
      [
        "nft",
        """
        table ip6 paths {
          chain forward {
            type filter hook forward priority 0; policy drop
            ct state established,related accept
            iifname lan accept
          }
        }
        """,
      ])
  }

  /// The rules of a router.
  ///
  /// The outer port of a cone is the inner one, as long as no two machines inside use the same: the map leads packets
  /// from outside to the machine that has sent from their port. The sets say who is let in. Packets that aren't are
  /// dropped before the kernel remembers them, since it would otherwise choose another port for an answer.
  private static func rules(
    _ kind: Kind, outer: String, inside: String = "192.168.1.0/24"
  ) -> String {
    let isCone = kind != .symmetric && kind != .blocked
    let admission =
      switch kind {
      case .fullCone: "accept"
      case .addressRestricted: "ip saddr @addresses accept"
      case .portRestricted: "ip saddr . udp sport @endpoints accept"
      case .symmetric: "ct state established accept"
      case .blocked: "drop"
      }
    return """
      table ip paths {
        map ports { type inet_service : ipv4_addr; flags dynamic,timeout; timeout 60s; }
        set addresses { type ipv4_addr; flags dynamic,timeout; timeout 60s; }
        set endpoints { type ipv4_addr . inet_service; flags dynamic,timeout; timeout 60s; }
        chain prerouting {
          type nat hook prerouting priority -100
          \(isCone ? "ip daddr \(outer) meta l4proto udp dnat to udp dport map @ports" : "")
        }
        chain postrouting {
          type nat hook postrouting priority 100
          \(isCone ? "ct status dnat ip saddr \(inside) ip daddr \(inside) snat to \(outer)" : "")
          oifname wan \(isCone ? "snat to \(outer) persistent" : "masquerade random,fully-random")
        }
        chain input {
          type filter hook input priority 0
          meta l4proto udp drop
        }
        chain forward {
          type filter hook forward priority 0; policy drop
          \(kind == .blocked ? "meta l4proto udp drop" : "")
          iifname lan meta l4proto udp update @ports { udp sport : ip saddr }
          iifname lan meta l4proto udp update @addresses { ip daddr }
          iifname lan meta l4proto udp update @endpoints { ip daddr . udp dport }
          iifname lan accept
          meta l4proto tcp ct state established accept
          \(admission)
        }
      }
      """
  }

  // MARK: Events

  /// Lets a router forget everything, as at a restart.
  package func restart(_ home: Home) throws {
    for name in ["map ip paths ports", "set ip paths addresses", "set ip paths endpoints"] {
      try namespaces.run(home.router, ["nft", "flush \(name)"])
    }
    try namespaces.run(home.router, ["conntrack", "-F"])
  }

  /// Gives a router another outer address, as a provider does every night.
  package func changeOuterAddress(of home: Home, to address: String) throws -> Home {
    var home = home
    try namespaces.ip(home.router, "addr flush dev wan")
    try namespaces.ip(home.router, "addr add \(address)/24 dev wan")
    try namespaces.run(home.router, ["nft", "delete table ip paths"])
    try namespaces.run(home.router, ["nft", Self.rules(home.kind, outer: address)])
    try namespaces.run(home.router, ["conntrack", "-F"])
    home.outerAddress = address
    return home
  }

  /// Gives a home's machine another address.
  package func changeInnerAddress(of home: Home, to address: String) throws {
    try namespaces.ip(home.machine, "addr flush dev eth0")
    try namespaces.ip(home.machine, "addr add \(address)/24 dev eth0")
    try namespaces.ip(home.machine, "route add default via 192.168.1.1")
  }
}
