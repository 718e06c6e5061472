import Testing
import Timekeeping

@testable import GroupActivities

/// The times of beacons and clock exchanges and the tolerance of silence follow from the number of
/// participants, which other participants report.
@Suite("Claims of thousands of participants")
struct CountClaimTests {
  private static func claiming(_ packet: Gathering.Packet) -> Gathering.Packet {
    var packet = packet
    if case .beacon(var beacon) = packet.message {
      beacon.count = .max
      packet.message = .beacon(beacon)
    } else if case .direct(.welcome(var welcome)) = packet.message {
      welcome.count = .max
      packet.message = .welcome(welcome)
    } else if case .direct(.probeReply(var reply)) = packet.message {
      reply.introduction?.beacon.count = .max
      packet.message = .probeReply(reply)
    }
    return packet
  }

  @Test("The reference's claim slows no participant, and silence is noticed as soon as without it")
  func reference() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi", "Dee")
    gathering.forge = { $0.from == Gathering.id(1) ? Self.claiming($0) : $0 }
    gathering.leave(0)
    gathering.run(for: .seconds(10))
    for index in 2...3 {
      let machine = gathering.members[index].machine
      #expect(machine.keeper.known == Gathering.id(1))
      #expect(machine.participantCount == 3)
      for due in [machine.presence.schedule.dueAt, machine.exchanges.at] {
        #expect(due! - gathering.host(index) <= .seconds(2))
      }
    }
    gathering.vanish(3)
    gathering.run(for: .seconds(6))
    #expect(!gathering.knows(2, 3))
  }

  @Test("A welcome's claim holds until the newcomer is admitted", arguments: 1...2)
  func welcome(present: Int) {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.arrive(0..<present, every: .seconds(2))
    gathering.forge = {
      if case .direct(.welcome) = $0.message { Self.claiming($0) } else { $0 }
    }
    gathering.arrive(present)
    gathering.run(for: .seconds(4))
    let newcomer = gathering.members[present].machine
    #expect(newcomer.ownArrival.question?.count == RosterPolicy.countLimit)
    #expect(newcomer.joinedAt != nil && newcomer.participantCount == present + 1)
    #expect(newcomer.clock.count >= 3)
    #expect(newcomer.exchanges.at! - gathering.host(present) <= .seconds(2))
    #expect(gathering.knows(0, present))
  }

  @Test("A participant believes at most twice as many participants as it noticed itself")
  func crowd() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.forge = { $0.from == Gathering.id(0) ? Self.claiming($0) : $0 }
    gathering.act(1) { machine, now in
      for number in 0..<15 {
        machine.seat(.init(high: 9, low: UInt64(number)), .of("\(number)"), at: now)
      }
      machine.rosterChanged()
      return []
    }
    gathering.run(for: .seconds(2))
    #expect(gathering.members[1].machine.participantCount == 2 * 18)
  }
}
