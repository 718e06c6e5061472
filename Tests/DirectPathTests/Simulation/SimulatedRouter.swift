import GroupSimulation
import STUN

/// A router that translates addresses, by the four kinds of RFC 3489.
struct SimulatedRouter {
  enum Kind: Hashable, Sendable, CaseIterable {
    /// One outer port for each inner one, which lets in everybody.
    case fullCone
    /// The same, which lets in the addresses to which the inner port has sent.
    case addressRestricted
    /// The same, which lets in the addresses and ports to which the inner port has sent.
    case portRestricted
    /// An outer port for each inner port and destination, which lets in that destination.
    case symmetric
  }

  let kind: Kind
  let hairpins: Bool
  /// The address in the outer network.
  let address: SocketAddress
  private var mappings: [Mapping] = []
  private var dice: PathDice

  private struct Mapping {
    let inside: SocketAddress
    /// The destination for which it is made; nil for all.
    let destination: SocketAddress?
    let port: UInt16
    var contacts: [SocketAddress: Nanoseconds] = [:]
    var usedAt: Nanoseconds
  }

  /// The time without outgoing packets after which a mapping is forgotten.
  private static let lifetime = Nanoseconds.seconds(60)

  init(_ router: PathScenario.Router, address: SocketAddress, seed: UInt64) {
    kind = router.kind
    hairpins = router.hairpins
    self.address = address
    dice = PathDice(seed: seed, UInt64(address.bytes[3]), UInt64(address.bytes[2]))
  }

  /// Returns the outer source of a packet.
  mutating func translate(
    _ inside: SocketAddress, to destination: SocketAddress, at now: Nanoseconds
  ) -> SocketAddress {
    mappings.removeAll { now - $0.usedAt > Self.lifetime }
    let own = kind == .symmetric ? destination : nil
    let known = mappings.firstIndex { $0.inside == inside && $0.destination == own }
    let index = known ?? mappings.count
    if known == nil {
      let port = UInt16(truncatingIfNeeded: dice.number(1024...65535))
      mappings.append(Mapping(inside: inside, destination: own, port: port, usedAt: now))
    }
    mappings[index].usedAt = now
    mappings[index].contacts[destination] = now
    return address.with(port: mappings[index].port)
  }

  /// Returns the inner destination of a packet from outside; nil if it isn't let in.
  func admit(_ source: SocketAddress, to port: UInt16, at now: Nanoseconds) -> SocketAddress? {
    guard
      let mapping = mappings.first(where: {
        $0.port == port && now - $0.usedAt <= Self.lifetime
      })
    else { return nil }
    let contacts = mapping.contacts.filter { now - $0.value <= Self.lifetime }.keys
    let isLetIn =
      switch kind {
      case .fullCone: true
      case .addressRestricted: contacts.contains { $0.with(port: 0) == source.with(port: 0) }
      case .portRestricted, .symmetric: contacts.contains(source)
      }
    return isLetIn ? mapping.inside : nil
  }

  /// Forgets everything.
  mutating func restart() { mappings = [] }
}
