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
    let expected: [Machine.Directive] = [.seek(to: MediaTime(seconds: target))]
    #expect(try machine.handle(.seekChapter(by: count), in: reading) == expected)
  }

  @Test("After a film that was to play and can't be opened, the next one plays")
  func unplayable() throws {
    var machine = Machine(random: RandomSource.seeded(5))
    #expect(machine.plan(["a", "b"].map(Self.film)) == [])
    let directives = machine.openPlanned()
    for case .film(let event) in directives {
      for case .resolve(let number, _, let chooser) in machine.filmMachine.handle(
        event, at: Self.now)
      {
        for case .load(let loading, _, _) in machine.filmMachine.handle(
          .resolved(number, .film(Self.film("a"), chooser)), at: Self.now)
        { _ = machine.filmMachine.handle(.failed(loading, "damaged"), at: Self.now) }
      }
    }
    let next = try machine.handle(.advance(by: 1), in: Self.reading(at: nil))
    Self.open(next, in: &machine)
    #expect(machine.filmMachine.film?.title == "b")
    guard case .open(let number) = machine.filmMachine.state else {
      return #expect(Bool(false), "the film isn't open")
    }
    #expect(machine.filmMachine.playsOnceBegun(number))
  }

  @Test("A film that is resumed continues at its position, unless it is the current one")
  func resuming() throws {
    var machine = Self.alone("a")
    let position = MediaTime(seconds: 40)
    let other = FilmIdentity(identifier: "b", title: "b", location: "/b")
    let directives = try machine.identified(other, .resume, at: position, in: Self.reading())
    #expect(directives.first == .report(.resuming(at: position)))
    var again = Self.alone("a")
    let current = FilmIdentity(identifier: "a", title: "a", location: "/a")
    let kept = try again.identified(current, .resume, at: position, in: Self.reading())
    #expect(!kept.contains(.report(.resuming(at: position))))
  }
}
