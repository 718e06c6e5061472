import Foundation
import PartyTesting
import Testing
import Timekeeping

@testable import GroupActivities

/// A host opens its party again, and a removed member replays the beginning of its policy log.
@Suite("The policy log of a party that is opened again")
struct PolicyLogTests {
  let founding = Party.Founding()
  let broker = MemoryBroker()
  let mallory = ParticipantIdentity()
  let addresses = [Invite.Address("127.0.0.1:62846")!]

  /// Ana makes Mallory a co-host and removes her again.
  ///
  /// - Returns: the whole log, and its beginning as Mallory kept it.
  private func evening() async throws -> (log: Data, beginning: [PolicyLog.Link]) {
    let ana = try await Party.create(
      founding, addresses: addresses, name: "Ana", transport: broker.transport())
    try await ana.amend(.control(.hosts))
    try await ana.amend(.appointCoHost(mallory.id))
    let beginning = await ana.machine.policyLog.links
    try await ana.amend(.remove(mallory.id))
    let log = await ana.policyLog
    await ana.leave()
    return (log, beginning)
  }

  private func reopened(_ log: Data?) async throws -> Party {
    let invite = founding.invite(addresses: addresses)
    let again = try #require(Party.Founding(reopening: invite, as: founding.identity))
    return try await Party.create(
      again, addresses: addresses, name: "Ana", transport: broker.transport(), policyLog: log)
  }

  /// Mallory sends a log to the host, under her own key.
  private func play(_ links: [PolicyLog.Link], to party: Party) async {
    let subject = founding.keys.subjects.only(founding.identity.id)
    let sealer = EnvelopeSealer(
      party: founding.identity.id, identity: mallory, keys: founding.keys)
    let sealed = sealer.seal(
      Envelope(
        sender: mallory.id, epoch: 1, delivery: .direct, sequence: 0,
        payload: DirectMessage.policyLog(PolicyLogLinks(links: links)).binary),
      for: subject, under: .invite)
    var sorter = MessageSorter(sealer: sealer)
    let item = sorter.sort(
      .received(TransportMessage(subject: subject, payload: sealed, receivedAt: .now())))
    await party.handle(InboundLanes.Turn(item: item))
  }

  @Test("A removed participant stays removed, also when the beginning of the log is replayed")
  func replay() async throws {
    let (log, beginning) = try await evening()
    let ana = try await reopened(log)
    #expect(await ana.rules.removed == [mallory.id])
    #expect(await ana.rules.control == .hosts)
    await play(beginning, to: ana)
    #expect(await ana.rules.role(of: mallory.id) == .guest)
    #expect(await ana.rules.removed == [mallory.id])
    // A branch of it, by the participant that was co-host then.
    var branch = try #require(
      PolicyLog(
        creator: founding.identity.id, PolicyLogLinks(links: beginning),
        authorship: .of(mallory, party: founding.identity.id)))
    let authorship = Authorship.of(mallory, party: founding.identity.id)
    let isMade = branch.amend(
      .close(admitting: [mallory.id]), by: mallory.id, authorship: authorship)
    #expect(isMade)
    await play(branch.links, to: ana)
    #expect(await ana.rules.removed == [mallory.id])
    #expect(await ana.rules.admitted == nil)
    await ana.leave()
  }

  @Test("No party opens with a log that can't be read or that another party's host signed")
  func damaged() async throws {
    let (log, _) = try await evening()
    await #expect(throws: PartyError.damagedPolicyLog) { try await reopened(Data("{}".utf8)) }
    await #expect(throws: PartyError.damagedPolicyLog) { try await reopened(log.dropLast()) }
    await #expect(throws: PartyError.damagedPolicyLog) {
      try await Party.create(
        Party.Founding(), addresses: addresses, name: "Ana", transport: broker.transport(),
        policyLog: log)
    }
  }
}
