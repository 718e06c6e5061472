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
