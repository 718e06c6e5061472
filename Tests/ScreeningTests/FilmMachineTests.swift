import PlaybackCoordination
import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import Screening

private typealias TestFilmMachine = FilmMachine<String>

@Suite("Which film is on the screen")
struct FilmMachineTests {
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

  /// A film machine in a party whose film is open.
  private static func open(_ list: Playlist) -> TestFilmMachine {
    var filmMachine = TestFilmMachine()
    _ = filmMachine.handle(.enteredParty, at: now)
    _ = filmMachine.handle(.adopted(list, by: other, .chosen), at: now)
    _ = filmMachine.handle(.resolved(1, .film(film(list.current.title), other)), at: now)
    _ = filmMachine.handle(.loaded(2), at: now)
    return filmMachine
  }

  @Test(
    "A film that is chosen during the search for another one wins, in whatever order the answers arrive"
  )
  func newest() {
    var filmMachine = TestFilmMachine()
    let (first, second) = (Self.list("a"), Self.list("b"))
    _ = filmMachine.handle(.enteredParty, at: Self.now)
    _ = filmMachine.handle(.adopted(first, by: Self.other, .chosen), at: Self.now)
    _ = filmMachine.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    let late = filmMachine.handle(.resolved(1, .film(Self.film("a"), Self.other)), at: Self.now)
    #expect(late == [])
    _ = filmMachine.handle(.resolved(2, .film(Self.film("b"), Self.other)), at: Self.now)
    #expect(filmMachine.film?.title == "b")
    #expect(filmMachine.isOpening)
  }

  @Test(
    "A participant who steps away during the search for the group's next film keeps the film on the screen"
  )
  func steppingAwayDuringSearch() {
    let list = Self.list("a")
    var filmMachine = Self.open(list)
    _ = filmMachine.handle(.adopted(Self.list("b"), by: Self.other, .chosen), at: Self.now)
    _ = filmMachine.handle(.separated(.steppedAway, for: .steppedAway), at: Self.now)
    let late = filmMachine.handle(.resolved(3, .missing("none")), at: Self.now)
    #expect(late == [] && filmMachine.film?.title == "a" && !filmMachine.isOnItsWay)

    // The user's own choice still opens.
    filmMachine = Self.open(list)
    _ = filmMachine.handle(.adopted(Self.list("b"), by: .user, .chosen), at: Self.now)
    _ = filmMachine.handle(.separated(.steppedAway, for: .steppedAway), at: Self.now)
    _ = filmMachine.handle(.resolved(3, .film(Self.film("b"), .user)), at: Self.now)
    #expect(filmMachine.film?.title == "b")
  }

  @Test("A preview ends with its film, and moves nobody")
  func previewEnds() {
    var filmMachine = Self.open(Self.list("a"))
    _ = filmMachine.handle(.separated(.scrubbing, for: .userIsChangingCurrentTime), at: Self.now)
    let next = filmMachine.handle(.adopted(Self.list("b"), by: Self.other, .chosen), at: Self.now)
    #expect(next.contains(.rejoin(.scrubbing, proposing: nil)))
    #expect(!filmMachine.separations.contains(.scrubbing))
    #expect(
      filmMachine.handle(.rejoined(.scrubbing, proposing: MediaTime(seconds: 5)), at: Self.now)
        == [])
  }

  @Test("After leaving the party the user is no longer apart from the group, and the film stays")
  func leavingApart() {
    var filmMachine = Self.open(Self.list("a"))
    _ = filmMachine.handle(.separated(.steppedAway, for: .steppedAway), at: Self.now)
    _ = filmMachine.handle(.separated(.notReady, for: .readyCheck), at: Self.now)
    let left = filmMachine.handle(.leftParty, at: Self.now)
    #expect(left.contains(.rejoin(.steppedAway, proposing: nil)))
    #expect(filmMachine.separations.isEmpty)
    #expect(filmMachine.film?.title == "a" && filmMachine.isShown)
  }

  @Test("A film to which the group returns during a search is the coordinator's item again")
  func returningDuringSearch() {
    let list = Self.list("a")
    var filmMachine = Self.open(list)
    let film = filmMachine.film!
    _ = filmMachine.handle(.separated(.scrubbing, for: .userIsChangingCurrentTime), at: Self.now)
    let away = filmMachine.handle(.adopted(Self.list("b"), by: Self.other, .chosen), at: Self.now)
    #expect(away.contains(.clearItem))
    let back = filmMachine.handle(.adopted(list, by: Self.other, .chosen), at: Self.now)
    #expect(back.contains(.restoreItem(film)))
    let again = filmMachine.handle(.adopted(list, by: Self.other, .chosen), at: Self.now)
    #expect(!again.contains(.restoreItem(film)))
  }

  @Test("The next film counts as following only after the one before it")
  func following() {
    let list = Self.list("a", "b")
    var filmMachine = Self.open(list)
    var next = list
    var dice = RandomSource.seeded(9)
    let entry = list.entry(at: 1)!
    let isChosen = next.makeCurrent(entry.id, at: nil, using: &dice)
    #expect(isChosen)
    var elsewhere = filmMachine
    let directives = filmMachine.handle(.adopted(next, by: Self.other, .following), at: Self.now)
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
    var filmMachine = Self.open(first)
    let isKeptWithoutNeed = filmMachine.keepPlay(besides: first.current.item)
    #expect(!isKeptWithoutNeed)
    _ = filmMachine.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    let isPlayKept = filmMachine.keepPlay(besides: first.current.item)
    #expect(isPlayKept)
    let isSeekKept = filmMachine.keepSeek(to: MediaTime(seconds: 30), besides: first.current.item)
    #expect(isSeekKept)
    _ = filmMachine.handle(.resolved(3, .film(Self.film("b"), Self.other)), at: Self.now)
    let directives = filmMachine.handle(.loaded(4), at: Self.now)
    #expect(
      directives == [
        .begin(
          4, Self.film("b").shown(as: second.current), at: MediaTime(seconds: 30), plays: true)
      ])
  }

  @Test("A copy has the party's title, under whatever name the file is on this machine")
  func title() {
    let list = Self.list("a")
    var copy = Self.film("a")
    copy.title = "a (another copy)"
    var filmMachine = Self.open(list)
    #expect(filmMachine.film?.title == "a")
    filmMachine = TestFilmMachine()
    _ = filmMachine.handle(.enteredParty, at: Self.now)
    _ = filmMachine.handle(.adopted(list, by: Self.other, .chosen), at: Self.now)
    _ = filmMachine.handle(.resolved(1, .missing("none")), at: Self.now)
    _ = filmMachine.handle(.copyFound(copy, entry: list.current.id), at: Self.now)
    #expect(filmMachine.film?.title == "a" && filmMachine.film?.location == copy.location)
  }

  @Test("A play command is forgotten by the pause after it")
  func pausedAgain() {
    let (first, second) = (Self.list("a"), Self.list("b"))
    var filmMachine = Self.open(first)
    _ = filmMachine.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    let isKept = filmMachine.keepPlay(besides: first.current.item)
    #expect(isKept)
    filmMachine.forgetPlay(besides: first.current.item)
    _ = filmMachine.handle(.resolved(3, .film(Self.film("b"), Self.other)), at: Self.now)
    let directives = filmMachine.handle(.loaded(4), at: Self.now)
    #expect(
      directives == [
        .begin(4, Self.film("b").shown(as: second.current), at: nil, plays: false)
      ])
  }

  @Test("A film that should play doesn't if a pause comes while it begins")
  func pausedAtBeginning() {
    let (first, second) = (Self.list("a"), Self.list("b"))
    var filmMachine = Self.open(first)
    _ = filmMachine.handle(.adopted(second, by: Self.other, .chosen), at: Self.now)
    _ = filmMachine.keepPlay(besides: first.current.item)
    _ = filmMachine.handle(.resolved(3, .film(Self.film("b"), Self.other)), at: Self.now)
    _ = filmMachine.handle(.loaded(4), at: Self.now)
    #expect(filmMachine.playsOnceBegun(4))
    filmMachine.forgetPlay(besides: second.current.item)
    #expect(!filmMachine.playsOnceBegun(4))
  }

  @Test("A lost server is tried again after 1, 2, 4 and 8 seconds, and then every 8")
  func pauses() {
    var filmMachine = Self.open(Self.list("a"))
    _ = filmMachine.handle(.lostServer, at: Self.now)
    var now = Self.now
    for seconds in [1, 2, 4, 8, 8] {
      #expect(filmMachine.nextDeadline == now + .seconds(seconds))
      now = now + .seconds(seconds)
      let directives = filmMachine.timerFired(at: now)
      #expect(directives == [.reopen(2, filmMachine.film!)])
      _ = filmMachine.handle(.reopeningFailed(2), at: now)
    }
    _ = filmMachine.timerFired(at: now + .seconds(8))
    let directives = filmMachine.handle(.reopened(2), at: now)
    #expect(directives == [.rejoin(.disconnected, proposing: nil), .tellReady])
  }

  @Test("The third loss in a row right after the film was opened again is the last")
  func repeatedLoss() {
    var filmMachine = Self.open(Self.list("a"))
    for attempt in 0..<4 {
      let directives = filmMachine.handle(.lostServer, at: Self.now)
      #expect(directives.contains(.tellOfRepeatedLoss) == (attempt == 3))
      _ = filmMachine.timerFired(at: Self.now + .seconds(1))
      _ = filmMachine.handle(.reopened(2), at: Self.now + .seconds(1))
    }
    #expect(filmMachine.state == .unplayable)
  }

  @Test("After a failed change, the film of a user who is apart from the group returns")
  func putBackApart() {
    let list = Self.list("a")
    var filmMachine = Self.open(list)
    _ = filmMachine.handle(
      .separated(.steppedAway, for: .init(rawValue: "steppedAway")), at: Self.now)
    let next = Self.list("b")
    _ = filmMachine.handle(.adopted(next, by: Self.other, .chosen), at: Self.now)
    let directives = filmMachine.handle(.putBack(next), at: Self.now)
    #expect(filmMachine.film?.title == "a")
    #expect(filmMachine.keepsFilm)
    #expect(
      directives.contains {
        if case .load(_, let film, _) = $0 { film.title == "a" } else { false }
      })
  }
}
