import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

@Suite("The party's session")
struct SessionTests {
  static func register(
    _ time: Int64, by participant: Participant.ID, activity: String = "film", ended: Bool = false
  ) -> SessionRegister {
    SessionRegister(
      id: GroupSessionID(rawValue: UInt64(bitPattern: time)),
      stamp: Stamp(time: time, participant: participant), initiator: participant,
      activityIdentifier: "watch", activity: Data(activity.utf8), ended: ended)
  }

  func activity(_ gathering: Gathering, _ index: Int) -> String? {
    gathering.members[index].machine.session.map { String(decoding: $0.activity, as: UTF8.self) }
  }

  @Test("A session reaches everybody, its maker and latecomers included")
  func reaches() {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.arrive(0, 1)
    gathering.run(for: .seconds(2))
    gathering.activate("film", by: 1)
    gathering.run(for: .seconds(1))
    gathering.arrive(2)
    gathering.run(for: .seconds(3))
    for index in 0..<3 {
      #expect(activity(gathering, index) == "film")
      let reports = gathering.members[index].events.filter {
        if case .sessionChanged(_, by: Gathering.id(1)) = $0 { true } else { false }
      }
      #expect(reports.count == 1)
    }
  }

  @Test("The newest register wins in whatever order they come")
  func newestWins() {
    var gathering = Gathering("Ana", "Ben")
    gathering.gather()
    let base = gathering.groupTime(0)!.nanoseconds
    let registers = [1, 2, 3].map { Self.register(base + $0, by: Gathering.id(1)) }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var machine = gathering.members[0].machine
      for index in order {
        _ = machine.take(registers[index], at: gathering.host(0))
        _ = machine.take(registers[index], at: gathering.host(0))
      }
      #expect(machine.session == registers[2], "order \(order)")
    }
  }

  @Test("Of two registers of one instant everybody keeps the same one")
  func tie() {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.gather()
    let base = gathering.groupTime(0)!.nanoseconds
    let pair = [1, 2].map { Self.register(base, by: Gathering.id($0)) }
    var (one, other) = (gathering.members[0].machine, gathering.members[0].machine)
    for register in pair { _ = one.take(register, at: gathering.host(0)) }
    for register in pair.reversed() { _ = other.take(register, at: gathering.host(0)) }
    #expect(one.session == other.session)
  }

  @Test("Two who choose at the same moment end with the same activity")
  func crossing() {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.gather()
    gathering.activate("one", by: 0)
    gathering.activate("other", by: 1)
    gathering.run(for: .seconds(3))
    #expect(activity(gathering, 0) == activity(gathering, 1))
    #expect(activity(gathering, 0) == activity(gathering, 2))
    #expect(activity(gathering, 0) != nil)
  }

  @Test("A lost choice heals with the next beacon")
  func lostChoice() {
    var gathering = Gathering("Ana", "Ben")
    gathering.gather()
    gathering.isLost = { if case .session = $0.message { true } else { false } }
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(2))
    #expect(activity(gathering, 1) == "film")
  }

  @Test("The end of a session is the end for everybody, also for who comes later")
  func end() {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.arrive(0, 1)
    gathering.run(for: .seconds(2))
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(1))
    let id = gathering.members[1].machine.session!.id
    for index in 0..<2 { gathering.act(index) { $0.joinSession(id, at: $1) } }
    gathering.run(for: .seconds(1))
    gathering.act(1) { $0.changeSession(id, at: $1) { $0.ended = true }! }
    gathering.run(for: .seconds(1))
    gathering.arrive(2)
    gathering.run(for: .seconds(3))
    for index in 0..<3 {
      #expect(gathering.members[index].machine.session?.ended == true)
      #expect(gathering.members[index].machine.joinedSession == nil)
      #expect(gathering.members[index].machine.sessionMembers.isEmpty)
    }
    #expect(gathering.members[0].machine.changeSession(id, at: gathering.host(0)) { _ in } == nil)
  }

  @Test("A stamp from the far future is refused, and later choices still count")
  func farFuture() {
    var gathering = Gathering("Ana", "Ben")
    gathering.gather()
    let now = gathering.groupTime(0)!.nanoseconds
    var invalid = gathering.members[0].machine.rejections.invalid
    for time in [now + 11_000_000_000, .max] {
      gathering.hand(
        .fromBen(.state(Self.register(time, by: Gathering.id(1))), .direct, 0), to: 0)
      invalid += 1
    }
    #expect(gathering.members[0].machine.session == nil)
    #expect(gathering.members[0].machine.rejections.invalid == invalid)
    // Within the tolerance it is taken, and whoever chooses next still wins.
    gathering.hand(
      .fromBen(.state(Self.register(now + 9_000_000_000, by: Gathering.id(1))), .direct, 0), to: 0)
    gathering.activate("mine", by: 0)
    gathering.run(for: .seconds(2))
    #expect(activity(gathering, 0) == "mine" && activity(gathering, 1) == "mine")
  }

  @Test("A newcomer that doesn't know the time yet takes no register whose stamp it can't judge")
  func unknownTime() {
    var machine = PartyMachine(
      PartyMachine.Configuration(
        id: Gathering.id(0), epoch: 1, party: Gathering.id(1), name: "Ana", random: .seeded(1)))
    _ = machine.connected(at: HostTime(nanoseconds: 0))
    _ = machine.take(Self.register(.max, by: Gathering.id(1)), at: HostTime(nanoseconds: 0))
    #expect(machine.session == nil)
  }

  @Test("A register over the limits is refused")
  func limits() {
    var gathering = Gathering("Ana", "Ben")
    gathering.gather()
    var register = Self.register(gathering.groupTime(0)!.nanoseconds, by: Gathering.id(1))
    register.activity = Data(count: SessionRegister.activityLimit + 1)
    gathering.hand(.fromBen(.state(register), .direct, 0), to: 0)
    register.activity = Data()
    register.activityIdentifier = String(
      repeating: "x", count: SessionRegister.identifierLimit + 1)
    gathering.hand(.fromBen(.state(register), .direct, 0), to: 0)
    #expect(gathering.members[0].machine.session == nil)
    #expect(gathering.members[0].machine.rejections.invalid == 2)
  }

  @Test("Who joined and who left a session is known to everybody")
  func members() {
    var gathering = Gathering("Ana", "Ben")
    gathering.gather()
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(1))
    let id = gathering.members[0].machine.session!.id
    for index in 0..<2 { gathering.act(index) { $0.joinSession(id, at: $1) } }
    gathering.run(for: .seconds(1))
    #expect(gathering.members[1].machine.sessionMembers.map(\.name) == ["Ben", "Ana"])
    gathering.act(0) { $0.joinSession(nil, at: $1) }
    gathering.run(for: .seconds(1))
    #expect(gathering.members[1].machine.sessionMembers.map(\.name) == ["Ben"])
  }
}
