import GroupSimulation
import STUN

/// Networks and the routers between them: where a packet arrives, and from where it seems to come.
struct SimulatedInternet {
  private(set) var routers: [SimulatedRouter] = []
  private(set) var hosts: [Host] = []
  private let outer: [Int?]

  /// A machine's place.
  struct Host {
    var router: Int?
    var ipv4: SocketAddress
    var ipv6: SocketAddress?
    var isFirewalled = false
    var isBlocked = false
    /// The IPv6 addresses to which the machine has sent.
    var contacts: [SocketAddress: Nanoseconds] = [:]
  }

  enum Arrival: Hashable {
    case host(Int, source: SocketAddress)
    case server(source: SocketAddress)
    case attacker
    /// The packet reached an address on the internet with no machine of the simulation.
    case stray
    /// A router or a firewall kept it.
    case dropped
  }

  static let server = SocketAddress(IPv4: 0x0909_0909, port: 3478)
  static let attacker = SocketAddress(IPv4: 0x0909_0942, port: 6666)
  static let victim = SocketAddress(IPv4: 0x0808_0808, port: 53)

  init(_ scenario: PathScenario) {
    outer = scenario.routers.map(\.outer)
    for (number, router) in scenario.routers.enumerated() {
      let address =
        router.outer == nil
        ? SocketAddress(IPv4: 0x0b16_2100 + UInt32(number) + 1, port: 0)
        : SocketAddress(IPv4: 0x6440_0000 + UInt32(number) + 1, port: 0)
      routers.append(SimulatedRouter(router, address: address, seed: scenario.seed))
    }
    for (number, person) in scenario.people.enumerated() {
      var host = Host(
        router: person.router, ipv4: SimulatedInternet.address(number, person.router),
        isFirewalled: person.ipv6 == .firewalled, isBlocked: person.isBlocked)
      if person.ipv6 != .none {
        host.ipv6 = SocketAddress(
          [0x20, 0x01, 0x04, 0x70, 0, UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
          port: 40000 + UInt16(number))
      }
      hosts.append(host)
    }
  }

  /// The address of a person in a network. All local networks use the same range, as at many homes.
  private static func address(_ person: Int, _ router: Int?) -> SocketAddress {
    router == nil
      ? SocketAddress(IPv4: 0x0b16_4200 + UInt32(person) + 1, port: 40000 + UInt16(person))
      : SocketAddress(IPv4: 0xc0a8_0100 + UInt32(person % 2) + 2, port: 40000 + UInt16(person))
  }

  /// The addresses of a machine's interfaces.
  func addresses(of host: Int) -> [SocketAddress] {
    [hosts[host].ipv6, hosts[host].ipv4].compactMap(\.self)
  }

  mutating func restart(_ router: Int) { routers[router].restart() }

  mutating func move(_ host: Int, to router: Int?) {
    hosts[host].router = router
    hosts[host].ipv4 = Self.address(host, router)
  }

  /// Carries a packet of a machine.
  mutating func carry(from host: Int, to destination: SocketAddress, at now: Nanoseconds)
    -> Arrival
  {
    guard !hosts[host].isBlocked else { return .dropped }
    guard destination.isIPv6 else {
      return carry(hosts[host].ipv4, to: destination, in: hosts[host].router, at: now)
    }
    guard let source = hosts[host].ipv6 else { return .dropped }
    hosts[host].contacts[destination] = now
    guard let other = hosts.firstIndex(where: { $0.ipv6 == destination }) else { return .stray }
    let isKnown = hosts[other].contacts[source].map { now - $0 < .seconds(60) } ?? false
    guard isKnown || !hosts[other].isFirewalled, !hosts[other].isBlocked else { return .dropped }
    return .host(other, source: source)
  }

  /// Carries a packet of a machine on the internet, perhaps with a forged source.
  mutating func carryFromInternet(
    _ source: SocketAddress, to destination: SocketAddress, at now: Nanoseconds
  ) -> Arrival {
    destination.isIPv6 ? .dropped : carry(source, to: destination, in: nil, at: now)
  }

  /// - Parameter router: the router of the network in which the packet is; nil for the internet.
  private mutating func carry(
    _ source: SocketAddress, to destination: SocketAddress, in router: Int?, at now: Nanoseconds
  ) -> Arrival {
    if router == nil, destination == Self.server { return .server(source: source) }
    if router == nil, destination == Self.attacker { return .attacker }
    if let host = hosts.firstIndex(where: { $0.router == router && $0.ipv4 == destination }) {
      return hosts[host].isBlocked ? .dropped : .host(host, source: source)
    }
    if let inner = routers.indices.first(where: {
      outer[$0] == router && routers[$0].address == destination.with(port: 0)
    }) {
      return enter(inner, source, port: destination.port, at: now)
    }
    guard let router else { return .stray }
    guard routers[router].address != destination.with(port: 0) else {
      guard routers[router].hairpins else { return .dropped }
      let translated = routers[router].translate(source, to: destination, at: now)
      return enter(router, translated, port: destination.port, at: now)
    }
    // The internet has no such addresses.
    guard !destination.isPrivate || outer[router] != nil else { return .dropped }
    let translated = routers[router].translate(source, to: destination, at: now)
    return carry(translated, to: destination, in: outer[router], at: now)
  }

  private mutating func enter(
    _ router: Int, _ source: SocketAddress, port: UInt16, at now: Nanoseconds
  ) -> Arrival {
    guard let inside = routers[router].admit(source, to: port, at: now) else { return .dropped }
    return carry(source, to: inside, in: router, at: now)
  }
}
