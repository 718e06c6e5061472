import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import Screening

@Suite("A room elsewhere, as the machine sees it")
struct RoomListTests {
  typealias Machine = ScreeningMachine

  private static let now = ScreeningMachineTests.now

  private func notices(_ effects: [Machine.Effect]) -> [String] {
    effects.compactMap { if case .report(.notice(let text)) = $0 { text } else { nil } }
  }

  @Test("A private party is entered as its founder")
  func enters() throws {
    var machine = ScreeningMachineTests.alone("a")
    let effects = try machine.handle(.party(.enters(.room)), at: Self.now)
    #expect(effects.contains(.party(.enter(.room))))
  }

  private static let invite = try! Invite(
    "matinee://127.0.0.1:62846/00112233445566778899aabbccddeeff#AAECAwQFBgcICQoLDA0ODw")

  private static func inRoom() throws -> Machine {
    var machine = ScreeningMachineTests.alone("a")
    _ = try machine.handle(.party(.enters(.room)), at: now)
    _ = try machine.handle(
      .party(
        .entered(
          .init(
            facts: ScreeningMachineTests.party(), isEligible: true, relay: nil, mayServe: false))),
      at: now)
    return machine
  }

  @Test("In a room, host leaves the private party with the room's people, and opens one for others")
  func opens() throws {
    var machine = try Self.inRoom()
    let effects = try machine.handle(.host)
    let leaves = effects.contains {
      if case .party(.leave(let departure)) = $0 { departure.room == .comesAlong } else { false }
    }
    #expect(leaves && effects.contains(.then(.party(.enters(.host)))))
    _ = try machine.handle(.party(.left(closing: false, isEligible: false)), at: Self.now)
    _ = try machine.handle(.party(.enters(.host)), at: Self.now)
    // The port is taken: the room's people get their private party back.
    let after = machine.failed(.party(.enter(.host)), NothingToDo.noLibrary)
    #expect(after?.contains(.then(.party(.enters(.room)))) == true)
    _ = try machine.handle(.party(.enters(.room)), at: Self.now)
    #expect(machine.failed(.party(.enter(.room)), NothingToDo.noLibrary) == nil)
  }

  @Test("Those who control a managed room are co-hosts, as many as the party has room for")
  func operators() throws {
    var machine = try Self.inRoom()
    let people = (0..<20).map { number in
      Participant(
        id: Participant.ID(high: 2, low: UInt64(number)), name: "P\(number)")
    }
    var party = ScreeningMachineTests.party()
    party.participants = people
    machine.know(ScreeningMachineTests.reading(.playing, party: party))
    func appointed(_ ids: [Participant.ID]) throws -> Int {
      try machine.handle(.party(.roomOperators(ids)), at: Self.now).count {
        if case .attempt(let effects, _) = $0 { effects.count == 1 } else { false }
      }
    }
    #expect(try appointed([people[3].id]) == 1)
    #expect(try appointed(people.map(\.id)) == 16)
    // One is known before it has joined.
    party.participants = [people[4]]
    machine.know(ScreeningMachineTests.reading(.playing, party: party))
    let joined = try machine.handle(
      .party(.reported(.participantJoined(people[4]), precedes: false)), at: Self.now)
    #expect(joined.contains { if case .attempt = $0 { true } else { false } })
    party.participants = people
    party.rules.coHosts = [people[3].id]
    machine.know(ScreeningMachineTests.reading(.playing, party: party))
    #expect(try appointed([people[3].id]) == 0, "is one already")
  }

  @Test("A person in the room who opens a party is named once, and join takes part")
  func invited() throws {
    var machine = try Self.inRoom()
    #expect(throws: NothingToDo.noInvitation) { try machine.handle(.join(invite: nil)) }
    let invited = Machine.Event.party(.roomInvited(Self.invite, by: "Ana"))
    #expect(notices(try machine.handle(invited, at: Self.now)).first?.contains("Ana") == true)
    #expect(notices(try machine.handle(invited, at: Self.now)) == [])
    var party = ScreeningMachineTests.party()
    for isThere in [true, false] {
      party.participants = isThere ? [Participant(id: ScreeningMachineTests.host, name: "Ana")] : []
      machine.know(ScreeningMachineTests.reading(.playing, party: party))
      #expect(machine.roomHost == (isThere ? "Ana" : nil))
    }
    party.participants = [Participant(id: ScreeningMachineTests.host, name: "Ana")]
    machine.know(ScreeningMachineTests.reading(.playing, party: party))
    #expect(throws: NothingToDo.isInvited(by: "Ana")) { try machine.handle(.host) }
    let effects = try machine.handle(.join(invite: nil))
    #expect(effects.contains(.then(.party(.enters(.join(Self.invite))))))
    let waits = effects.contains {
      if case .party(.leave(let departure)) = $0 { departure.room == .waits } else { false }
    }
    #expect(waits, "the one who opened the party speaks for all in the room")
    _ = try machine.handle(.party(.left(closing: false, isEligible: false)), at: Self.now)
    _ = try machine.handle(.party(.enters(.join(Self.invite))), at: Self.now)
    let after = machine.failed(.party(.enter(.join(Self.invite))), PartyError.nobodyHere)
    #expect(after?.contains(.then(.party(.enters(.room)))) == true, "the user is back in the room")
  }

  @Test(
    "When the one who speaks for the room is gone, the host speaks for it, else one that all know")
  func speaks() throws {
    let me = ScreeningMachineTests.me
    let kim = Participant(
      id: .init(high: 0, low: 0), name: "Kim",
      door: .init(.syncplay, keeper: Self.invite.party))
    for (host, isMine) in [(me, true), (ScreeningMachineTests.host, false), (nil, me < Self.late)] {
      var machine = try Self.inRoom()
      _ = try machine.handle(.party(.roomInvited(Self.invite, by: "Ana")), at: Self.now)
      _ = try machine.handle(.join(invite: nil))
      _ = try machine.handle(.party(.left(closing: false, isEligible: false)), at: Self.now)
      _ = try machine.handle(.party(.enters(.join(Self.invite))), at: Self.now)
      var party = ScreeningMachineTests.party(as: .guest)
      func here(_ id: Participant.ID) -> Participant {
        Participant(id: id, name: "\(id)", role: id == host ? .host : .guest)
      }
      party.participants = [
        here(Self.invite.party), here(me), here(ScreeningMachineTests.host), kim,
      ]
      _ = try machine.handle(
        .party(
          .entered(.init(facts: party, isEligible: true, relay: nil, mayServe: false))),
        at: Self.now)
      func ticks(after seconds: Double) throws -> Int {
        machine.know(ScreeningMachineTests.reading(.playing, party: party))
        let now = Self.now + .seconds(seconds)
        return try machine.handle(.fact(.tick), at: now).count { $0 == .party(.speakForRoom) }
      }
      #expect(try ticks(after: 9) == 0)
      party.participants = [here(ScreeningMachineTests.host), here(me), here(Self.late), kim]
      // The party moves to another relay first.
      #expect(try ticks(after: 10) == 0)
      #expect(try ticks(after: 15) == (isMine ? 1 : 0))
      #expect(try ticks(after: 30) == 0, "once")
    }
  }

  private static let late = Participant.ID(high: 1 << 63, low: 0)

  @Test("One who has opened a party for the room isn't invited to another one")
  func opened() throws {
    var machine = ScreeningMachineTests.member("a")
    let invited = Machine.Event.party(.roomInvited(Self.invite, by: "Ben"))
    #expect(try machine.handle(invited, at: Self.now) == [])
  }

  @Test("The file at which the room's list is opens if it is in the user's own list")
  func inList() throws {
    var machine = ScreeningMachineTests.member("a", "b")
    machine.know(ScreeningMachineTests.reading(.playing, party: ScreeningMachineTests.party()))
    let effects = try machine.handle(.party(.roomListed("b.mkv", by: "Kim")), at: Self.now)
    #expect(notices(effects) == ["The room's list is at b.mkv, by Kim."])
    let edits = effects.flatMap { effect -> [Machine.Effect] in
      if case .attempt(let effects, _) = effect { effects } else { [] }
    }
    let opens = edits.contains {
      if case .party(.setList(let edit)) = $0 { edit.playlist.current.title == "b" } else { false }
    }
    #expect(opens)
  }

  @Test("Another file is looked for beside the film; if it isn't there, the user opens it")
  func besideFilm() throws {
    var machine = ScreeningMachineTests.member("a")
    let film = try #require(machine.filmMachine.film)
    for (name, isThere) in [("b.mkv", true), ("c.mkv", false)] {
      let effects = try machine.handle(.party(.roomListed(name, by: nil)), at: Self.now)
      #expect(effects.contains(.library(.findBeside(film))))
      let found = try machine.handle(
        .film(.foundBeside(film, ["/films/a", "/films/b.mkv", "/films/xc.mkv"])), at: Self.now)
      let opens = found.contains(.film(.identify("/films/b.mkv", .watchTogether, isEntry: true)))
      #expect(opens == isThere)
      #expect(notices(found).isEmpty == isThere)
    }
    let later = try machine.handle(.film(.foundBeside(film, ["/films/c.mkv"])), at: Self.now)
    #expect(later == [], "the search is over")
  }
}
