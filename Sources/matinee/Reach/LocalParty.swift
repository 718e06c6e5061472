import GroupActivities
import Reachability

/// A party on this network, as its host announces it by mDNS.
///
/// What is announced is public: that somebody here holds a party, where its relay listens, and the
/// party's id, which is a hash of a public key made for this one party. There is no name in it, no
/// title and no secret; the words that people see follow from the id. Nor does it let anybody in: for
/// that one needs the invite's secret still, which the host shows and the guest types or pastes. A
/// scheme in which the guest knocks and the host says yes would have to tell the guest's key from that
/// of somebody in between, by words that both compare, and so be a key exchange of our own.
struct LocalParty: Hashable, Sendable {
  var id: Participant.ID
  /// Never empty.
  var addresses: [Invite.Address]

  var name: String { PartyName.of(id) }

  static let serviceType = "_matinee._tcp"
  private static let idKey = "party"
  private static let addressLimit = 8
  private static let partyLimit = 32

  static func announcement(of id: Participant.ID, port: Int) -> LocalService {
    LocalService(
      name: PartyName.of(id), type: serviceType, port: port,
      attributes: ["v": "1", idKey: id.description])
  }

  /// The parties among what was found. Whoever announces a party that isn't theirs adds an address that
  /// doesn't lead there, and no more: the id is what the host's key has to match.
  static func all(among services: [LocalService]) -> [LocalParty] {
    var parties: [LocalParty] = []
    for service in services where service.type == serviceType {
      guard service.attributes["v"] == "1",
        let id = service.attributes[idKey].flatMap({ Participant.ID($0) })
      else { continue }
      let addresses = usable(service.addresses).compactMap {
        Invite.Address(host: $0, port: service.port)
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

  /// IPv4 first; this machine's own address only for a party that has no other.
  private static func usable(_ texts: [String]) -> [String] {
    let scoped = texts.compactMap { text in AddressScope(of: text).map { (text, $0) } }
    let others = scoped.filter { text, scope in
      switch scope {
      case .site, .carrier, .everywhere: true
      // In IPv6 these need the name of an interface, and mean another on each machine.
      case .link: !text.contains(":")
      case .machine, .nowhere: false
      }
    }
    let chosen = others.isEmpty ? scoped.filter { $0.1 == .machine } : others
    let texts = chosen.map(\.0)
    return texts.filter { !$0.contains(":") } + texts.filter { $0.contains(":") }
  }
}
