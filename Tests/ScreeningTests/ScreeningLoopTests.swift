import PlaybackCoordination
import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import Screening

@Suite("The loop of the program")
struct ScreeningLoopTests {
  private static let now = HostTime(nanoseconds: 9_000_000_000)

  /// A loop with an adapter that records effects, and answers when the test says so.
  private struct Desk {
    var loop: ScreeningLoop
    var done: [ScreeningMachine.Effect] = []

    init(_ titles: String...) {
      loop = ScreeningLoop(.planning(titles.map(ScreeningMachineTests.film)))
    }

    /// Takes the next effect.
    mutating func next() -> ScreeningLoop.Job? {
      let job = loop.next(at: ScreeningLoopTests.now)
      if let job { done.append(job.effect) }
      return job
    }

    mutating func answer(_ job: ScreeningLoop.Job, _ events: ScreeningMachine.Event...) {
      loop.answered(job, with: .success(EffectAnswer(events)), at: ScreeningLoopTests.now)
    }

    mutating func fail(_ job: ScreeningLoop.Job) {
      loop.answered(
        job, with: .failure(CoordinationError.notPermitted), at: ScreeningLoopTests.now)
    }

    /// Opens the planned film, as far as adapters answer at once.
    mutating func open(film: FilmIdentity) {
      _ = loop.handle(.opensPlanned, at: ScreeningLoopTests.now)
      while let job = next() {
        switch job.effect {
        case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _)):
          answer(
            job, .film(.searched(number, entry, by: chooser, copy: film, isFresh: false)))
        case .film(.load(let number, _, proposing: _)):
          answer(job, .film(.answer(.loaded(number))))
        case .look(let inquiry): answer(job, .playback(.looked(inquiry)))
        default: answer(job)
        }
      }
    }
  }

  @Test("One film's opening is one event and two answers, each with the number of its request")
  func opening() throws {
    var desk = Desk("a")
    desk.open(film: ScreeningMachineTests.film("a"))
    #expect(desk.loop.machine.filmMachine.film?.title == "a")
    let requests = desk.done.filter {
      switch $0 {
      case .library(.findCopy), .film(.load): true
      default: false
      }
    }
    #expect(requests.count == 2)
    #expect(desk.done.contains(.tellReady))
    #expect(desk.done.contains(.setRate(1, immediately: false)))
    #expect(desk.loop.takeEnded().allSatisfy { if case .success = $0.1 { true } else { false } })
  }

  @Test("The loading of a film that was chosen before the newest one isn't begun any more")
  func outdated() throws {
    var desk = Desk("a")
    let film = ScreeningMachineTests.film("a")
    desk.open(film: film)
    let loads = desk.done.compactMap { effect in
      if case .film(.load(let number, _, proposing: _)) = effect { number } else { nil }
    }
    let number = try #require(loads.last)
    for (number, isOutdated) in [(number, false), (number - 1, true)] {
      #expect(
        desk.loop.machine.isOutdated(.film(.load(number, film, proposing: nil))) == isOutdated)
    }
  }

  @Test("The effects of a command are performed in order, and a failure ends them with its error")
  func failure() throws {
    var desk = Desk("a")
    desk.open(film: ScreeningMachineTests.film("a"))
    _ = desk.loop.takeEnded()
    desk.done = []
    let id = desk.loop.handle(.command(.stop), isCommand: true, at: Self.now)
    let next = desk.next()
    let pause = try #require(next)
    #expect(pause.effect == .setRate(0, immediately: false))
    #expect(desk.next() == nil, "the next effect waits for the answer")
    desk.fail(pause)
    #expect(desk.next() == nil)
    let ended = desk.loop.takeEnded()
    #expect(ended.map(\.0) == [id])
    #expect(throws: CoordinationError.notPermitted) { try ended.first?.1.get() }
  }

  @Test("A failure that nobody waits for is reported; that of an attempt has its own consequence")
  func reported() throws {
    var desk = Desk("a")
    desk.open(film: ScreeningMachineTests.film("a"))
    desk.done = []
    _ = desk.loop.handle(.playback(.reported(.paused)), at: Self.now)
    let pause = desk.next()
    desk.fail(try #require(pause))
    while let job = desk.next() { desk.answer(job) }
    let text = "\(CoordinationError.notPermitted)"
    #expect(desk.done == [.setRate(0, immediately: false), .report(.failed(text)), .reapply])
  }

  @Test("An effect that takes long holds up its own command, and no other event")
  func patience() throws {
    var desk = Desk("a")
    desk.open(film: ScreeningMachineTests.film("a"))
    _ = desk.loop.takeEnded()
    let slow = desk.loop.handle(.command(.setVolume(50)), isCommand: true, at: Self.now)
    var next = desk.next()
    let volume = try #require(next)
    #expect(!volume.holdsLoop)
    let quick = desk.loop.handle(.command(.state), isCommand: true, at: Self.now)
    next = desk.next()
    let state = try #require(next)
    #expect(state.effect == .tellState)
    desk.loop.answered(
      state, with: .success(EffectAnswer(command: .state)), at: Self.now)
    #expect(desk.next() == nil)
    #expect(desk.loop.takeEnded().map(\.0) == [quick])
    desk.loop.answered(volume, with: .success(.notice("Volume 50 %")), at: Self.now)
    #expect(desk.next() == nil)
    let ended = desk.loop.takeEnded()
    #expect(ended.map(\.0) == [slow])
    #expect(try ended.first?.1.get() == .notice("Volume 50 %"))
  }

  @Test("Whoever opens a file waits for it, and commands go on meanwhile")
  func waiting() throws {
    var desk = Desk("a")
    let opening = desk.loop.handle(.opensPlanned, at: Self.now)
    var load: ScreeningLoop.Job?
    while let job = desk.next() {
      switch job.effect {
      case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _)):
        let film = ScreeningMachineTests.film("a")
        desk.answer(
          job, .film(.searched(number, entry, by: chooser, copy: film, isFresh: false)))
      case .film(.load): load = job
      default: desk.answer(job)
      }
    }
    #expect(!desk.loop.takeEnded().contains { $0.0 == opening })
    let job = try #require(load)
    guard case .film(.load(let number, _, _)) = job.effect else { return }
    desk.answer(job, .film(.answer(.loaded(number))))
    while let job = desk.next() { desk.answer(job) }
    #expect(desk.loop.takeEnded().contains { $0.0 == opening })
  }

  @Test("The loop sets one alarm for all deadlines, and an alarm that was replaced does nothing")
  func alarm() {
    var desk = Desk("a")
    #expect(desk.loop.setAlarm() == nil)
    let before = desk.done.count
    desk.loop.alarmRang(7, at: Self.now)
    #expect(desk.next() == nil && desk.done.count == before)
  }
}
