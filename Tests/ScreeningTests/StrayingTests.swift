import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

@Suite("What a player does by itself")
struct StrayingTests {
  typealias Machine = ScreeningMachine

  private static let me = Participant.ID(high: 1, low: 1)

  private static func reading(
    apart reasons: [CoordinatedPlaybackSuspension.Reason] = [], isAlone: Bool = false
  ) -> Reading {
    let party = PartyFacts(
      me: me, rules: PartyRules(creator: me), participants: [], clock: nil, session: .joined)
    return Reading(
      coordinator: GroupFacts(.playing, at: MediaTime(seconds: 10), apart: reasons),
      party: isAlone ? nil : party)
  }

  private static func time(_ seconds: Int64) -> HostTime {
    HostTime(nanoseconds: (100 + seconds) * 1_000_000_000)
  }

  /// A Boolean value that indicates whether effects make this participant separate.
  private static func separates(_ effects: [Machine.Effect]) -> Bool {
    effects.contains(.separate(.steppedAway, for: .userActionRequired))
  }

  @Test("It is put back twice within ten seconds, and then it is separate, with a word about it")
  func twice() {
    var machine = Machine.inParty()
    #expect(machine.handle(.strayed(at: Self.time(0)), in: Self.reading()) == [.reapply])
    #expect(machine.handle(.strayed(at: Self.time(1)), in: Self.reading()) == [.reapply])
    let third = machine.handle(.strayed(at: Self.time(2)), in: Self.reading())
    #expect(Self.separates(third))
    #expect(third.contains { if case .report(.failed) = $0 { true } else { false } })
    // After a return everything begins again.
    #expect(machine.handle(.strayed(at: Self.time(3)), in: Self.reading()) == [.reapply])
  }

  @Test("Now and then it is put back for ever")
  func rarely() {
    var machine = Machine.inParty()
    for round in 0..<9 {
      let effects = machine.handle(.strayed(at: Self.time(Int64(round * 6))), in: Self.reading())
      #expect(effects == [.reapply])
    }
  }

  @Test("A separate player moves as it likes, and a player alone is put back only")
  func apart() {
    var machine = Machine.inParty()
    let apart = Self.reading(apart: [.userActionRequired])
    #expect(machine.handle(.strayed(at: Self.time(0)), in: apart) == [])
    for round in 0..<4 {
      let alone = Self.reading(isAlone: true)
      #expect(machine.handle(.strayed(at: Self.time(Int64(round))), in: alone) == [.reapply])
    }
  }

  @Test("A loop is ended in a party, with a word, and goes on alone")
  func loops() {
    var machine = Machine.inParty()
    #expect(machine.handle(.loopBegan, in: Self.reading(isAlone: true)) == [])
    let effects = machine.handle(.loopBegan, in: Self.reading())
    #expect(effects.first == .player(.endLoops))
    #expect(effects.contains { if case .report(.warning) = $0 { true } else { false } })
  }

  @Test("In a film that can't be sought a seek is refused with a word, and play goes on from there")
  func unseekable() {
    var machine = Machine.inParty()
    var reading = Self.reading(isAlone: true)
    reading.player.canSeek = false
    reading.player.duration = MediaTime(seconds: 10)
    machine.know(reading)
    let seek = machine.seek(to: MediaTime(seconds: 5))
    #expect(seek.count == 1)
    #expect(seek.allSatisfy { if case .report(.failed) = $0 { true } else { false } })
    #expect(machine.play() == [.setRate(1, immediately: false)])

    var late = Self.reading(apart: [.coordinatedPlaybackNotPossible])
    late.player.canSeek = false
    let told = machine.handle(.suspensionReasonsChanged, in: late, at: Self.time(0))
    #expect(told.contains { if case .report(.warning) = $0 { true } else { false } })
  }
}
