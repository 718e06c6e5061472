import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

@Suite("The party's session")
struct SessionTests {
  static func register(
    _ time: Int64, by participant: Participant.ID, activity: String = "film",
    kind: String = "watch", ended: Bool = false
  ) -> SessionRegister {
    SessionRegister(
      id: GroupSessionID(rawValue: UInt64(bitPattern: time)),
      stamp: Stamp(time: time, participant: participant), initiator: participant,
      activityIdentifier: kind, activity: Data(activity.utf8), ended: ended)
  }

  func activity(_ gathering: Gathering, _ index: Int) -> String? {
    gathering.members[index].machine.session.map { String(decoding: $0.activity, as: UTF8.self) }
  }

  @Test("A session reaches all participants, including its author and late joiners")
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
    let gathering = Gathering.gathered("Ana", "Ben")
    let base = gathering.groupTime(0)!.nanoseconds
    let registers = [1, 2, 3].map { Self.register(base + $0, by: Gathering.id(1)) }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var machine = gathering.members[0].machine
      for index in order {
        _ = machine.sessionReceived(registers[index], at: gathering.host(0))
        _ = machine.sessionReceived(registers[index], at: gathering.host(0))
      }
      #expect(machine.session == registers[2], "order \(order)")
    }
  }

  @Test("All participants keep the same one of two registers of one instant")
  func tie() {
    let gathering = Gathering.gathered("Ana", "Ben", "Chi")
    let base = gathering.groupTime(0)!.nanoseconds
    let pair = [1, 2].map { Self.register(base, by: Gathering.id($0)) }
    var (one, other) = (gathering.members[0].machine, gathering.members[0].machine)
    for register in pair { _ = one.sessionReceived(register, at: gathering.host(0)) }
    for register in pair.reversed() { _ = other.sessionReceived(register, at: gathering.host(0)) }
    #expect(one.session == other.session)
  }

  @Test("Two participants who choose at the same moment end with the same activity")
  func crossing() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.activate("one", by: 0)
    gathering.activate("other", by: 1)
    gathering.run(for: .seconds(3))
    #expect(activity(gathering, 0) == activity(gathering, 1))
    #expect(activity(gathering, 0) == activity(gathering, 2))
    #expect(activity(gathering, 0) != nil)
  }

  @Test("A change of the rules leaves a choice alone that its author hasn't heard of")
  func choiceDuringAmendment() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.act(0) { $0.amend(.appointCoHost(Gathering.id(2)), at: $1)! }
    gathering.activate("Ben's", by: 1)
    gathering.run(for: .seconds(2))
    gathering.activate("Chi's", by: 2)
    gathering.run(for: .milliseconds(2))
    // Ben loses the right to decide, so Ana signs the film that she knows: Ben's.
    gathering.act(0) { $0.amend(.control(.hosts), at: $1)! }
    #expect(activity(gathering, 0) == "Ben's")
    #expect(gathering.members[0].machine.session?.stamp.participant == Gathering.id(0))
    gathering.run(for: .seconds(3))
    for index in 0..<3 { #expect(activity(gathering, index) == "Chi's") }
    // The next choice counts as ever.
    gathering.activate("Ana's", by: 0)
    gathering.run(for: .seconds(1))
    for index in 0..<3 { #expect(activity(gathering, index) == "Ana's") }
  }

  @Test("A lost choice is recovered with the next beacon")
  func lostChoice() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.isLost = { if case .event(.session) = $0.message { true } else { false } }
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(2))
    #expect(activity(gathering, 1) == "film")
  }

  @Test("The end of a session is the end for all participants, also for late joiners")
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
      #expect(gathering.members[index].machine.sessions.joined.isEmpty)
      #expect(gathering.members[index].machine.members(of: id).isEmpty)
    }
    #expect(gathering.members[0].machine.changeSession(id, at: gathering.host(0)) { _ in } == nil)
  }

  @Test("A stamp from the far future is refused, and later choices still count")
  func farFuture() {
    var gathering = Gathering.gathered("Ana", "Ben")
    let now = gathering.groupTime(0)!.nanoseconds
    var invalid = gathering.members[0].machine.misconduct.rejections.invalid
    for time in [now + 11_000_000_000, .max] {
      gathering.hand(
        .fromBen(.state(Self.register(time, by: Gathering.id(1))), 0), to: 0)
      invalid += 1
    }
    #expect(gathering.members[0].machine.session == nil)
    #expect(gathering.members[0].machine.misconduct.rejections.invalid == invalid)
    // Within the tolerance it is accepted, and the next choice still wins.
    gathering.hand(
      .fromBen(.state(Self.register(now + 9_000_000_000, by: Gathering.id(1))), 0), to: 0)
    gathering.activate("mine", by: 0)
    gathering.run(for: .seconds(2))
    #expect(activity(gathering, 0) == "mine" && activity(gathering, 1) == "mine")
  }

  @Test("A newcomer that doesn't know the time yet accepts no register whose stamp it can't judge")
  func unknownTime() {
    var machine = PartyMachine(
      PartyMachine.Configuration(
        id: Gathering.id(0), epoch: 1, party: Gathering.id(1), name: "Ana", random: .seeded(1)))
    _ = machine.connected(at: HostTime(nanoseconds: 0))
    _ = machine.sessionReceived(
      Self.register(.max, by: Gathering.id(1)), at: HostTime(nanoseconds: 0))
    #expect(machine.session == nil)
  }

  @Test("A register over the limits is refused")
  func limits() {
    var gathering = Gathering.gathered("Ana", "Ben")
    var register = Self.register(gathering.groupTime(0)!.nanoseconds, by: Gathering.id(1))
    register.activity = Data(count: SessionRegister.activityLimit + 1)
    gathering.hand(.fromBen(.state(register), 0), to: 0)
    register.activity = Data()
    register.activityIdentifier = String(
      repeating: "x", count: SessionRegister.identifierLimit + 1)
    gathering.hand(.fromBen(.state(register), 0), to: 0)
    #expect(gathering.members[0].machine.session == nil)
    #expect(gathering.members[0].machine.misconduct.rejections.invalid == 2)
  }

  @Test("All participants know who joined and who left a session")
  func members() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(1))
    let id = gathering.members[0].machine.session!.id
    for index in 0..<2 { gathering.act(index) { $0.joinSession(id, at: $1) } }
    gathering.run(for: .seconds(1))
    #expect(gathering.members[1].machine.members(of: id).map(\.name) == ["Ben", "Ana"])
    gathering.act(0) { $0.leaveSession(id, at: $1) }
    gathering.run(for: .seconds(1))
    #expect(gathering.members[1].machine.members(of: id).map(\.name) == ["Ben"])
  }
}

@Suite("Several kinds of activity in one party")
struct ManySessionsTests {
  /// Ana and Ben watch, and only Ben draws; Chi comes later.
  private func watchingAndDrawing() -> (Gathering, film: GroupSessionID, drawing: GroupSessionID) {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.arrive(0, 1)
    gathering.run(for: .seconds(2))
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(1))
    gathering.activate("drawing", kind: "draw", by: 1)
    gathering.run(for: .seconds(1))
    let film = gathering.members[0].machine.session("watch")!.id
    let drawing = gathering.members[0].machine.session("draw")!.id
    for index in 0..<2 { gathering.act(index) { $0.joinSession(film, at: $1) } }
    gathering.act(1) { $0.joinSession(drawing, at: $1) }
    gathering.run(for: .seconds(1))
    return (gathering, film, drawing)
  }

  @Test("One session doesn't end the other, and a late joiner gets both")
  func together() {
    var (gathering, film, drawing) = watchingAndDrawing()
    gathering.arrive(2)
    gathering.run(for: .seconds(3))
    for index in 0..<3 {
      let machine = gathering.members[index].machine
      #expect(machine.session("watch")?.activity == Data("film".utf8))
      #expect(machine.session("draw")?.activity == Data("drawing".utf8))
      #expect(Set(machine.members(of: film).map(\.name)) == ["Ana", "Ben"])
      #expect(machine.members(of: drawing).map(\.name) == ["Ben"])
    }
  }

  @Test(
    "A participant that leaves one session stays in the other, and its coordination report remains")
  func leavingOne() {
    var (gathering, film, drawing) = watchingAndDrawing()
    gathering.act(1) { machine, _ in
      machine.setCoordination(Data("here".utf8), session: film, isCommand: false)
    }
    gathering.act(1) { $0.leaveSession(drawing, at: $1) }
    gathering.run(for: .seconds(1))
    #expect(gathering.members[1].machine.playback.full?.session == film)
    #expect(gathering.members[0].machine.members(of: drawing).isEmpty)
    #expect(gathering.members[0].machine.members(of: film).count == 2)
    gathering.act(1) { $0.leaveSession(film, at: $1) }
    #expect(gathering.members[1].machine.playback.full == nil)
  }

  @Test("A new drawing replaces the drawing for all participants, and the film continues")
  func replacing() {
    var (gathering, film, drawing) = watchingAndDrawing()
    gathering.activate("another", kind: "draw", by: 0)
    gathering.run(for: .seconds(1))
    for index in 0..<2 {
      let member = gathering.members[index]
      #expect(member.events.contains(.sessionReplaced(drawing, by: Gathering.id(0))))
      #expect(member.machine.session("draw")?.activity == Data("another".utf8))
      #expect(member.machine.sessions.joined == [film])
    }
  }

  @Test(
    "A lost choice of either kind is recovered with the next beacon", arguments: ["watch", "draw"])
  func lostChoice(kind: String) {
    var (gathering, _, _) = watchingAndDrawing()
    gathering.isLost = { if case .event(.session) = $0.message { true } else { false } }
    gathering.activate("new", kind: kind, by: 0)
    gathering.run(for: .seconds(2))
    #expect(gathering.members[1].machine.session(kind)?.activity == Data("new".utf8))
  }

  @Test("With more kinds than the limit, all participants keep the same ones")
  func limit() {
    let gathering = Gathering.gathered("Ana", "Ben")
    let base = gathering.groupTime(0)!.nanoseconds
    var registers = (1...7).map {
      SessionTests.register(base + Int64($0), by: Gathering.id(1), kind: "kind \($0 % 6)")
    }
    let kept = registers.suffix(PartySessions.limit)
    var random = RandomSource.seeded(3)
    for _ in 0..<50 {
      registers.shuffle(using: &random)
      var machine = gathering.members[0].machine
      for register in registers { _ = machine.sessionReceived(register, at: gathering.host(0)) }
      #expect(machine.sessions.all == Array(kept))
    }
  }

  @Test("A participant leaves a joined session that is displaced by a fifth kind")
  func crowdedOut() {
    var (gathering, film, _) = watchingAndDrawing()
    for kind in ["read", "play", "shop"] { gathering.activate("x", kind: kind, by: 0) }
    gathering.run(for: .seconds(2))
    for index in 0..<2 {
      let member = gathering.members[index]
      #expect(
        member.machine.sessions.all.map(\.activityIdentifier) == ["draw", "read", "play", "shop"])
      #expect(!member.machine.sessions.joined.contains(film))
      #expect(
        member.events.contains {
          if case .sessionDisplaced(let register, by: Gathering.id(0)) = $0 {
            register.id == film
          } else {
            false
          }
        })
    }
  }

  /// Lets every program take part in the film and the drawing.
  private func takePart(_ gathering: inout Gathering) {
    for index in gathering.members.indices {
      for kind in ["watch", "draw"] { gathering.members[index].machine.sessions.takePart(in: kind) }
    }
  }

  @Test("Invented kinds displace none in which the program takes part, whoever invents them")
  func invented() {
    var (gathering, film, drawing) = watchingAndDrawing()
    takePart(&gathering)
    for number in 0..<12 {
      gathering.activate("x", kind: "kind \(number)", by: number % 2)
      gathering.run(for: .milliseconds(100))
    }
    gathering.arrive(2)
    gathering.run(for: .seconds(3))
    for index in 0..<3 {
      let machine = gathering.members[index].machine
      #expect(machine.session("watch")?.id == film && machine.session("draw")?.id == drawing)
      #expect(
        machine.sessions.all.map(\.activityIdentifier) == ["watch", "draw", "kind 10", "kind 11"])
    }
    #expect(gathering.members[0].machine.sessions.joined == [film])
    // The end of a session keeps its place too: otherwise its earlier state could come back.
    gathering.act(0) { $0.changeSession(film, at: $1) { $0.ended = true }! }
    for number in 0..<4 { gathering.activate("x", kind: "more \(number)", by: number % 2) }
    gathering.run(for: .seconds(2))
    #expect(gathering.members[1].machine.session("watch")?.ended == true)
  }

  @Test("One author has one unknown kind, the newest")
  func onePerAuthor() {
    var (gathering, _, _) = watchingAndDrawing()
    takePart(&gathering)
    gathering.activate("x", kind: "one", by: 0)
    gathering.activate("x", kind: "another", by: 0)
    gathering.run(for: .seconds(2))
    for index in 0..<2 {
      #expect(
        gathering.members[index].machine.sessions.all.map(\.activityIdentifier) == [
          "watch", "draw", "another",
        ])
    }
  }

  @Test("Programs that know different kinds don't ask each other again and again")
  func differentPrograms() {
    var (gathering, film, _) = watchingAndDrawing()
    gathering.members[0].machine.sessions.takePart(in: "watch")
    gathering.members[1].machine.sessions.takePart(in: "read")
    for kind in ["read", "play", "shop", "cook"] {
      for index in 0..<2 { gathering.activate("x", kind: kind + " \(index)", by: index) }
    }
    gathering.activate("x", kind: "read", by: 1)
    gathering.run(for: .seconds(2))
    #expect(gathering.members[0].machine.session("watch")?.id == film)
    #expect(gathering.members[1].machine.session("read") != nil)
    var asked = 0
    gathering.isLost = {
      if case .direct(.stateRequest) = $0.message { asked += 1 }
      return false
    }
    gathering.run(for: .seconds(10))
    #expect(asked == 0)
  }

  @Test("A register whose kind only has the number of the film's has no effect")
  func namesake() {
    let (kind, namesake) = ("watch", "x-bw39lha")
    #expect(SessionRegister.kind(kind) == SessionRegister.kind(namesake))
    var gathering = Gathering.gathered("Ana", "Ben")
    for index in 0..<2 { gathering.members[index].machine.sessions.takePart(in: kind) }
    gathering.activate("film", kind: kind, by: 0)
    gathering.run(for: .seconds(1))
    let time = gathering.groupTime(0)!.nanoseconds
    gathering.hand(
      .fromBen(.state(SessionTests.register(time, by: Gathering.id(1), kind: namesake)), 0), to: 0)
    #expect(gathering.members[0].machine.session(kind) != nil)
    #expect(gathering.members[0].machine.misconduct.rejections.invalid == 1)
    // A newcomer whose program doesn't say yet what it knows takes it, and forgets it then.
    var newcomer = PartySessions()
    _ = newcomer.registerReceived(SessionTests.register(5, by: Gathering.id(1), kind: namesake))
    newcomer.takePart(in: kind)
    #expect(newcomer.all.isEmpty)
  }

  @Test("Whatever each has received, all that tell each other hold the same sessions")
  func gossip() {
    var random = RandomSource.seeded(11)
    let authors = (1...4).map { Gathering.id($0) }
    for round in 0..<300 {
      // Few times, so that some stamps are equal.
      let registers = (0..<16).map { _ in
        SessionTests.register(
          Int64.random(in: 1...9, using: &random), by: authors.randomElement(using: &random)!,
          kind: ["watch", "draw", "a", "b", "c", "d", "e"].randomElement(using: &random)!)
      }
      var holders = (0..<3).map { _ in
        var sessions = PartySessions()
        for kind in ["watch", "draw"] { sessions.takePart(in: kind) }
        for register in registers.shuffled(using: &random).prefix(8)
        where sessions.admits(register, isVoid: { _ in false }) {
          _ = sessions.registerReceived(register)
        }
        return sessions
      }
      var isNews = true
      var exchanges = 0
      while isNews, exchanges < 50 {
        isNews = false
        exchanges += 1
        for (one, other) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
          for register in holders[one].all
          where holders[other].admits(register, isVoid: { _ in false }) {
            _ = holders[other].registerReceived(register)
            isNews = true
          }
        }
      }
      #expect(exchanges < 50, "round \(round): they never agree")
      #expect(holders[0].all == holders[1].all && holders[1].all == holders[2].all, "\(round)")
      let unknown = holders[0].all.filter { !["watch", "draw"].contains($0.activityIdentifier) }
      #expect(Set(unknown.map(\.stamp.participant)).count == unknown.count, "round \(round)")
    }
  }

  @Test("Participants don't ask repeatedly for sessions beyond the limit")
  func quiet() {
    var (gathering, _, _) = watchingAndDrawing()
    for kind in ["read", "play", "shop"] { gathering.activate("x", kind: kind, by: 0) }
    gathering.run(for: .seconds(2))
    var asked = 0
    gathering.isLost = {
      if case .direct(.stateRequest) = $0.message { asked += 1 }
      return false
    }
    gathering.run(for: .seconds(10))
    #expect(asked == 0)
  }
}
