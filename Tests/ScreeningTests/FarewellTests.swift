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
    (farewell.reactions, farewell.largestError) = (14, .microseconds(2100))
    farewell.newHost = "Ben"
    #expect(
      farewell.lines(party: "keen-heron", key: "A") == [
        "2 h 04 with Ben and 千尋 · 14 reactions · never more than 3 ms apart",
        "You left keen-heron; Ben is the host now. To return, start matinee and press A.",
      ])
    farewell = Farewell(
      time: .seconds(9), names: ["Ben"], reactions: 1, largestError: .seconds(3), closes: true)
    #expect(
      farewell.lines(party: "keen-heron", key: nil) == [
        "1 min with Ben · 1 reaction", "You closed keen-heron.",
      ])
  }

  @Test("come from the stay in the party, and only if it lasted to the program's end")
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
    #expect(
      machine.farewell
        == Farewell(
          time: .seconds(600), names: ["Ben"], reactions: 1, largestError: .milliseconds(3)))
    _ = try left.handle(.party(.leaves(closing: false)), at: later)
    _ = try left.handle(.quits, at: later)
    #expect(left.farewell == nil)
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
