import Addresses
import GroupActivities
import Reachability
import Screening

/// A party on this network that its host announces by mDNS.
///
/// The announcement is public: it reveals that there is a party on this network, its relay's addresses and certificate,
/// and the party's id, which is a hash of a public key made for this party only. It contains no name, title or secret;
/// the party's spoken name is derived from the id. The announcement doesn't admit anyone: a guest still needs the
/// invite's secret, which the host shows and the guest types or pastes. In a scheme in which the guest knocks and the
/// host agrees, both would have to compare words in order to distinguish the guest's key from that of an attacker in
/// between. That would be a key exchange of our own.
package struct LocalParty: Hashable, Sendable {
  package var id: Participant.ID
  /// The relay's addresses, never empty.
  package var addresses: [Invite.Address]

  package var name: String { PartyName.of(id) }

  package static let serviceType = "_matinee._tcp"
  private static let idKey = "party"
  private static let securityKey = "tls"
  private static let addressLimit = 8
  private static let partyLimit = 32

  static func announcement(
    of id: Participant.ID, port: Int, security: Invite.Address.Security? = nil
  ) -> LocalService {
    var attributes = ["v": "1", idKey: id.description]
    attributes[securityKey] = security?.text
    return LocalService(
      name: PartyName.of(id), type: serviceType, port: port, attributes: attributes)
  }

  /// Returns the parties among the services that were found. An announcement of another host's party only adds an
  /// address that doesn't lead to it: the host's key must match the id.
  package static func all(among services: [LocalService]) -> [LocalParty] {
    var parties: [LocalParty] = []
    for service in services where service.type == serviceType {
      guard service.attributes["v"] == "1",
        let id = service.attributes[idKey].flatMap({ Participant.ID($0) })
      else { continue }
      let security = service.attributes[securityKey].map { Invite.Address.Security($0) }
      // Another proof than this version knows.
      if case .some(nil) = security { continue }
      let addresses = usable(service.addresses).compactMap {
        Invite.Address(host: $0, port: service.port, security: security ?? nil)
      }
      if let index = parties.firstIndex(where: { $0.id == id }) {
        let more = addresses.filter { !parties[index].addresses.contains($0) }
        parties[index].addresses.append(
          contentsOf: more.prefix(addressLimit - parties[index].addresses.count))
      } else if !addresses.isEmpty, parties.count < partyLimit {
        parties.append(LocalParty(id: id, addresses: Array(addresses.prefix(addressLimit))))
      }
    }
    return parties.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Returns the usable addresses, IPv4 first. This machine's own address is usable only for a party without another.
  private static func usable(_ texts: [String]) -> [String] {
    let scoped = texts.compactMap { text in AddressScope(of: text).map { (text, $0) } }
    let others = scoped.filter { text, scope in
      switch scope {
      case .site, .carrier, .everywhere: true
      // An IPv6 link-local address needs the name of an interface and means a different host on each machine.
      case .link: !text.contains(":")
      case .machine, .nowhere: false
      }
    }
    let chosen = others.isEmpty ? scoped.filter { $0.1 == .machine } : others
    let texts = chosen.map(\.0)
    return texts.filter { !$0.contains(":") } + texts.filter { $0.contains(":") }
  }
}
