import GroupActivities
import PartyTesting
import Testing

@testable import VoteTogether

@Suite("Votes in a party")
struct BallotBoxTests {
  @Test("Each participant counts all votes, the last one of each, and a late joiner too")
  func counts() async throws {
    let broker = MemoryBroker()
    let host = try await Party.create(
      Party.Founding(), addresses: [try #require(Invite.Address("memory:1"))], name: "Ana",
      transport: broker.transport())
    let ben = try await Party.join(host.invite, name: "Ben", transport: broker.transport())
    try await VoteTogether(.skip, on: "film").activate(in: host)
    var boxes: [BallotBox] = []
    for party in [host, ben] { boxes.append(try await box(in: party)) }
    try await boxes[0].vote(false, as: host.localID)
    try await boxes[0].vote(true, as: host.localID)
    try await boxes[1].vote(false, as: ben.localID)
    let chi = try await Party.join(host.invite, name: "Chi", transport: broker.transport())
    boxes.append(try await box(in: chi))
    try await boxes[2].vote(true, as: chi.localID)
    let all = [host.localID: true, ben.localID: false, chi.localID: true]
    for box in boxes {
      var last: [Participant.ID: Bool]?
      for await votes in box.counts {
        last = votes
        if votes == all { break }
      }
      #expect(last == all)
    }
    for party in [chi, ben, host] { await party.leave() }
  }

  private func box(in party: Party) async throws -> BallotBox {
    for await session in await VoteTogether.sessions(in: party) {
      #expect(session.activity.proposal == .skip && session.activity.item == "film")
      let box = BallotBox(session: session)
      await box.join()
      return box
    }
    throw PartyError.sessionOver
  }
}
