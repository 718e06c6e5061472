import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Sealed envelopes")
struct EnvelopeTests {
  let party = Participant.ID(high: 1, low: 2)
  let secret = PartySecret()
  let ana = ParticipantIdentity()
  let ben = ParticipantIdentity()
  let subject = "matinee.x.all"

  func sealer(_ identity: ParticipantIdentity, secret: PartySecret? = nil) -> EnvelopeSealer {
    EnvelopeSealer(
      party: party, identity: identity,
      keys: PartyKeys(secret: secret ?? self.secret, party: party))
  }

  var envelope: Envelope {
    Envelope(sender: ana.id, epoch: 7, delivery: .event, sequence: 3, payload: Array("hello".utf8))
  }

  @Test("A member can open what another member sealed, and learns the sender's id")
  func roundTrip() throws {
    let sealed = sealer(ana).seal(envelope, for: subject, under: .invite)
    let opened = try sealer(ben).open(sealed, from: subject)
    #expect(opened.original.count == sealed.count - 5 - 12 - 16)
    #expect(try sealer(ben).verify(opened.original, from: subject) == opened)
    #expect(opened == envelope)
    #expect(sealed.count == envelope.payload.count + EnvelopeSealer.overhead)
  }

  @Test("A participant can't seal under another participant's id")
  func borrowedName() throws {
    var claim = envelope
    claim.sender = ben.id
    let sealed = sealer(ana).seal(claim, for: subject, under: .invite)
    #expect(try sealer(ben).open(sealed, from: subject).sender == ana.id)
  }

  @Test("A change of any byte is noticed")
  func tampering() {
    let sealed = sealer(ana).seal(envelope, for: subject, under: .invite)
    let opener = sealer(ben)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: EnvelopeError.self) { try opener.open(changed, from: subject) }
    }
    for length in 0..<sealed.count {
      #expect(throws: EnvelopeError.self) {
        try opener.open(Array(sealed.prefix(length)), from: subject)
      }
    }
  }

  @Test("A message moved to another subject, party or secret can't be opened")
  func misplaced() {
    let sealed = sealer(ana).seal(envelope, for: subject, under: .invite)
    #expect(throws: EnvelopeError.notSealedForUs) {
      try sealer(ben).open(sealed, from: "matinee.x.to.somebody")
    }
    #expect(throws: EnvelopeError.notSealedForUs) {
      try sealer(ben, secret: PartySecret()).open(sealed, from: subject)
    }
    let elsewhere = EnvelopeSealer(
      party: Participant.ID(high: 9, low: 9), identity: ben,
      keys: PartyKeys(secret: secret, party: Participant.ID(high: 9, low: 9)))
    #expect(throws: EnvelopeError.notSealedForUs) { try elsewhere.open(sealed, from: subject) }
  }

  @Test("An envelope without effect is not verified, and an earlier envelope is recognized")
  func repeated() throws {
    let sealed = sealer(ana).seal(envelope, for: subject, under: .invite)
    let original = try sealer(ben).unseal(sealed, from: subject)
    let claims = try #require(sealer(ben).claims(of: original))
    #expect(claims.heading == .init(sender: ana.id, epoch: 7, delivery: .event, sequence: 3))
    #expect(Array(claims.payload) == envelope.payload)
    #expect(sealer(ben).claims(of: Array(original.dropLast(envelope.payload.count + 1))) == nil)
    var sorter = MessageSorter(sealer: sealer(ben))
    let message = TransportMessage(
      subject: subject, payload: sealed, receivedAt: HostTime(nanoseconds: 1))
    let (first, second) = (sorter.sort(.received(message)), sorter.sort(.received(message)))
    if case .message = first {} else { Issue.record("not opened: \(first)") }
    if case .refused(.repeated, count: 1) = second {
    } else {
      Issue.record("not recognized: \(second)")
    }
    var seen = SeenEnvelopes()
    let fingerprint = SeenEnvelopes.Fingerprint(of: sealed, from: subject)
    #expect(!seen.contains(fingerprint))
    seen.insert(fingerprint)
    #expect(seen.contains(SeenEnvelopes.Fingerprint(of: sealed, from: subject)))
    #expect(!seen.contains(SeenEnvelopes.Fingerprint(of: sealed, from: subject + "x")))
    let again = sealer(ana).seal(envelope, for: subject, under: .invite)
    #expect(!seen.contains(SeenEnvelopes.Fingerprint(of: again, from: subject)))
    for number in 0..<SeenEnvelopes.capacity {
      let other: [UInt8] = [UInt8(number & 255), UInt8(number >> 8)]
      seen.insert(SeenEnvelopes.Fingerprint(of: other, from: "x"))
    }
    #expect(!seen.contains(fingerprint), "the memory is bounded")
  }

  @Test("A message under another key opens with that key alone, and its name can't be changed")
  func otherKey() throws {
    let secret = try #require(
      EpochSecret(epoch: KeyEpoch(rawValue: 5), bytes: [UInt8](repeating: 9, count: 32)))
    let (from, to) = (sealer(ana), sealer(ben))
    from.ring.update(to: 1, [secret])
    let sealed = from.seal(envelope, for: subject, under: secret.id)
    #expect(Array(sealed[1..<5]) == secret.id.binary)
    #expect(throws: EnvelopeError.unknownKey(secret.id)) { try to.open(sealed, from: subject) }
    to.ring.update(to: 1, [secret])
    #expect(try to.open(sealed, from: subject) == envelope)
    let renamed = sealed[..<1] + ContentKeyID.invite.binary + sealed[5...]
    #expect(throws: EnvelopeError.notSealedForUs) { try to.open(Array(renamed), from: subject) }
    to.ring.update(to: 2, [])
    #expect(throws: EnvelopeError.unknownKey(secret.id)) { try to.open(sealed, from: subject) }
  }

  @Test("The keys for different purposes differ")
  func separation() {
    let keys = PartyKeys(secret: secret, party: party)
    let other = PartyKeys(secret: PartySecret(), party: party)
    #expect(keys.admission.publicKey != other.admission.publicKey)
    #expect(keys.subjects != other.subjects)
    #expect(keys.content.withUnsafeBytes { Array($0) } != keys.admission.publicKey)
  }
}
