import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

@Suite("A film that the user chooses")
struct FilmChoiceTests {
  typealias Machine = ScreeningMachine

  private static let ana = Participant(id: .init(high: 1, low: 1), name: "Ana", role: .host)
  private static let ben = Participant(id: .init(high: 1, low: 2), name: "Ben", role: .guest)
  private static let place = MediaTime(seconds: 61)

  private static func film(_ title: String) -> FilmIdentity {
    FilmIdentity(identifier: title, title: title, location: "/films/" + title)
  }

  private static func reading(with participants: Participant...) -> Reading {
    var party: PartyFacts?
    if !participants.isEmpty {
      party = .init(
        me: ana.id, rules: PartyRules(creator: ana.id), participants: participants, clock: nil,
        session: .over)
    }
    return Reading(party: party)
  }

  private static func member() -> Machine { .inParty() }

  /// The question that effects ask.
  private static func question(in effects: [Machine.Effect]) -> FilmChoice.Number? {
    for case .prepareActivation(let number, _) in effects { return number }
    return nil
  }

  private static func opensAlone(_ effects: [Machine.Effect]) -> Bool {
    effects.contains { $0 == .separate(.watchingAlone, for: .watchingAlone) }
  }

  private static func opensForAll(_ effects: [Machine.Effect], _ film: FilmIdentity) -> Bool {
    effects.contains {
      guard case .attempt(let inner, orElse: _) = $0,
        case .party(.beginSession(let activity))? = inner.first
      else { return false }
      return activity.identifier == film.identifier
    }
  }

  @Test("Outside a party, and alone in one, the film opens at once where it was left")
  func alone() {
    var machine = Machine(random: RandomSource.seeded(5))
    let effects = machine.choose(
      Self.film("a"), at: Self.place, isAnew: false, in: Self.reading())
    #expect(Self.question(in: effects) == nil)
    #expect(effects.first == .report(.resuming(at: Self.place)))
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
    #expect(!machine.leave().isEmpty)
    machine.membership.left()
    let settled = machine.intentSettled(number, .activationPreferred, in: Self.reading())
    #expect(
      settled.contains { if case .film(.load) = $0 { true } else { false } })
  }

  @Test("A copy of the party's film needs no question")
  func copy() {
    var machine = Self.member()
    _ = machine.sessionBegan(SessionStart(list: machine.newList(Self.film("a")), chooser: nil))
    var reading = Self.reading(with: Self.ana, Self.ben)
    reading.party?.session = .joined
    let effects = machine.choose(Self.film("a"), at: Self.place, isAnew: false, in: reading)
    #expect(Self.question(in: effects) == nil)
    #expect(
      effects.contains { if case .wait(.fileIsOpen) = $0 { true } else { false } })
  }

  @Test(
    "Only a film that the user named is published as the user's own, whatever the user does to the list"
  )
  func ownFilm() throws {
    var dice = RandomSource.seeded(6)
    let reading = Self.reading(with: Self.ana, Self.ben)
    var machine = Self.member()
    var list = machine.newList(Self.film("a"))
    _ = machine.sessionBegan(SessionStart(list: list, chooser: nil))
    #expect(machine.activity(list).isOwnFilm)
    // A guest makes its own address the current film.
    let guests = PlaylistEntry(
      id: 7, identifier: "url:http://guest.example/x", title: "x",
      location: "http://guest.example/x")
    list.open(guests, at: nil, using: &dice)
    #expect(!machine.activity(list).isOwnFilm)
    _ = machine.listChanged(to: list, by: Self.ben.id)
    func edited(_ effects: [Machine.Effect]) throws -> FilmActivity {
      let edits = effects.compactMap { effect -> Playlist? in
        switch effect {
        case .party(.setList(let edit)): return edit.playlist
        case .attempt(let inner, _):
          guard case .party(.setList(let edit))? = inner.first else { return nil }
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

  @Test("The group changes to a film once it is known to open, and a failure changes nothing")
  func triedOut() throws {
    var machine = Self.member()
    var reading = Self.reading(with: Self.ana, Self.ben)
    reading.party?.session = .joined
    _ = machine.sessionBegan(SessionStart(list: machine.newList(Self.film("a")), chooser: nil))
    machine.know(reading)
    let (film, list) = (Self.film("b"), machine.list)
    func tries(_ effects: [Machine.Effect]) throws -> FilmChoice.Number {
      guard case .film(.tryOut(film, let number))? = effects.first, effects.count == 1 else {
        throw PlaylistProblem.empty
      }
      return number
    }
    let older = try tries(machine.identified(film, .watch))
    #expect(
      machine.failed(.film(.tryOut(film, older)), PlaylistProblem.noNext)
        == [.report(.failed("\(PlaylistProblem.noNext). The party stays at “a”."))])
    #expect(machine.list == list && machine.filmMachine.adopted == list)
    // Only the newest choice counts.
    let newest = try tries(machine.identified(film, .watch))
    #expect(machine.canPlay(older) == [])
    let opened = machine.canPlay(newest)
    #expect(machine.list?.current.identifier == film.identifier && !opened.isEmpty)
    // The player has opened this one already.
    #expect(try machine.identified(Self.film("c"), .loadedInPlayer).count > 0)
    #expect(machine.list?.current.identifier == "c")
    let alone = try tries(machine.identified(film, .watchAlone))
    #expect(Self.opensAlone(machine.canPlay(alone)))
  }

  @Test(
    "Alone, a film that can't be opened leaves the one on the screen; without one it is tried at once"
  )
  func triedOutAlone() throws {
    var machine = Machine(random: RandomSource.seeded(5))
    let first = try machine.identified(Self.film("a"), .watch)
    #expect(first.contains { if case .film(.load) = $0 { true } else { false } })
    let second = try machine.identified(Self.film("b"), .watch)
    guard case .film(.tryOut(let film, _))? = second.first else { throw PlaylistProblem.empty }
    #expect(film == Self.film("b") && machine.filmMachine.film?.title == "a")
    #expect(
      machine.failed(second[0], PlaylistProblem.noNext)
        == [.report(.failed("\(PlaylistProblem.noNext). “a” stays open."))])
  }

  @Test("Without a copy the party's film is missing, until one is found or the party is left")
  func missing() throws {
    var machine = Self.member()
    #expect(machine.missing == nil)
    let list = machine.newList(Self.film("a"))
    let looked = machine.sessionBegan(SessionStart(list: list, chooser: nil))
    for case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _))
      in looked
    {
      _ = try machine.handle(.searched(number, entry, by: chooser, copy: nil, isFresh: false))
    }
    #expect(machine.missing == list.current)
    var found = machine
    _ = try found.handle(.copyFound(Self.film("a"), entry: list.currentID))
    #expect(found.missing == nil)
    _ = machine.leave()
    #expect(machine.missing == nil)
  }

  /// A machine without a copy of the party's film `a`, with another participant.
  private static func withoutFilm() throws -> Machine {
    var machine = Self.member()
    machine.know(Self.reading(with: Self.ana, Self.ben))
    let list = machine.newList(Self.film("a"))
    let looked = machine.sessionBegan(SessionStart(list: list, chooser: nil))
    for case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _))
      in looked
    {
      _ = try machine.handle(.searched(number, entry, by: chooser, copy: nil, isFresh: false))
    }
    return machine
  }

  /// The answer to the comparison that effects ask for.
  private static func compare(
    _ effects: [Machine.Effect], _ seconds: (Double?, Double?)
  ) throws -> Machine.FilmEvent {
    for case .film(.compare(let film, with: let entry, let purpose)) in effects {
      let comparison = CopyComparison(
        film: film, partys: entry, length: seconds.0.map(MediaTime.init(seconds:)),
        partysLength: seconds.1.map(MediaTime.init(seconds:)))
      // Nothing is remembered.
      return purpose == .use ? .recalled(comparison) : .compared(comparison, purpose)
    }
    throw PlaylistProblem.empty
  }

  @Test("Another copy that is as long takes the place of the party's film; another film doesn't")
  func otherCopy() throws {
    var machine = try Self.withoutFilm()
    let partys = try #require(machine.missing)
    let effects = try machine.identified(Self.film("cut"), .sameFilm)
    var shorter = machine
    let refused = try shorter.handle(Self.compare(effects, (90, 120)))
    // The sound says whether it is the film.
    #expect(refused.contains { if case .share(.align) = $0 { true } else { false } })
    #expect(shorter.missing != nil)
    for lengths in [(nil, 120), (119, nil)] as [(Double?, Double?)] {
      var unknown = machine
      _ = try unknown.handle(Self.compare(effects, lengths))
      #expect(unknown.missing != nil)
    }
    let used = try machine.handle(Self.compare(effects, (118.5, 120)))
    #expect(machine.missing == nil)
    let loaded = used.compactMap { effect -> FilmIdentity? in
      if case .film(.load(_, let film, proposing: nil)) = effect { film } else { nil }
    }
    #expect(loaded.map(\.item) == [partys.item] && loaded.map(\.location) == ["/films/cut"])
    #expect(loaded.map(\.isOtherCopy) == [true], "the others are to see it")
    #expect(throws: NothingToDo.nothingMissing) {
      try machine.identified(Self.film("cut"), .sameFilm)
    }
  }

  @Test("A file with the content of the party's stream is watched under the party's identifier")
  func sameContent() throws {
    let location = "https://films.example/a.mkv"
    var machine = Self.member()
    machine.know(Self.reading(with: Self.ana, Self.ben))
    _ = try machine.handle(.named([Self.film("mine")], isSameFilm: false), at: machine.now)
    let stream = FilmIdentity(
      identifier: FilmIdentifier.ofStream(location), title: "a", location: location)
    let looked = machine.sessionBegan(SessionStart(list: machine.newList(stream), chooser: nil))
    guard
      case .library(.findCopy(let number, let entry, by: let by, let named, let streams))? =
        looked.last(where: { if case .library = $0 { true } else { false } })
    else { throw PlaylistProblem.empty }
    #expect(named == [Self.film("mine")] && streams == [], "the user hasn't agreed to the server")
    let effects = try machine.handle(
      .searched(number, entry, by: by, copy: Self.film("mine"), isFresh: false))
    let loaded = effects.compactMap { effect -> FilmIdentity? in
      if case .film(.load(_, let film, proposing: nil)) = effect { film } else { nil }
    }
    #expect(loaded.map(\.item) == [entry.item] && loaded.map(\.location) == ["/films/mine"])
    #expect(!loaded[0].isOtherCopy && !loaded[0].isForeign && !loaded[0].isIdentifiedByContent)
  }

  /// A machine whose user named the file `mine`, and is about to be asked about the server of the party's stream.
  private static func asking() throws -> (Machine, [Machine.Effect]) {
    var machine = Self.member()
    machine.know(Self.reading(with: Self.ana, Self.ben))
    _ = try machine.handle(.named([Self.film("mine")], isSameFilm: false), at: machine.now)
    let location = "https://films.example/a.mkv"
    let stream = FilmIdentity(
      identifier: FilmIdentifier.ofStream(location), title: "a", location: location)
    var effects = machine.sessionBegan(
      SessionStart(list: machine.newList(stream), chooser: ben.id))
    for case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _))
      in effects
    {
      effects = try machine.handle(
        .searched(number, entry, by: chooser, copy: nil, isFresh: false))
    }
    for case .film(.findNetwork(of: let refusal, let number)) in effects {
      effects = try machine.handle(.networkFound(.internet, of: refusal, number))
    }
    return (machine, effects)
  }

  private static func copy(in effects: [Machine.Effect]) -> String?? {
    for case .report(.mayOpen(let question)) in effects { return question.copy?.facts }
    return nil
  }

  @Test("A file that is as long as the party's stream may be it: the user is asked")
  func sameFilm() throws {
    let (machine, effects) = try Self.asking()
    #expect(Self.copy(in: effects) == nil, "the files are compared first")
    for (lengths, facts) in [
      ((119, 120), "2:00, yours 1:59"), ((120, nil), "of unknown length, yours 2:00"),
      ((90, 120), nil),
    ] as [((Double?, Double?), String?)] {
      var machine = machine
      let asked = try machine.handle(Self.compare(effects, lengths))
      #expect(Self.copy(in: asked) == .some(facts))
      let used = try machine.handle(
        Self.compare(machine.identified(Self.film("mine"), .sameFilm), lengths))
      let loaded = used.compactMap { effect -> FilmIdentity? in
        if case .film(.load(_, let film, proposing: nil)) = effect { film } else { nil }
      }
      #expect(loaded.map(\.item) == (facts == nil ? [] : [machine.list!.current.item]))
      #expect(loaded.allSatisfy { $0.location == "/films/mine" && $0.isOtherCopy })
      #expect((machine.question == nil) == (facts != nil))
    }
  }

  @Test(
    "A file that is as long as the stream on the screen can replace it, unless the user is apart")
  func sameFilmLater() throws {
    var (machine, effects) = try Self.asking()
    _ = try machine.handle(Self.compare(effects, (120, 120)))
    effects = try machine.handle(.answer(true, forGood: false), in: Self.reading(with: Self.ana))
    for case .library(.findCopy(let number, let entry, by: let chooser, named: _, let streams))
      in effects
    {
      #expect(streams.map(\.location) == ["https://films.example/a.mkv"])
      effects = try machine.handle(
        .searched(number, entry, by: chooser, copy: nil, isFresh: false))
    }
    for case .film(.load(let number, let film, proposing: _)) in effects {
      #expect(film.isForeign)
      effects = try machine.handle(.answer(.loaded(number)))
    }
    var other = machine
    #expect(try other.handle(Self.compare(effects, (90, 120))) == [])
    let offered = try machine.handle(Self.compare(effects, (120, 120)))
    #expect(offered.count == 1)
    guard case .report(.warning(let text))? = offered.first else { throw PlaylistProblem.empty }
    #expect(text.hasSuffix("same-film /films/mine"))
    let use = try machine.identified(Self.film("mine"), .sameFilm)
    var apart = machine
    _ = apart.films(.separated(.steppedAway, for: .steppedAway))
    _ = try apart.handle(Self.compare(use, (120, 120)))
    #expect(apart.filmMachine.film?.isForeign == true)
    _ = try machine.handle(Self.compare(use, (120, 120)))
    #expect(machine.filmMachine.film?.location == "/films/mine")
  }

  @Test("A film that a guest without the party's film opens doesn't replace it by mistake")
  func mistaken() throws {
    let machine = try Self.withoutFilm()
    var typing = machine
    let typed = try typing.identified(Self.film("b"), .watch)
    let refused = try typing.handle(Self.compare(typed, (50, 120)))
    #expect(refused.count == 1 && typing.list?.current.identifier == "a")
    guard case .report(.failed(let text, command: _))? = refused.first else {
      throw PlaylistProblem.empty
    }
    #expect(text.contains("“b” isn't the party's film, “a” (2:00, yours 0:50)"))
    #expect(text.contains("--for-everyone") && !text.contains("same-film"))
    // In a list, the question has the lengths.
    var choosing = machine
    let chosen = choosing.choose(Self.film("b"), at: nil, isAnew: false)
    let asked = try choosing.handle(Self.compare(chosen, (119, 120)))
    #expect(Self.question(in: asked) != nil)
    #expect(choosing.choice.comparison?.isUsable == true)
    // Another choice since makes the answer void.
    var newer = machine
    let older = newer.choose(Self.film("b"), at: nil, isAnew: false)
    _ = newer.choose(Self.film("c"), at: nil, isAnew: false)
    #expect(try newer.handle(Self.compare(older, (119, 120))) == [])
    // Explicitly for everyone.
    var together = machine
    let opened = try together.identified(Self.film("b"), .watchTogether)
    #expect(opened.contains { if case .film(.tryOut) = $0 { true } else { false } })
  }

  @Test("The film of a session that is over without a word is asked about, and begins another one")
  func displacedSession() throws {
    var machine = Self.member()
    _ = machine.sessionBegan(SessionStart(list: machine.newList(Self.film("a")), chooser: nil))
    let reading = Self.reading(with: Self.ana, Self.ben)
    let film = Self.film("a")
    #expect(try Self.opensForAll(machine.identified(film, .watch, in: reading), film))
    let effects = machine.choose(film, at: nil, isAnew: false, in: reading)
    #expect(Self.question(in: effects) != nil)
  }
}

extension ScreeningMachine {
  fileprivate mutating func choose(
    _ film: FilmIdentity, at position: MediaTime?, isAnew: Bool, in reading: Reading
  ) -> Effects {
    know(reading)
    return playable(choose(film, at: position, isAnew: isAnew))
  }

  fileprivate mutating func intentSettled(
    _ number: FilmChoice.Number, _ intent: GroupActivityActivationResult, in reading: Reading
  ) -> Effects {
    know(reading)
    return playable(intentSettled(number, intent))
  }

  fileprivate mutating func identified(
    _ film: FilmIdentity, _ purpose: FilmPurpose, in reading: Reading
  ) throws -> Effects {
    know(reading)
    return playable(try identified(film, purpose))
  }
}
