import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

@Suite("A film that the user chooses")
struct FilmChoiceTests {
  typealias Machine = ScreeningMachine<String>

  private static let ana = Participant(id: .init(high: 1, low: 1), name: "Ana", role: .host)
  private static let ben = Participant(id: .init(high: 1, low: 2), name: "Ben", role: .guest)
  private static let place = MediaTime(seconds: 61)

  private static func film(_ title: String) -> FilmIdentity {
    FilmIdentity(identifier: title, title: title, location: "/films/" + title)
  }

  private static func reading(with participants: Participant...) -> ScreeningReading {
    var party: ScreeningReading.Party?
    if !participants.isEmpty {
      party = .init(
        me: ana.id, rules: PartyRules(creator: ana.id), participants: participants, groupTime: nil,
        session: .over)
    }
    return ScreeningReading(
      coordinator: CoordinatorSnapshot(
        currentItemIdentifier: nil, status: .noItem, rate: 1, itemTime: nil, suspensionReasons: [],
        otherParticipants: []), mayControl: true, player: .init(), party: party)
  }

  private static func member() -> Machine {
    var machine = Machine(random: RandomSource.seeded(5))
    try! machine.membership.beginEntering()
    machine.membership.entered(at: HostTime(nanoseconds: 9_000_000_000))
    return machine
  }

  /// The question that directives ask.
  private static func question(in directives: [Machine.Directive]) -> FilmChoice.Number? {
    for case .prepareActivation(let number, _) in directives { return number }
    return nil
  }

  private static func opensAlone(_ directives: [Machine.Directive]) -> Bool {
    directives.contains { if case .film(.choseAlone) = $0 { true } else { false } }
  }

  private static func opensForAll(_ directives: [Machine.Directive], _ film: FilmIdentity) -> Bool {
    directives.contains {
      if case .attempt(let inner, orElse: _) = $0 { inner == [.beginSession(film)] } else { false }
    }
  }

  @Test("Outside a party, and alone in one, the film opens at once where it was left")
  func alone() {
    var machine = Machine(random: RandomSource.seeded(5))
    let directives = machine.choose(
      Self.film("a"), at: Self.place, isAnew: false, in: Self.reading())
    #expect(Self.question(in: directives) == nil)
    #expect(directives.first == .report(.resuming(at: Self.place)))
    var host = Self.member()
    let shared = host.choose(
      Self.film("a"), at: Self.place, isAnew: true, in: Self.reading(with: Self.ana))
    #expect(Self.question(in: shared) == nil)
    #expect(Self.opensForAll(shared, Self.film("a")))
    #expect(!shared.contains(.report(.resuming(at: Self.place))))
  }

  @Test("In company the user decides first for whom it opens")
  func intents() throws {
    for intent in [
      GroupActivityActivationResult.activationPreferred, .activationDisabled, .cancelled,
    ] {
      var machine = Self.member()
      let reading = Self.reading(with: Self.ana, Self.ben)
      let asked = machine.choose(Self.film("a"), at: Self.place, isAnew: false, in: reading)
      #expect(asked.count == 1)
      let number = try #require(Self.question(in: asked))
      let settled = machine.intentSettled(number, intent, in: reading)
      #expect(
        Self.opensForAll(settled, Self.film("a")) == (intent == .activationPreferred), "\(intent)")
      #expect(Self.opensAlone(settled) == (intent == .activationDisabled), "\(intent)")
      #expect(
        settled.contains(.report(.resuming(at: Self.place))) == (intent != .cancelled), "\(intent)")
      // The same answer doesn't count twice.
      #expect(machine.intentSettled(number, intent, in: reading) == [])
    }
  }

  @Test("The answer to an older question has no effect")
  func replaced() throws {
    var machine = Self.member()
    let reading = Self.reading(with: Self.ana, Self.ben)
    let older = try #require(
      Self.question(in: machine.choose(Self.film("a"), at: nil, isAnew: false, in: reading)))
    let newer = try #require(
      Self.question(in: machine.choose(Self.film("b"), at: nil, isAnew: false, in: reading)))
    #expect(machine.intentSettled(older, .activationPreferred, in: reading) == [])
    let settled = machine.intentSettled(newer, .activationPreferred, in: reading)
    #expect(Self.opensForAll(settled, Self.film("b")))
  }

  @Test("After the party is over the answer opens the film here")
  func partyOver() throws {
    var machine = Self.member()
    let number = try #require(
      Self.question(
        in: machine.choose(
          Self.film("a"), at: nil, isAnew: false, in: Self.reading(with: Self.ana, Self.ben))))
    let leaves = machine.beginLeaving()
    #expect(leaves)
    machine.membership.left()
    let settled = machine.intentSettled(number, .activationPreferred, in: Self.reading())
    #expect(
      settled.contains { if case .film(.chose) = $0 { true } else { false } })
  }

  @Test("A copy of the party's film needs no question")
  func copy() {
    var machine = Self.member()
    machine.sessionBegan(machine.newList(Self.film("a")))
    var reading = Self.reading(with: Self.ana, Self.ben)
    reading.party?.session = .joined
    let directives = machine.choose(Self.film("a"), at: Self.place, isAnew: false, in: reading)
    #expect(Self.question(in: directives) == nil)
    #expect(
      directives.contains { if case .film(.adopted) = $0 { true } else { false } })
  }

  @Test(
    "Only a film that the user named is published as the user's own, whatever the user does to the list"
  )
  func ownFilm() throws {
    var dice = RandomSource.seeded(6)
    let reading = Self.reading(with: Self.ana, Self.ben)
    var machine = Self.member()
    var list = machine.newList(Self.film("a"))
    machine.sessionBegan(list)
    #expect(machine.activity(list).isOwnFilm)
    // A guest makes its own address the current film.
    let guests = PlaylistEntry(
      id: 7, identifier: "url:http://guest.example/x", title: "x",
      location: "http://guest.example/x")
    list.open(guests, at: nil, using: &dice)
    #expect(!machine.activity(list).isOwnFilm)
    _ = machine.sessionChanged(
      to: list, groupTime: nil, mayEdit: true, now: HostTime(nanoseconds: 0))
    func edited(_ directives: [Machine.Directive]) throws -> FilmActivity {
      let edits = directives.compactMap { directive -> Playlist? in
        switch directive {
        case .setList(let edit): return edit.playlist
        case .attempt(let inner, _):
          guard case .setList(let edit)? = inner.first else { return nil }
          return edit.playlist
        default: return nil
        }
      }
      return machine.activity(try #require(edits.first))
    }
    // The user adds a film to it, and moves on to it and back.
    let added = try edited(machine.identified(Self.film("b"), .enqueue, in: reading))
    #expect(added.identifier == guests.identifier && !added.isOwnFilm)
    let next = try edited(machine.handle(.advance(by: 1), in: reading))
    #expect(next.title == "b" && next.isOwnFilm)
    let back = try edited(machine.handle(.advance(by: -1), in: reading))
    #expect(back.identifier == guests.identifier && !back.isOwnFilm)
    // A guest changes an entry of the user's.
    let own = try #require(machine.list?.entries.last)
    var swapped = Playlist(
      PlaylistEntry(
        id: own.id, identifier: guests.identifier, title: "b", location: guests.location),
      at: nil, using: &dice)
    #expect(!machine.activity(swapped).isOwnFilm)
    swapped = Playlist(own, at: nil, using: &dice)
    #expect(machine.activity(swapped).isOwnFilm)
    // Another participant's film stays that participant's when it is opened again.
    var film = Self.film("c")
    film.isForeign = true
    #expect(!machine.activity(machine.newList(film)).isOwnFilm)
  }

  @Test("The film of a session that is over without a word is asked about, and begins another one")
  func displacedSession() throws {
    var machine = Self.member()
    machine.sessionBegan(machine.newList(Self.film("a")))
    let reading = Self.reading(with: Self.ana, Self.ben)
    let film = Self.film("a")
    #expect(try Self.opensForAll(machine.identified(film, .watch, in: reading), film))
    let directives = machine.choose(film, at: nil, isAnew: false, in: reading)
    #expect(Self.question(in: directives) != nil)
  }
}
