import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// Chapters, and films that are resumed or can't be opened.
extension ScreeningMachineTests {
  @Test(
    "Chapters are sought as by mpv: back to this one's beginning first, on from the last to the end",
    arguments: [
      (10.0, -1, 0.0), (10.1, -1, 5), (44, -1, 5), (46, -1, 40), (46, -2, 5), (2, -1, 0),
      (39.8, -1, 5), (39.8, 1, 80), (60, 1, 80), (85, 1, 100), (80, 2, 100), (99, -1, 80),
    ])
  func chapters(place: Double, count: Int, target: Double) throws {
    var machine = Self.alone("a")
    var reading = Self.reading(at: place)
    reading.player.chapters = [0, 5, 40, 80].map { MediaTime(seconds: $0) }
    let expected: [Machine.Effect] = [.seek(to: MediaTime(seconds: target))]
    #expect(try machine.handle(.seekChapter(by: count), in: reading) == expected)
  }

  @Test("After a film that was to play and can't be opened, the next one plays")
  func unplayable() throws {
    var machine = Machine.planning(["a", "b"].map(Self.film))
    try machine.perform(machine.openPlanned(), film: Self.film, fails: true)
    let next = try machine.handle(.advance(by: 1), in: Self.reading(at: nil))
    let rest = try machine.perform(next, film: Self.film)
    #expect(machine.filmMachine.film?.title == "b")
    #expect(rest.contains(.attempt([.look(.playFilm)], orElse: .report(""))))
  }

  @Test(
    "A ready check while the film plays pauses it for everyone, and starts it when all are ready")
  func readyCheck() throws {
    var machine = Self.member("a")
    let ben = Participant(id: Self.host, name: "Ben", role: .guest)
    var facts = Self.party()
    facts.participants = [Participant(id: Self.me, name: "Ana", role: .host), ben]
    var reading = Self.reading(.playing, party: facts)
    let pause = Machine.Effect.setRate(0, immediately: false)
    #expect(
      try machine.handle(.askWhetherReady(), in: reading) == [pause, .party(.askWhetherReady)])
    reading.coordinator.status = .paused
    machine.know(reading)
    #expect(machine.followReadyCheck() == [])
    reading.coordinator.notReady = [ben.id]
    machine.know(reading)
    #expect(machine.followReadyCheck() == [.report(.notice("Ready: Ben …"))])
    #expect(machine.followReadyCheck() == [])
    reading.coordinator.notReady = []
    machine.know(reading)
    #expect(
      machine.followReadyCheck()
        == [.attempt([.setRate(1, immediately: false)], orElse: .report(""))])
    #expect(machine.followReadyCheck() == [], "once")
  }

  @Test("A ready check may count down to the start, which anyone can still prevent")
  func countdown() throws {
    var check = ReadyCheck()
    let ben = Self.host
    func at(_ seconds: Double) -> HostTime { Self.now + .seconds(seconds) }
    check.asked(countdown: 2)
    #expect(check.note([ben], at: at(0)) == .show)
    #expect(check.note([], at: at(1)) == .count(2))
    #expect(check.nextDeadline == at(2))
    #expect(check.timerFired(at: at(1.5)) == .none)
    #expect(check.timerFired(at: at(2)) == .count(1))
    #expect(check.note([ben], at: at(2.5)) == .show)
    #expect(check.nextDeadline == nil)
    #expect(check.note([], at: at(3)) == .count(2))
    #expect(check.timerFired(at: at(4)) == .count(1))
    #expect(check.timerFired(at: at(5)) == .start)
    #expect(check.nextDeadline == nil)
  }

  @Test("Only a countdown of a participant who may control playback is shown, and no long one")
  func foreignCountdown() throws {
    var machine = Self.member("a")
    let ana = Participant(id: Self.host, name: "Ana", role: .guest)
    func shown(_ seconds: Int, in facts: PartyFacts) throws -> Machine.Effects {
      _ = try machine.handle(.fact(.party(facts)), at: Self.now)
      return try machine.handle(.party(.countdown(seconds, by: ana)), at: Self.now)
    }
    #expect(try shown(3, in: Self.party()) == [.report(.countdown(3))])
    #expect(try shown(1_000_000, in: Self.party()) == [])
    #expect(try shown(3, in: Self.party(control: .hosts)) == [])
  }

  @Test("Nobody plays on alone by not being ready", arguments: [true, false])
  func notReady(mayChoose: Bool) throws {
    var machine = Self.member("a")
    var reading = Self.reading(
      .playing, party: Self.party(as: mayChoose ? .host : .guest, control: .hosts))
    let pause = Machine.Effect.setRate(0, immediately: false)
    let separate = Machine.Effect.separate(.notReady, for: .readyCheck)
    #expect(
      try machine.handle(.setReady(false), in: reading)
        == (mayChoose ? [pause, separate] : [separate, pause]))
    // Another participant asked.
    var asked = Self.member("a")
    asked.know(reading)
    #expect(asked.holdUntilReady() == [separate, pause])
    reading.coordinator.reasons = [.steppedAway]
    var apart = Self.member("a")
    apart.know(reading)
    #expect(apart.holdUntilReady() == [separate], "a film of one's own goes on")
  }

  @Test(
    "Films that mpv lists follow in the user's own list, and in a party's only those of the user",
    arguments: [true, false])
  func queuedInPlayer(isOpening: Bool) throws {
    func orders(_ effects: [Machine.Effect]) -> [Machine.Effect] {
      effects.flatMap { effect -> [Machine.Effect] in
        if case .attempt(let effects, _) = effect { effects } else { [] }
      }
    }
    let report = PlayerReport.queued(paths: ["/b", "/c"], isOpening: isOpening)
    let expected = ["/b", "/c"].map {
      Machine.Effect.film(.identify($0, .queuedInPlayer, isEntry: false))
    }
    var alone = Self.alone("a")
    #expect(orders(alone.handle(report, in: Self.reading())) == expected)
    _ = try alone.identified(Self.film("a"), .queuedInPlayer)
    #expect(alone.list?.entries.map(\.title) == ["a"], "it is in the list")
    _ = try alone.identified(Self.film("b"), .queuedInPlayer)
    #expect(alone.list?.entries.map(\.title) == ["a", "b"])
    var member = Self.member("a")
    let effects = member.handle(report, in: Self.reading(party: Self.party()))
    #expect(orders(effects) == (isOpening ? [] : expected) && effects.count > 0)
    let guest = Self.reading(party: Self.party(as: .guest, control: .hosts))
    let refused = member.handle(report, in: guest)
    #expect(orders(refused) == [] && refused.count == 1, "with words")
  }

  @Test("A film that is resumed continues at its position, unless it is the current one")
  func resuming() throws {
    var machine = Self.alone("a")
    let position = MediaTime(seconds: 40)
    let other = FilmIdentity(identifier: "b", title: "b", location: "/b")
    machine.know(Self.reading())
    let asked = try machine.handle(.identified(other, .resume))
    #expect(asked == [.library(.findPosition(other)), .then(.film(.resumes(other)))])
    #expect(
      try machine.handle(.positionFound(other, position)) == [.report(.resuming(at: position))])
    let loads = try machine.playable(machine.handle(.resumes(other)))
    #expect(!loads.contains(.report(.resuming(at: position))), "it was reported")
    #expect(loads.contains { if case .film(.load) = $0 { true } else { false } })
    var again = Self.alone("a")
    let current = FilmIdentity(identifier: "a", title: "a", location: "/a")
    again.know(Self.reading())
    let kept = try again.handle(.identified(current, .resume))
    #expect(!kept.contains(.library(.findPosition(current))))
  }
}
