import PlaybackCoordination
import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import Screening

@Suite("Which film is on the screen")
struct ProgrammeTests {
  private static let now = HostTime(nanoseconds: 5_000_000_000)
  private static let other = Chooser.participant(
    Participant.ID(high: 7, low: 7), isLocal: false)

  private static func film(_ title: String) -> FilmIdentity {
    FilmIdentity(identifier: title, title: title, location: "/films/" + title)
  }

  private static func list(_ titles: String...) -> Playlist {
    var dice = RandomSource.seeded(3)
    func entry(_ title: String) -> PlaylistEntry {
      PlaylistEntry(
        id: .random(in: .min ... .max, using: &dice), identifier: title, title: title,
        location: nil)
    }
    var list = Playlist(entry(titles[0]), at: nil, using: &dice)
    for title in titles.dropFirst() { _ = list.append(entry(title), at: nil, using: &dice) }
    return list
  }

  /// A programme in a party whose film is open.
  private static func open(_ list: Playlist) -> TestProgramme {
    var programme = TestProgramme()
    _ = programme.handle(.enteredParty, at: now)
    _ = programme.handle(.adopted(list, by: other, .chosen), at: now)
    _ = programme.handle(.resolved(1, .film(film(list.current.title), other)), at: now)
    _ = programme.handle(.loaded(2), at: now)
    return programme
  }

  @Test(
    "A film that is chosen during the search for another one wins, in whatever order the answers arrive"
  )
  func newest() {
    var programme = TestProgramme()
    let (first, second) = (Self.list("a"), Self.list("b"))
    _ = programme.handle(.enteredParty, at: Self.now)
    _ = programme.handle(.adopted(first, by: Self.other, .chosen), at: Self.now)
    _ = programme.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    let late = programme.handle(.resolved(1, .film(Self.film("a"), Self.other)), at: Self.now)
    #expect(late == [])
    _ = programme.handle(.resolved(2, .film(Self.film("b"), Self.other)), at: Self.now)
    #expect(programme.film?.title == "b")
    #expect(programme.isOpening)
  }

  @Test(
    "A participant who steps away during the search for the group's next film keeps the film on the screen"
  )
  func steppingAwayDuringSearch() {
    let list = Self.list("a")
    var programme = Self.open(list)
    _ = programme.handle(.adopted(Self.list("b"), by: Self.other, .chosen), at: Self.now)
    _ = programme.handle(.separated(.steppedAway, for: .steppedAway), at: Self.now)
    let late = programme.handle(.resolved(3, .missing("none")), at: Self.now)
    #expect(late == [] && programme.film?.title == "a" && !programme.isOnItsWay)

    // The user's own choice still opens.
    programme = Self.open(list)
    _ = programme.handle(.adopted(Self.list("b"), by: .user, .chosen), at: Self.now)
    _ = programme.handle(.separated(.steppedAway, for: .steppedAway), at: Self.now)
    _ = programme.handle(.resolved(3, .film(Self.film("b"), .user)), at: Self.now)
    #expect(programme.film?.title == "b")
  }

  @Test("A preview ends with its film, and moves nobody")
  func previewEnds() {
    var programme = Self.open(Self.list("a"))
    _ = programme.handle(.separated(.scrubbing, for: .userIsChangingCurrentTime), at: Self.now)
    let next = programme.handle(.adopted(Self.list("b"), by: Self.other, .chosen), at: Self.now)
    #expect(next.contains(.rejoin(.scrubbing, proposing: nil)))
    #expect(!programme.separations.contains(.scrubbing))
    #expect(
      programme.handle(.rejoined(.scrubbing, proposing: MediaTime(seconds: 5)), at: Self.now) == [])
  }

  @Test("After leaving the party the user is no longer apart from the group, and the film stays")
  func leavingApart() {
    var programme = Self.open(Self.list("a"))
    _ = programme.handle(.separated(.steppedAway, for: .steppedAway), at: Self.now)
    _ = programme.handle(.separated(.notReady, for: .readyCheck), at: Self.now)
    let left = programme.handle(.leftParty, at: Self.now)
    #expect(left.contains(.rejoin(.steppedAway, proposing: nil)))
    #expect(programme.separations.isEmpty)
    #expect(programme.film?.title == "a" && programme.isShown)
  }

  @Test("A film to which the group returns during a search is the coordinator's item again")
  func returningDuringSearch() {
    let list = Self.list("a")
    var programme = Self.open(list)
    let film = programme.film!
    _ = programme.handle(.separated(.scrubbing, for: .userIsChangingCurrentTime), at: Self.now)
    let away = programme.handle(.adopted(Self.list("b"), by: Self.other, .chosen), at: Self.now)
    #expect(away.contains(.clearItem))
    let back = programme.handle(.adopted(list, by: Self.other, .chosen), at: Self.now)
    #expect(back.contains(.restoreItem(film)))
    let again = programme.handle(.adopted(list, by: Self.other, .chosen), at: Self.now)
    #expect(!again.contains(.restoreItem(film)))
  }

  @Test("The next film counts as following only after the one before it")
  func following() {
    let list = Self.list("a", "b")
    var programme = Self.open(list)
    var next = list
    var dice = RandomSource.seeded(9)
    let entry = list.entry(at: 1)!
    let isChosen = next.makeCurrent(entry.id, at: nil, using: &dice)
    #expect(isChosen)
    var elsewhere = programme
    let directives = programme.handle(.adopted(next, by: Self.other, .following), at: Self.now)
    #expect(
      directives.contains(.announce(entry, by: Self.other, .following)))
    var another = list
    another.open(Self.list("c").current, at: nil, using: &dice)
    let other = elsewhere.handle(.adopted(another, by: Self.other, .following), at: Self.now)
    #expect(
      other.contains(.announce(another.current, by: Self.other, .chosen)))
  }

  @Test("Commands are kept until the requested film is open, and are performed then")
  func kept() {
    let (first, second) = (Self.list("a"), Self.list("b"))
    var programme = Self.open(first)
    let isKeptWithoutNeed = programme.keepPlay(besides: first.current.item)
    #expect(!isKeptWithoutNeed)
    _ = programme.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    let isPlayKept = programme.keepPlay(besides: first.current.item)
    #expect(isPlayKept)
    let isSeekKept = programme.keepSeek(to: MediaTime(seconds: 30), besides: first.current.item)
    #expect(isSeekKept)
    _ = programme.handle(.resolved(3, .film(Self.film("b"), Self.other)), at: Self.now)
    let directives = programme.handle(.loaded(4), at: Self.now)
    #expect(
      directives == [
        .begin(
          4, Self.film("b").shown(as: second.current.id), at: MediaTime(seconds: 30), plays: true)
      ])
  }

  @Test("A play command is forgotten by the pause after it")
  func pausedAgain() {
    let (first, second) = (Self.list("a"), Self.list("b"))
    var programme = Self.open(first)
    _ = programme.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    let isKept = programme.keepPlay(besides: first.current.item)
    #expect(isKept)
    programme.forgetPlay(besides: first.current.item)
    _ = programme.handle(.resolved(3, .film(Self.film("b"), Self.other)), at: Self.now)
    let directives = programme.handle(.loaded(4), at: Self.now)
    #expect(
      directives == [
        .begin(4, Self.film("b").shown(as: second.current.id), at: nil, plays: false)
      ])
  }

  @Test("A film that should play doesn't if a pause comes while it begins")
  func pausedAtBeginning() {
    let (first, second) = (Self.list("a"), Self.list("b"))
    var programme = Self.open(first)
    _ = programme.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    _ = programme.keepPlay(besides: first.current.item)
    _ = programme.handle(.resolved(3, .film(Self.film("b"), Self.other)), at: Self.now)
    _ = programme.handle(.loaded(4), at: Self.now)
    #expect(programme.playsOnceBegun(4))
    programme.forgetPlay(besides: second.current.item)
    #expect(!programme.playsOnceBegun(4))
  }

  @Test("A lost server is tried again after 1, 2, 4 and 8 seconds, and then every 8")
  func pauses() {
    var programme = Self.open(Self.list("a"))
    _ = programme.handle(.lostServer, at: Self.now)
    var now = Self.now
    for seconds in [1, 2, 4, 8, 8] {
      #expect(programme.nextDeadline == now + .seconds(seconds))
      now = now + .seconds(seconds)
      let directives = programme.timerFired(at: now)
      #expect(directives == [.reopen(2, programme.film!)])
      _ = programme.handle(.reopeningFailed(2), at: now)
    }
    _ = programme.timerFired(at: now + .seconds(8))
    let directives = programme.handle(.reopened(2), at: now)
    #expect(directives == [.rejoin(.disconnected, proposing: nil), .tellReady])
  }

  @Test("The third loss in a row right after the film was opened again is the last")
  func repeatedLoss() {
    var programme = Self.open(Self.list("a"))
    for attempt in 0..<4 {
      let directives = programme.handle(.lostServer, at: Self.now)
      #expect(directives.contains(.tellOfRepeatedLoss) == (attempt == 3))
      _ = programme.timerFired(at: Self.now + .seconds(1))
      _ = programme.handle(.reopened(2), at: Self.now + .seconds(1))
    }
    #expect(programme.state == .unplayable)
  }

  @Test("After a failed change, the film of a user who is apart from the group returns")
  func putBackApart() {
    let list = Self.list("a")
    var programme = Self.open(list)
    _ = programme.handle(
      .separated(.steppedAway, for: .init(rawValue: "steppedAway")), at: Self.now)
    let next = Self.list("b")
    _ = programme.handle(.adopted(next, by: Self.other, .chosen), at: Self.now)
    let directives = programme.handle(.putBack(next), at: Self.now)
    #expect(programme.film?.title == "a")
    #expect(programme.keepsFilm)
    #expect(
      directives.contains {
        if case .load(_, let film, _) = $0 { film.title == "a" } else { false }
      })
  }

  @Test("With slow, failing and late answers every rule holds", arguments: [0])
  func seeds(first: UInt64) throws {
    for seed in first..<first + 2000 {
      var simulation = ProgrammeSimulation(seed: seed)
      do {
        try simulation.run(steps: 120)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  @Test("Each rule finds a planted bug", arguments: ProgrammeSimulation.Rule.allCases)
  func plantedBugs(rule: ProgrammeSimulation.Rule) {
    let found = (UInt64(0)..<300).lazy.compactMap { seed in
      var simulation = ProgrammeSimulation(seed: seed, distortion: Self.distortion(for: rule))
      do { try simulation.run(steps: 120) } catch {
        return (error as? ProgrammeSimulation.Violation)?.rule
      }
      return nil
    }
    #expect(found.first { $0 == rule } == rule)
  }

  private static func distortion(for rule: ProgrammeSimulation.Rule)
    -> ProgrammeSimulation.Distortion
  {
    { event, before, after, directives in
      switch rule {
      case .screen:
        // Closing forgets the player.
        directives.removeAll { $0 == .close }
      case .separations:
        directives.removeAll { if case .rejoin(.watchingAlone, _) = $0 { true } else { false } }
      case .questions:
        directives.removeAll { if case .ask = $0 { true } else { false } }
      case .apart:
        guard case .adopted(let list, let chooser, let cause) = event, !chooser.isOwn else {
          return
        }
        // Another participant's choice is treated as the user's.
        after = before
        directives = after.handle(.adopted(list, by: .user, cause), at: now)
      case .lateAnswers:
        guard case .loaded(let number) = event, !before.isCurrent(number), before.film != nil else {
          return
        }
        directives = [.begin(number, before.film!, at: nil, plays: false)]
      case .progress:
        directives.removeAll { if case .load = $0 { true } else { false } }
      case .together:
        guard case .adopted(_, let chooser, _) = event, chooser != .user, before.isOnItsWay else {
          return
        }
        // While a film is being opened, the choice of another one is ignored.
        after = before
        directives = []
      }
    }
  }
}
