import GroupActivities
import Testing
import Timekeeping

@testable import Screening

@Suite("The lines that remain after a party")
struct FarewellTests {
  typealias Machine = ScreeningMachine

  private static let me = ScreeningMachineTests.me
  private static let ben = Participant(id: ScreeningMachineTests.host, name: "Ben")

  /// A machine of the host of a new party, or of one that it returns to.
  private func host(_ entrance: Entrance = .host, with others: [Participant]) throws -> Machine {
    let now = ScreeningMachineTests.now
    var machine = ScreeningMachineTests.alone("a")
    _ = try machine.handle(.party(.enters(entrance)), at: now)
    var facts = ScreeningMachineTests.party()
    facts.participants = [Participant(id: Self.me, name: "Ana", role: .host)] + others
    let entered = Machine.EnteredParty(
      facts: facts, isEligible: true, relay: nil, mayServe: false)
    _ = try machine.handle(.party(.entered(entered)), at: now)
    return machine
  }

  private func departure(_ effects: [Machine.Effect]) -> Departure? {
    effects.lazy.compactMap {
      if case .party(.leave(let departure)) = $0 { departure } else { nil }
    }.first
  }

  @Test(
    "name the time, the people, the reactions, and the largest distance, as far as they are known")
  func lines() {
    var farewell = Farewell(time: .seconds(7459), names: ["Ben", "千尋"])
    #expect(
      farewell.lines(party: "keen-heron", key: nil) == [
        "2 h 04 with Ben and 千尋", "You left keen-heron.",
      ])
    let (ana, ben) = (
      ScreeningEvent.Person(id: Self.me, name: "Ana"), ScreeningEvent.Person(Self.ben)
    )
    let place = Evening.Place(film: "1", title: "Life", itemTime: MediaTime(seconds: 3723))
    for (author, reaction) in [(ana, Reaction.moment), (ben, .moment), (ana, .love), (ben, .wow)] {
      _ = farewell.evening.reacted(reaction, by: author, at: place)
    }
    farewell.largestError = .microseconds(2100)
    farewell.newHost = "Ben"
    #expect(
      farewell.lines(party: "keen-heron", key: "A") == [
        "Life",
        "2 h 04 with Ben and 千尋 · never more than 3 ms apart",
        "⭐ 2 · 😮 1 · 💙 1",
        "⭐ 1:02:03 Ana and Ben",
        "You left keen-heron; Ben is the host now. To return, start matinee and press A.",
      ])
    farewell = Farewell(
      time: .seconds(9), names: ["Ben"], film: "Brazil", largestError: .seconds(3), closes: true)
    #expect(
      farewell.lines(party: "keen-heron", key: nil) == [
        "Brazil", "1 min with Ben", "You closed keen-heron.",
      ])
  }

  @Test("come from the last stay in a party, also if the user has left it before the program's end")
  func stay() throws {
    let later = ScreeningMachineTests.now + .seconds(600)
    var machine = try host(with: [Self.ben])
    let effects = try machine.handle(.party(.reacted(Self.ben, .love)), at: later)
    #expect(effects == [.report(.reaction(.init(Self.ben), .love))])
    var group = GroupFacts()
    group.hasOthers = true
    _ = try machine.handle(.fact(.group(group)), at: later)
    for error in [-3, 2] {
      _ = try machine.handle(.playback(.measured(error: .milliseconds(error))), at: later)
    }
    // Apart from the group, the distance is the user's own.
    group.reasons = [.steppedAway]
    _ = try machine.handle(.fact(.group(group)), at: later)
    _ = try machine.handle(.playback(.measured(error: .seconds(9))), at: later)
    var left = machine
    _ = try machine.handle(.quits, at: later)
    let farewell = try #require(machine.farewell)
    #expect(farewell.time == .seconds(600) && farewell.names == ["Ben"])
    #expect(farewell.largestError == .milliseconds(3))
    #expect(farewell.film == machine.filmMachine.film?.title)
    #expect(farewell.evening.reactions.map(\.reaction) == [.love])
    _ = try left.handle(.party(.leaves(closing: false)), at: later)
    _ = try left.handle(.quits, at: later)
    #expect(left.farewell == farewell)
  }

  @Test("A new party in which no other participant ever was leaves nothing, and isn't remembered")
  func unvisited() throws {
    let now = ScreeningMachineTests.now
    var machine = try host(with: [])
    #expect(departure(try machine.handle(.quits, at: now))?.forgets == true)
    #expect(machine.farewell == nil)
    machine = try host(with: [Self.ben])
    #expect(departure(try machine.handle(.quits, at: now))?.forgets == false)
    machine = try host(.rejoin, with: [])
    #expect(departure(try machine.handle(.quits, at: now))?.forgets == false)
    // The user may want to return when the network is back.
    machine = try host(with: [])
    #expect(departure(machine.leave(after: .failed("timed out")))?.forgets == false)
  }
}
