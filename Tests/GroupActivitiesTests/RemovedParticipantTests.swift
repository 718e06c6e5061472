import Foundation
import PartyTesting
import Testing
import Timekeeping

@testable import GroupActivities

/// Everything that a participant ever held: the invite, all secrets of epochs, and the private key for which secrets
/// were sealed.
struct FullState: Sendable {
  let sealer: EnvelopeSealer
  let exchange: KeyExchange
  let secrets: [EpochSecret]
  let subjects: PartySubjects

  init(of party: Party) async {
    let machine = await party.machine
    secrets = machine.policy.keys.openable
    exchange = machine.policy.keys.exchange
    let keys = PartyKeys(secret: party.invite.secret, party: party.invite.party)
    subjects = keys.subjects
    sealer = EnvelopeSealer(
      party: party.invite.party, identity: ParticipantIdentity(), keys: keys)
    sealer.ring.update(to: 1, secrets)
  }

  /// Opens what can be opened of a broker's record.
  func read(_ traffic: some Sequence<TransportMessage>) -> [(author: Participant.ID, WireMessage)] {
    traffic.compactMap { message in
      guard let envelope = try? sealer.open(message.payload, from: message.subject),
        let wire = try? WireMessage(decoding: envelope.payload, as: envelope.delivery)
      else { return nil }
      return (envelope.sender, wire)
    }
  }

  /// Returns the number of sealed secrets in messages that open, whomever they are for.
  func openedSecrets(in messages: [WireMessage]) -> Int {
    var count = 0
    for case .direct(.keyShares(let shares)) in messages {
      for share in shares.shares {
        let context = shares.epoch.rawValue.bigEndianBytes + share.recipient.bytes
        if exchange.open(share.sealed, context) != nil { count += 1 }
      }
    }
    return count
  }
}

@Suite("A removed participant")
struct RemovedParticipantTests {
  private func rules(
    _ party: Party, where isTrue: @escaping @Sendable (PartyRules) -> Bool
  ) async throws {
    if isTrue(await party.rules) { return }
    _ = try await first(of: party.events) {
      if case .rulesChanged(let rules, _, _) = $0 { isTrue(rules) } else { false }
    }
  }

  private func hears(_ text: String, _ party: Party) async throws {
    let event = try await first(of: party.events) {
      if case .chat(_, text) = $0 { true } else { false }
    }
    #expect(event != nil)
  }

  private func isOver(_ party: Party) async throws {
    let end = try await first(of: party.events) { if case .closed = $0 { true } else { false } }
    if case .closed(.removed) = end {} else { Issue.record("ended: \(String(describing: end))") }
  }

  /// Returns the chat texts among messages.
  private func chats(_ messages: [(author: Participant.ID, WireMessage)]) -> [String] {
    messages.compactMap { if case .event(.chat(let chat)) = $0.1 { chat.text } else { nil } }
  }

  /// Checks that a removed participant's state reads only what everyone with an invite may read.
  private func expectBlind(
    _ state: FullState, on traffic: some Sequence<TransportMessage>, to honest: Set<Participant.ID>
  ) {
    let read = state.read(traffic)
    for (author, message) in read where honest.contains(author) {
      #expect(message.confidentiality == .invite, "it reads \(message)")
    }
    #expect(chats(read).isEmpty)
    #expect(state.openedSecrets(in: read.map(\.1)) == 0)
  }

  @Test("With all that it holds and all that the broker carried, it reads nothing of the new epoch")
  func removal() async throws {
    try await PartyRoom.run { room in
      let ana = try await room.enter("Ana")
      let ben = try await room.enter("Ben")
      let mallory = try await room.enter("Mallory")
      try await ana.sendChat("before")
      try await hears("before", mallory)
      let removal = room.broker.traffic.count
      try await ana.amend(.remove(mallory.localID))
      try await isOver(mallory)
      let id = mallory.localID
      try await rules(ben) { $0.removed == [id] }
      let start = room.broker.traffic.count
      let state = await FullState(of: mallory)
      try await ana.sendChat("after, by Ana")
      try await hears("after, by Ana", ben)
      try await ben.sendChat("after, by Ben")
      try await hears("after, by Ben", ana)
      // A newcomer with the invite: it gets the key of the epoch.
      let dov = try await room.enter("Dov")
      try await ana.sendChat("hello Dov")
      try await hears("hello Dov", dov)
      try await dov.sendChat("hello Ana")
      try await hears("hello Ana", ben)
      // Closed, and open again.
      let all = await ana.participants.map(\.id)
      try await ana.amend(.close(admitting: all))
      try await rules(dov) { $0.admitted != nil }
      try await dov.sendChat("behind closed doors")
      try await hears("behind closed doors", ben)
      try await ana.amend(.open)
      try await rules(ben) { $0.admitted == nil }
      try await ben.sendChat("open again")
      try await hears("open again", ana)

      let traffic = room.broker.traffic[start...]
      expectBlind(state, on: traffic, to: [ana.localID, ben.localID])
      // The secrets of the new epoch travel before the removal itself. Ben's state opens his.
      let since = room.broker.traffic[removal...]
      #expect(state.openedSecrets(in: state.read(since).map(\.1)) == 0)
      let remaining = await FullState(of: ben)
      #expect(remaining.openedSecrets(in: remaining.read(since).map(\.1)) > 0)
      // The control: a remaining participant's state reads everything.
      let texts = chats(remaining.read(traffic))
      #expect(
        Set(texts) == [
          "after, by Ana", "after, by Ben", "hello Dov", "hello Ana", "behind closed doors",
          "open again",
        ])
      #expect(chats(state.read(room.broker.traffic[..<start])) == ["before"])
      // A participant that comes later reads nothing of the time when the party was closed.
      let eve = try await room.enter("Eve")
      try await ana.sendChat("hello Eve")
      try await hears("hello Eve", eve)
      let late = chats(await FullState(of: eve).read(traffic))
      #expect(late == ["open again"], "a newcomer reads nothing from before the opening")
    }
  }

  @Test("It reads nothing after the host has ended the party and opened it again")
  func reopened() async throws {
    let broker = MemoryBroker()
    let founding = Party.Founding()
    let addresses = [Invite.Address("memory:1")!]
    let ana = try await Party.create(
      founding, addresses: addresses, name: "Ana", transport: broker.transport())
    let identity = ParticipantIdentity()
    let mallory = try await Party.join(
      ana.invite, as: identity, name: "Mallory", transport: broker.transport())
    try await ana.amend(.remove(mallory.localID))
    try await isOver(mallory)
    let state = await FullState(of: mallory)
    let log = await ana.policyLog
    await ana.leave(closesParty: true)

    let again = try #require(Party.Founding(reopening: ana.invite, as: founding.identity))
    let start = broker.traffic.count
    let host = try await Party.create(
      again, addresses: addresses, name: "Ana", transport: broker.transport(), policyLog: log)
    let ben = try await Party.join(host.invite, name: "Ben", transport: broker.transport())
    try await host.sendChat("back again")
    try await hears("back again", ben)
    try await ben.sendChat("so am I")
    try await hears("so am I", host)
    // It returns as the same participant, and is turned away.
    await #expect(throws: PartyError.self) {
      try await Party.join(
        host.invite, as: identity, name: "Mallory", transport: broker.transport(),
        deadline: .seconds(1))
    }
    try await host.sendChat("still here")
    try await hears("still here", ben)
    expectBlind(state, on: broker.traffic[start...], to: [host.localID, ben.localID])
    await ben.leave()
    await host.leave()
  }

  @Test("A message that comes before its key is read as soon as the key is here")
  func overtaken() async throws {
    try await PartyRoom.run { room in
      let ana = try await room.enter("Ana")
      let ben = try await room.enter("Ben")
      let chi = try await room.enter("Chi")
      let id = chi.localID
      try await ana.amend(.remove(id))
      try await rules(ben) { $0.removed == [id] }
      // Ben's program loses the secret.
      await ben.forgetKeys()
      try await ana.sendChat("can you read this?")
      try await hears("can you read this?", ben)
      try await ben.sendChat("yes")
      try await hears("yes", ana)
    }
  }
}

extension Party {
  /// Begins with the keys of a new process.
  fileprivate func forgetKeys() {
    machine.policy.keys = KeyMachine(
      me: localID, exchange: .fresh(party: invite.party), authorship: authorship,
      rules: machine.rules, round: machine.policyLog.round)
    sealer.ring.update(to: 1000, [])
    perform([])
  }
}

@Suite("Removals at once")
struct ConcurrentRemovalTests {
  @Test(
    "The host and a co-host remove two participants at once: both are out, and one key is in use")
  func both() {
    for evening in UInt64(0)..<8 {
      var gathering = Gathering.gathered("Ana", "Ben", "Chi", "Dov", "Eve", evening: evening)
      gathering.act(0) { $0.amend(.appointCoHost(Gathering.id(1)), at: $1) ?? [] }
      gathering.run(for: .seconds(1))
      let (chi, dov) = (Gathering.id(2), Gathering.id(3))
      gathering.act(0) { $0.amend(.remove(chi), at: $1) ?? [] }
      gathering.act(1) { $0.amend(.remove(dov), at: $1) ?? [] }
      gathering.run(for: .seconds(10))
      let machines = [0, 1, 4].map { gathering.members[$0].machine }
      #expect(machines.map(\.rules.removed) == [[chi, dov], [chi, dov], [chi, dov]])
      let keys = Set(machines.map(\.policy.keys.sealing))
      #expect(keys.count == 1 && keys != [nil])
      for index in [2, 3] {
        #expect(
          gathering.members[index].events.contains { if case .removed = $0 { true } else { false } }
        )
        let held = gathering.members[index].machine.policy.keys
        #expect(!keys.contains { key in key.map { held.holds($0) } ?? true })
      }
    }
  }
}
