import Foundation
import PartyTesting
import Testing
import Timekeeping

@testable import GroupActivities
@testable import HostileTesting

/// A host opens its party again, and an attacker replays a choice that the host made before.
@Suite("Sessions of a party that is opened again")
struct ReopenedSessionTests {
  @Test("The host's choice from before the reopening has no effect", .timeLimit(.minutes(1)))
  func replay() async throws {
    let (founding, broker) = (Party.Founding(), MemoryBroker())
    let addresses = [Invite.Address("127.0.0.1:62846")!]
    let identity = ParticipantIdentity()
    func mallory(in party: Party) async throws -> HostileGuest {
      let guest = try await HostileGuest(
        party.invite, transport: broker.transport(), identity: identity)
      try guest.introduce(as: HostileGuest.beacon())
      _ = try await Evening.until("Mallory arrives", party) { event in
        if case .participantJoined = event { true } else { false }
      }
      return guest
    }
    let ana = try await Party.create(
      founding, addresses: addresses, name: "Ana", transport: broker.transport())
    let before = try await mallory(in: ana)
    try await Film(title: "Countdown").activate(in: ana)
    let register = try await before.session()
    await before.leave()
    let log = await ana.policyLog
    await ana.leave()

    let reopening = try #require(
      Party.Founding(reopening: founding.invite(addresses: addresses), as: founding.identity))
    let again = try await Party.create(
      reopening, addresses: addresses, name: "Ana", transport: broker.transport(), policyLog: log)
    let guest = try await mallory(in: again)
    try guest.say(.state(register))
    try guest.say(.session(register))
    try guest.say(.chat(ChatText(text: "done")))
    _ = try await Evening.until("Mallory is heard", again) { event in
      if case .chat(_, "done") = event { true } else { false }
    }
    let sessions = await again.machine.sessions.all
    #expect(sessions.isEmpty)
    // A choice that the host makes now counts.
    try await Film(title: "Another").activate(in: again)
    let chosen = try await guest.session()
    let opening = await again.machine.policyLog.opening?.number
    #expect(chosen.opening != nil && chosen.opening == opening)
    await guest.leave()
    await again.leave()
  }

  /// Ana, whose program ended, opens the party again.
  private func reopen(_ gathering: inout Gathering) {
    var configuration = gathering.members[0].machine.configuration
    configuration.epoch += 1
    configuration.policyLog = gathering.members[0].machine.policyLog
    configuration.opening = (configuration.opening ?? 0) + 7
    gathering.members[0].machine = PartyMachine(configuration)
    gathering.arrive(0)
  }

  @Test("A latecomer who never met the host takes its choice from another member")
  func latecomer() {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.arrive(0)
    gathering.activate("old film", by: 0)
    let old = gathering.members[0].machine.session!
    gathering.vanish(0)
    reopen(&gathering)
    gathering.run(for: .seconds(1))
    #expect(gathering.members[0].machine.session == nil)
    gathering.arrive(1)
    gathering.run(for: .seconds(2))
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(2))
    gathering.leave(0)
    gathering.run(for: .seconds(2))
    gathering.arrive(2)
    gathering.run(for: .seconds(4))
    for index in 1...2 {
      gathering.act(index) { $0.sessionReceived(old, at: $1) }
      let session = gathering.members[index].machine.session
      #expect(session?.activity == Data("film".utf8) && session?.opening == 7)
    }
  }

  @Test("The numbers of openings increase, also when the wall clock was set back")
  func numbers() {
    var gathering = Gathering("Ana")
    for number in [7, 14] as [UInt64] {
      reopen(&gathering)
      #expect(gathering.members[0].machine.policyLog.opening?.number == number)
    }
    gathering.members[0].machine.configuration.opening = nil
    reopen(&gathering)
    #expect(gathering.members[0].machine.policyLog.opening?.number == 15)
  }

  @Test(
    "Members that stayed continue what they watch, if they may decide", arguments: [true, false])
  func stayed(mayDecide: Bool) {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    if !mayDecide { gathering.act(0) { $0.amend(.control(.hosts), at: $1)! } }
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(1))
    let session = gathering.members[1].machine.session!
    for index in 1...2 { gathering.act(index) { $0.joinSession(session.id, at: $1) } }
    gathering.run(for: .seconds(15))
    gathering.vanish(0)
    gathering.run(for: .seconds(10))
    reopen(&gathering)
    gathering.run(for: .seconds(5))
    let held = gathering.members.map(\.machine.session)
    #expect(Set(held).count == 1)
    if mayDecide {
      #expect(held[0]?.id == session.id && held[0]?.activity == session.activity)
      #expect(held[0]?.stamp.participant != Gathering.id(0) && held[0]?.opening == 7)
      #expect(gathering.members[1].machine.sessions.joined == [session.id])
    } else {
      #expect(held[0] == nil)
      for index in 1...2 {
        let events = gathering.members[index].events
        #expect(events.contains(.sessionReplaced(session.id, by: Gathering.id(0))))
      }
    }
  }
}
