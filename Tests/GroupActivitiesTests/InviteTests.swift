import Foundation
import Testing

@testable import GroupActivities

@Suite("Invites")
struct InviteTests {
  static let party = Participant.ID("00112233445566778899aabbccddeeff")!
  static let invite = Invite(
    addresses: [Invite.Address("10.0.0.2:62846")!, Invite.Address("[fd00::1]:62846")!],
    party: party, secret: PartySecret())

  @Test("An invite is read back as it was written")
  func roundTrip() throws {
    let text = Self.invite.text
    #expect(
      text.hasPrefix("matinee://10.0.0.2:62846,[fd00::1]:62846/00112233445566778899aabbccddeeff#"))
    #expect(try Invite(text) == Self.invite)
    #expect(try Invite("  <\(text)>\n") == Self.invite)
  }

  @Test(
    "To join a party that was found without its invite, the secret or the whole invite is enough")
  func foundParty() throws {
    let found = [Invite.Address("192.168.1.5:62846")!]
    let secret = String(Self.invite.text.split(separator: "#")[1])
    let expected = Self.invite.at(found)
    for text in [secret, "#" + secret, "  \(secret)\n", "'\(secret)'"] {
      #expect(try Invite(text, toParty: Self.party, foundAt: found) == expected)
    }
    // The whole invite: the addresses that were found come first.
    #expect(
      try Invite(Self.invite.text, toParty: Self.party, foundAt: found)
        == Self.invite.at(found + Self.invite.addresses))
    #expect(
      try Invite(Self.invite.text, toParty: Self.party, foundAt: [Self.invite.addresses[1]])
        == Self.invite.at(Self.invite.addresses.reversed()))
    // An invite to another party stays unchanged.
    let other = Participant.ID("ffeeddccbbaa99887766554433221100")!
    #expect(try Invite(Self.invite.text, toParty: other, foundAt: found) == Self.invite)
    #expect(throws: InviteError.damagedSecret) {
      try Invite(String(secret.dropLast()), toParty: Self.party, foundAt: found)
    }
    #expect(throws: InviteError.empty) { try Invite(" ", toParty: Self.party, foundAt: found) }
    #expect(throws: InviteError.notAnInvite) {
      try Invite("https://example.org/#a", toParty: Self.party, foundAt: found)
    }
  }

  @Test("A damaged invite is refused, and the message names the fault")
  func damage() {
    let text = Self.invite.text
    #expect(throws: InviteError.empty) { try Invite(" \n") }
    #expect(throws: InviteError.notAnInvite) { try Invite("https://example.org/#a") }
    #expect(throws: InviteError.missingSecret) {
      try Invite(String(text.prefix { $0 != "#" }))
    }
    for mark in ["", "tls ", "TLS", "AAAA", "tls+tls", String(repeating: "/", count: 43)] {
      #expect(Invite.Address("10.0.0.2:62846+\(mark)") == nil)
    }
    #expect(throws: InviteError.damagedSecret) { try Invite(String(text.dropLast())) }
    #expect(throws: InviteError.damagedSecret) { try Invite(text + "A") }
    #expect(throws: InviteError.damagedParty) {
      try Invite(text.replacingOccurrences(of: "/0011", with: "/0g11"))
    }
    #expect(throws: InviteError.damagedAddress("10.0.0.2:99999")) {
      try Invite(text.replacingOccurrences(of: "10.0.0.2:62846", with: "10.0.0.2:99999"))
    }
    #expect(throws: InviteError.tooLong) {
      try Invite("matinee://" + String(repeating: "a", count: 4000))
    }
  }

  private static func offer(
    _ number: UInt64, _ addresses: [Invite.Address], reached: [Invite.Address],
    isCreators: Bool = false
  ) -> RelayOffer {
    RelayOffer(
      owner: Participant.ID(high: 0, low: number), addresses: addresses, isCreators: isCreators,
      isPresent: true, isKept: false, reached: reached, reach: .everybody,
      joinedAt: Int64(number))
  }

  private static func addresses(_ network: Int) -> [Invite.Address] {
    (1...4).map { Invite.Address(host: "192.0.\(network).\($0)", port: 62846)! }
  }

  @Test("An address may require TLS, with an authority's word or one certificate")
  func security() throws {
    let certificate = CertificateFingerprint(ofCertificate: [1, 2, 3])
    for security in [Invite.Address.Security.authority, .certificate(certificate)] {
      for host in ["10.0.0.2", "fd00::1", "relay.example"] {
        let address = try #require(Invite.Address(host: host, port: 62846, security: security))
        #expect(address.text.hasSuffix(":62846+\(security.text)"))
        #expect(Invite.Address(address.text) == address)
        #expect(address != Invite.Address(host: host, port: 62846))
        guard StandbyReport.isOfferable(address) else { continue }
        let report = StandbyReport(addresses: [address])
        #expect(try StandbyReport(binary: report.binary) == report)
      }
    }
  }

  @Test("An invite names only relays that this program has reached, and each where it did")
  func naming() {
    let (claimed, reached, creators) = (Self.addresses(1), Self.addresses(2), Self.addresses(3))
    let offers = [
      Self.offer(1, creators, reached: [creators[1]], isCreators: true),
      Self.offer(2, claimed, reached: []), Self.offer(3, reached, reached: [reached[2]]),
    ]
    let own = Self.invite.addresses
    #expect(Self.invite.naming(nil, and: offers).addresses == [creators[1], reached[2]] + own)
    #expect(Self.invite.naming(own, and: offers).addresses == own + [reached[2]])
  }

  @Test("A guest's invite has three addresses at most, the host's first")
  func abridged() {
    let (standby, creators) = (Self.addresses(2), Self.addresses(3))
    let host = Self.offer(1, creators, reached: [creators[1]], isCreators: true)
    let guest = Self.offer(2, standby, reached: [standby[2]])
    let invite = Self.invite.at(creators + [standby[2]])
    #expect(
      invite.abridged(knowing: [host, guest]).addresses == [creators[1], creators[0], creators[2]])
    #expect(
      invite.abridged(knowing: [guest]).addresses == [standby[2], creators[0], creators[1]])
    #expect(Self.invite.abridged(knowing: []).addresses == Array(Self.invite.addresses.prefix(3)))
  }

  @Test("No party's invite is longer than an invite may be")
  func longest() throws {
    let long = (0..<40).map {
      Invite.Address(host: String(repeating: "a", count: 253) + "\($0 + 10)", port: 65535)!
    }
    let six = (0..<8).map { owner in
      (0..<4).map { part in
        Invite.Address(host: "ffff:ffff:ffff:ffff:ffff:ffff:255.255.\(owner).\(part)", port: 65535)!
      }
    }
    let offers = six.enumerated().map { Self.offer(UInt64($0), $1, reached: $1) }
    let given = Self.invite.at(long)
    let found = try Invite(Self.invite.text, toParty: Self.party, foundAt: long)
    for invite in [given, found] {
      #expect(invite.addresses.first == long[0])
      #expect(try Invite(invite.text) == invite)
    }
    for invite in [
      given.naming(nil, and: offers), given.naming(long, and: offers),
      Self.invite.naming(nil, and: offers), Self.invite.naming(six.flatMap { $0 }, and: offers),
    ] {
      #expect(invite.text.utf8.count <= 1024)
      #expect(try Invite(invite.text) == invite)
    }
  }

  @Test(
    "An IP address is told from a name, and this machine's from others",
    arguments: [
      ("192.0.2.1", true, false), ("2001:db8::1", true, false), ("127.1.2.3", true, true),
      ("0.0.0.0", true, true), ("0:0::1", true, true), ("::ffff:127.0.0.1", true, true),
      ("localhost", false, true), ("relay.example.org", false, false), ("127.1", false, false),
      ("fe80::1%eth0", false, false), ("0x7f000001", false, false),
    ])
  func addressKinds(host: String, isNumeric: Bool, isLoopback: Bool) throws {
    let address = try #require(Invite.Address(host: host, port: 1))
    #expect(StandbyReport.isOfferable(address) == isNumeric)
    #expect(address.isLoopback == isLoopback)
  }

  @Test("Every change of a single character of the secret makes another secret or none")
  func changedSecret() {
    let text = Self.invite.text
    let start = text.index(after: text.firstIndex(of: "#")!)
    for index in text[start...].indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      #expect((try? Invite(changed))?.secret != Self.invite.secret)
    }
  }

  @Test("A secret never shows in a description")
  func descriptions() {
    let secret = Self.invite.secret.text
    for text in ["\(Self.invite)", "\(Self.invite.secret)", String(reflecting: Self.invite.secret)]
    {
      #expect(!text.contains(secret))
    }
  }
}
