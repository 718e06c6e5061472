import GroupActivities
import Screening
import Testing

@testable import Faces
@testable import MatineeKit
@testable import Reachability

@Suite("The addresses of a party")
struct ReachTests {
  private func address(_ text: String, on interface: String = "eth0") -> InterfaceAddress {
    InterfaceAddress(interface: interface, text: text)
  }

  private var home: [InterfaceAddress] {
    [address("192.168.1.5"), address("2a00:1450::5"), address("fe80::1"), address("127.0.0.1")]
  }

  private func mapping(_ external: String = "8.8.4.4", port: Int = 62846) -> PortMappingStatus {
    .mapped(
      PortMapping(
        method: .upnp, externalAddress: external, externalPort: port, port: 62846,
        lease: .seconds(600)))
  }

  private func reach(
    _ host: String = "*", _ interfaces: [InterfaceAddress]? = nil,
    mapping: PortMappingStatus? = nil
  ) -> Reach {
    Reach(host: host, port: 62846, interfaces: interfaces ?? home, mapping: mapping)
  }

  private func lines(_ reach: Reach) -> [String] {
    reach.places.map { "\($0.kind.rawValue) \($0.address.text)" }
  }

  @Test("A mapping by the router comes first, then IPv6, then the local network")
  func order() {
    let reach = reach(mapping: mapping(port: 50001))
    #expect(
      lines(reach) == [
        "public 8.8.4.4:50001", "ipv6 [2a00:1450::5]:62846", "lan 192.168.1.5:62846",
      ])
    #expect(reach.advice == nil && reach.router == .mapped)
    #expect(reach.news?.contains("8.8.4.4:50001") == true)
  }

  @Test("A failure is reported, with the port and the address to forward it to")
  func advice() {
    let refusal = PortMappingError(
      kind: .refused, code: 606, operation: "map port 62846", text: "Action not authorized")
    for status in [PortMappingStatus?.none, .noRouter, .refused(.upnp, refusal)] {
      let advice = reach(mapping: status).advice ?? ""
      #expect(advice.contains("Forward TCP port 62846 to 192.168.1.5 on your router"))
      #expect(advice.contains("--relay"))
    }
    #expect(reach(mapping: .refused(.upnp, refusal)).advice?.contains("not authorized") == true)
    #expect(reach(mapping: .searching).advice == nil)
    #expect(reach(mapping: .searching).awaitsRouter && reach(mapping: .searching).limit == nil)
    #expect(reach(mapping: .noRouter).limit == "Only people in your network can join.")
    #expect(!reach("*", [address("8.8.4.4")], mapping: .searching).awaitsRouter)
  }

  @Test("A host behind the provider's address translation isn't advised to forward a port")
  func carrier() {
    let reach = reach(mapping: .behindAnotherRouter(.natPMP, externalAddress: "100.64.3.4"))
    #expect(reach.advice?.contains("100.64.3.4") == true)
    #expect(reach.advice?.lowercased().contains("forward") == false)
    #expect(reach.advice?.contains("--relay") == true)
    #expect(reach.router == .behindAnother)
    #expect(!reach.places.contains { $0.kind == .internet })
  }

  @Test("A host behind a second router of its own is advised to forward in both")
  func secondRouter() {
    let reach = reach(mapping: .behindAnotherRouter(.upnp, externalAddress: "192.168.0.7"))
    #expect(reach.advice?.contains("192.168.0.7") == true)
    #expect(reach.advice?.contains("in both") == true)
  }

  @Test("A machine on the internet itself needs no router")
  func server() {
    let reach = reach("*", [address("8.8.4.4")], mapping: .noRouter)
    #expect(lines(reach) == ["public 8.8.4.4:62846"])
    #expect(reach.advice == nil)
  }

  @Test("Without a network, or on loopback, the host reads that the invite leads here only")
  func alone() {
    let offline = reach("*", [address("127.0.0.1", on: "lo")])
    #expect(lines(offline) == ["machine 127.0.0.1:62846"])
    #expect(offline.advice?.contains("isn't connected") == true)
    let loopback = reach("127.0.0.1")
    #expect(lines(loopback) == ["machine 127.0.0.1:62846"])
    #expect(loopback.advice?.contains("--listen") == true)
  }

  @Test("A host that listens on one address is reached at that address")
  func listen() {
    #expect(lines(reach("192.168.1.5")) == ["lan 192.168.1.5:62846"])
    #expect(lines(reach("0.0.0.0")) == ["lan 192.168.1.5:62846"])
    #expect(lines(reach("home.example.org")) == ["named home.example.org:62846"])
    #expect(reach("home.example.org").advice == nil)
  }
}

@Suite("Parties on the local network")
struct LocalPartyTests {
  private let id = Participant.ID("00112233445566778899aabbccddeeff")!

  private func service(
    party: String? = "00112233445566778899aabbccddeeff", version: String = "1", port: Int = 62846,
    addresses: [String]
  ) -> LocalService {
    var attributes = ["v": version]
    attributes["party"] = party
    return LocalService(
      name: "anything", type: LocalParty.serviceType, port: port, attributes: attributes,
      addresses: addresses)
  }

  @Test("An announcement holds the party's id and port, and no other data about it")
  func announcement() throws {
    let founding = Party.Founding()
    let service = LocalParty.announcement(of: founding.party, port: 62846)
    #expect(service.attributes == ["v": "1", "party": founding.party.description])
    #expect(service.name == PartyName.of(founding.party))
    let secret = founding.invite(addresses: [Invite.Address("a:1")!]).text.split(separator: "#")[1]
    #expect(!"\(service)".contains(secret))
  }

  @Test("An announcement names the certificate of a relay with TLS; another proof is ignored")
  func certificate() throws {
    let security = Invite.Address.Security.certificate(
      CertificateFingerprint(ofCertificate: [1, 2, 3]))
    var service = LocalParty.announcement(of: id, port: 62846, security: security)
    service.addresses = ["10.0.0.7"]
    #expect(LocalParty.all(among: [service]).first?.addresses.map(\.security) == [security])
    service.attributes["tls"] = "sha512"
    #expect(LocalParty.all(among: [service]).isEmpty)
  }

  @Test("An announcement seen through several interfaces is one party, with IPv4 first")
  func merged() {
    let parties = LocalParty.all(among: [
      service(addresses: ["fe80::1", "2a00:1450::5", "192.168.1.5"]),
      service(addresses: ["192.168.1.5", "127.0.0.1"]), service(addresses: ["10.0.0.7"]),
    ])
    #expect(parties.map(\.id) == [id])
    #expect(
      parties.first?.addresses.map(\.text)
        == ["192.168.1.5:62846", "[2a00:1450::5]:62846", "10.0.0.7:62846"])
    #expect(parties.first?.name == PartyName.of(id))
  }

  @Test("A party of this machine is offered too, by its own address if it has no other")
  func ownMachine() {
    let parties = LocalParty.all(among: [service(addresses: ["127.0.0.1"])])
    #expect(parties.first?.addresses.map(\.text) == ["127.0.0.1:62846"])
  }

  @Test("Foreign announcements are ignored, and a flood of them is cut off")
  func hostile() {
    let parties = LocalParty.all(among: [
      service(party: nil, addresses: ["10.0.0.1"]),
      service(party: "\u{1b}[2J", addresses: ["10.0.0.1"]),
      service(party: "00", addresses: ["10.0.0.1"]), service(version: "2", addresses: ["10.0.0.1"]),
      service(addresses: []), service(addresses: ["fe80::1"]),
      service(addresses: ["not an address"]),
    ])
    #expect(parties.isEmpty)
    let flood = (0..<500).map { index in
      service(
        party: String(repeating: "0", count: 29) + String(100 + index), port: 1000 + index,
        addresses: (1...200).map { "10.0.0.\($0)" })
    }
    let some = LocalParty.all(among: flood + flood)
    #expect(some.count == 32 && some.allSatisfy { $0.addresses.count == 8 })
  }
}
