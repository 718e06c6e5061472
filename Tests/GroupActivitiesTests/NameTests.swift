import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Names")
struct NameTests {
  @Test("A second Ana becomes Ana 2, a third Ana 3, for all participants")
  func second() {
    let gathering = Gathering.gathered("Ana", "Ana", "Ana")
    #expect(gathering.members.map(\.machine.name) == ["Ana", "Ana 2", "Ana 3"])
    #expect(gathering.others(0) == ["Ana 2", "Ana 3"])
    #expect(gathering.others(1) == ["Ana", "Ana 3"])
    #expect(gathering.others(2) == ["Ana", "Ana 2"])
  }

  @Test(
    "Two participants of one name who join at once get names that are unique for every participant")
  func atOnce() {
    var gathering = Gathering("Dee", "Ana", "Ana", "ANA")
    gathering.arrive(0)
    gathering.run(for: .seconds(1))
    gathering.arrive(1, 2, 3)
    gathering.run(for: .seconds(8))
    let names = gathering.members.map(\.machine.name)
    #expect(Set(names.map(PartyText.nameKey)).count == 4, "\(names)")
    #expect(names.contains("Ana"), "one keeps the name: \(names)")
    for index in 0..<4 {
      #expect(
        Set(gathering.others(index)) == Set(names).subtracting([names[index]]),
        "everybody is called by its own name")
    }
  }

  @Test("A participant that insists on another one's name is shown under a different name")
  func borrowed() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    let joined = gathering.members[0].machine.roster[Gathering.id(1)]!.beacon!.joinedAt
    for (number, name) in ["Ana", "ana", "ＡＮＡ", "A\u{200D}na"].enumerated() {
      var beacon = Beacon.of(name)
      beacon.joinedAt = joined
      gathering.hand(.fromBen(.beacon(beacon), 1000 + UInt64(number)), to: 0)
      #expect(gathering.others(0).first?.hasSuffix(" 2") == true, "\(gathering.others(0))")
      #expect(gathering.members[0].machine.name == "Ana")
    }
    guard
      case .renamed(let who, from: "Ben") = gathering.members[0].events.first(where: {
        if case .renamed = $0 { true } else { false }
      })
    else {
      Issue.record("nobody was told that Ben has another name")
      return
    }
    #expect(who.name == "Ana 2")
  }

  @Test(
    "A newcomer learns which of two participants had a name first, whatever the other one sends")
  func borrowedBefore() {
    // Ben came last of those who are here, and has the least identifier after the creator's.
    var gathering = Gathering("Ana", "Ben", "Chi", "Dee", "Eli")
    gathering.forge = { packet in
      guard packet.from == Gathering.id(1) else { return packet }
      var packet = packet
      if case .beacon(var beacon) = packet.message {
        beacon.name = "Chi"
        packet.message = .beacon(beacon)
      } else if case .direct(.probeReply(var reply)) = packet.message {
        reply.introduction?.beacon.name = "Chi"
        packet.message = .probeReply(reply)
      }
      return packet
    }
    gathering.arrive([0, 2, 3, 1], every: .seconds(20))
    gathering.leave(0)
    gathering.run(for: .seconds(5))
    gathering.arrive(4)
    gathering.run(for: .seconds(10))
    for index in [3, 4] {
      let roster = gathering.members[index].machine.roster
      #expect(roster[Gathering.id(2)]?.name == "Chi")
      #expect(roster[Gathering.id(1)]?.name == "Chi 2")
    }
  }

  @Test(
    "A name is cleaned of terminal control characters and of characters that reverse the text direction"
  )
  func cleaned() {
    #expect(PartyText.name("\u{1B}[31mAna\u{7}\r\n") == "[31mAna")
    #expect(PartyText.name("A\u{202E}na\u{2066}\u{FEFF}") == "Ana")
    #expect(PartyText.name("  Ana \u{2028} Maria  ") == "Ana Maria")
    #expect(PartyText.name(String(repeating: "x", count: 5000))?.count == PartyText.nameLimit)
    #expect(PartyText.name("👩‍👩‍👧 Ana") == "👩‍👩‍👧 Ana", "emoji keep their joiners")
    let tower = "a" + String(repeating: "\u{301}", count: 300)
    #expect(PartyText.name(tower) == "\u{FFFD}")
  }

  @Test(
    "A name without visible characters counts as no name",
    arguments: [
      "", " \t\n", "\u{200B}\u{200D}", "\u{202E}", "\u{3164}\u{115F}", "\u{FE0F} \u{FE0F}",
    ])
  func invisible(raw: String) {
    #expect(PartyText.name(raw) == nil)
    #expect(PartyText.chat(raw) == nil)
  }

  @Test("A number is added within the limit of a name's length")
  func longNames() {
    let long = String(repeating: "x", count: PartyText.nameLimit)
    let second = PartyText.uniqueName(long, taken: [PartyText.nameKey(long)])
    #expect(second.count == PartyText.nameLimit)
    #expect(second.hasSuffix("x 2"))
    #expect(
      PartyText.uniqueName("Ana", taken: Set(["ANA", "ana 2"].map(PartyText.nameKey))) == "Ana 3")
  }
}
