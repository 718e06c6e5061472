import Foundation
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The program of a simulated participant: the real loop with its machine, and the state of the fake adapters that
/// ``Simulation`` performs its effects with.
struct SimulatedProgram {
  typealias Machine = ScreeningMachine

  /// A sequence of events. The next one is handled once the effects of the one before it are performed.
  enum Stream: Int, Hashable, Sendable, CaseIterable {
    case player, coordinator, party, session, relays, readyChecks, chatQuestions, chatAnswers

    /// A Boolean value that indicates whether the stream belongs to a party.
    var isPartys: Bool { self != .player && self != .coordinator }
  }

  /// The events of a stream that have yet to be handled.
  struct Inbox {
    var events: [Machine.Event] = []
    var handled: ScreeningLoop.ChainID?
    var isScheduled = false
  }

  /// An event on the virtual timeline.
  enum Later: Sendable {
    case alarm(Int)
    case next(Stream)
    case answered(ScreeningLoop.Job, Result<EffectAnswer, any Error>)
    case opens(Opening)
    case loaded(Opening)
    case trailerOver(Int, Trailers.Event)
    /// The participant's program tries to enter the party; it stops trying.
    /// The copies that others share have changed.
    case offers
    /// The user's film has been read, if nothing was withdrawn meanwhile.
    case gives(FilmIdentity, ShareQuality?, withdrawals: Int)
    case connects(stay: Int)
    case givesUp(stay: Int)
    case comesBack(stay: Int)
    /// A relay was reached by its address, or not.
    case reached(Participant.ID, Invite.Address)
    case hearsOfRelays
    case losesRelay(of: Int)
    case serves(ScreeningLoop.Job, stay: Int)
    case bridgeFails(to: String)
    case relays
  }

  /// A film that is being opened.
  struct Opening: Sendable {
    var job: ScreeningLoop.Job
    var number: FilmOrder.Number
    var film: FilmIdentity
    var timing: PlaybackTiming?
    var isAgain = false
    /// The number among all openings: a newer one ends it.
    var order: Int
  }

  /// The participation in the party.
  enum Stay {
    case outside
    case entering(ScreeningLoop.Job)
    case inside
    /// The party is over for this participant, which hasn't left it yet.
    case over
  }

  /// The calls in other programs, and what becomes of the film's sound.
  struct Calls {
    var isAudible = false
    var isListening = false
    var isLowered = false
  }

  var calls = Calls()
  /// The remarks about films, by the identifiers of the films.
  var remarks: [String: [Echoes.Echo]] = [:]
  var loop: ScreeningLoop
  var inboxes: [Stream: Inbox] = [:]
  /// The effects of what the user did that aren't performed yet, with the command and its time.
  var acts: [ScreeningLoop.ChainID: (command: UserCommand?, at: Nanoseconds)] = [:]
  var isPumping = false
  /// True while something that the user did is handled or performed.
  var isActing = false
  /// True while the program handles what its player did by itself.
  var isStraying = false
  /// The time of the last event about films, trailers, the party or a command.
  var lastEventAt: Nanoseconds = 0
  let answersStarts: Bool

  // Films.
  /// The films that the user named, as commands or on the command line.
  var named: Set<String> = []
  /// A Boolean value that indicates whether the user didn't agree to the last film's server, or the film may not be loaded.
  var hasNoFilm = false
  var suspensions: [Separation: UInt64] = [:]
  var policy = URLPolicy()
  /// The item at whose end the player is, so that each end is reported once.
  var ended: String?
  /// The number of requests that were made, so that some of them fail.
  var requests: UInt64 = 0
  var positions: [String: MediaTime] = [:]
  /// The films of which a copy was found in a media folder since.
  var scanned: Set<String> = []
  var hasLostServer = false
  /// The identifiers of the entries that this user added.
  var added: Set<UInt32> = []
  let trailers: [String]
  let trailerFailure: TrailerFailure?
  var trailerPlayer: SimulatedTrailers?

  // The party.
  var stay = Stay.outside
  /// The number of stays so far.
  var stays = 0
  /// The effects of entering, and the order to enter, whose answer comes after them.
  var entry: ScreeningLoop.ChainID?
  var entering: ScreeningLoop.Job?
  /// A Boolean value that indicates whether the events of the party are handled.
  var isAttending = false
  var facts: PartyFacts?
  /// The copies that this participant shares, and those of others that it knows.
  var given: [SharedFilm] = []
  var withdrawals = 0
  /// The subtitles that the person shares in the session, those of others that the program knows, and those that the
  /// player has loaded with its film.
  var givenSubtitles: [SharedSubtitles] = []
  var heardSubtitles: [UUID] = []
  var loadedSubtitles: Set<UUID> = []
  var offers: [SharedFilm] = []
  var remembered: Playlist?
  var quitting: ScreeningLoop.ChainID?
  var relays = SimulatedRelays()

  enum TrailerFailure { case player, trailer }

  static let trailerList = ["trailer", "another trailer"]

  init(seed: UInt64, person: Person) {
    var dice = Dice(seed: seed, 21, UInt64(person.number))
    loop = ScreeningLoop(ScreeningMachine(random: Dice(seed: seed, 22, UInt64(person.number))))
    trailers = dice.chance(0.15) ? Self.trailerList : []
    answersStarts = dice.chance(0.1)
    trailerFailure = dice.chance(0.2) ? dice.chance(0.5) ? .player : .trailer : nil
  }

  var machine: ScreeningMachine { loop.machine }

  var isMember: Bool { if case .inside = stay { true } else { false } }
}

/// The trailers' player of a simulated program.
struct SimulatedTrailers {
  var isPaused = false
  /// The number of the newest trailer, or of the newest time that it was resumed. An older end isn't reported.
  var number = 0
}

/// The films of whole programs, and who has which copy. All follows from the scenario's seed.
struct FilmShelf {
  var seed: UInt64

  /// Files, of which each participant needs a copy, and streams.
  static let files = ["short", "brief", "long", "longer"]
  static let streams = [
    "https://one.example/a.mkv", "https://two.example/b.mkv", "http://nas.lan/c.mkv",
    "https://three.example/d.mkv",
  ]

  /// The files with the same content as streams.
  static let twins = [
    "https://one.example/a.mkv": "long", "http://nas.lan/c.mkv": "longer",
    "https://three.example/d.mkv": "longer",
  ]

  /// The times of another copy, which lacks a part of the film.
  static let timeline = CopyTimeline(pieces: [
    .init(begin: .zero, end: MediaTime(seconds: 2), offset: .seconds(4)),
    .init(begin: MediaTime(seconds: 9), end: MediaTime(seconds: 7200), offset: .seconds(-2)),
  ])!

  static func film(_ location: String) -> FilmIdentity {
    location.contains("://")
      ? FilmIdentity(
        identifier: FilmIdentifier.ofStream(location), title: location,
        location: location)
      : FilmIdentity(identifier: location, title: location, location: "/films/" + location)
  }

  /// Returns the servers of a stream: the one that its address names, and the one to which that redirects.
  static func route(_ location: String) -> [FilmOrigin] {
    let end = location.hasPrefix("https://three.") ? "https://four.example/d.mkv" : nil
    return [location, end].compactMap { $0.flatMap(FilmOrigin.init) }
  }

  static func network(of host: String) -> HostNetwork {
    switch host {
    case "nas.lan": .own
    case "two.example": .unknown
    default: .internet
    }
  }

  /// Returns the duration of a participant's copy of a film.
  func duration(ofItem item: String, person: Int) -> Nanoseconds {
    let film = FilmIdentifier.film(ofItem: item)
    let whole: Nanoseconds =
      switch film {
      case "short": .seconds(9)
      case "brief": .seconds(5)
      default: .seconds(7200)
      }
    var dice = dice(film, person, 1)
    return whole - (dice.chance(0.15) ? .milliseconds(1500) : 0)
  }

  /// Returns whether a participant has a copy of a film that it didn't name itself.
  func has(_ film: String, person: Int) -> Bool {
    var dice = dice(film, person, 2)
    return Self.files.contains(film) && dice.chance(0.85)
  }

  /// Returns whether a participant's player fails to load a film.
  func fails(_ film: String, person: Int, request: UInt64) -> Bool {
    var dice = dice(film, person, 3 + request)
    return dice.chance(0.04)
  }

  private func dice(_ film: String, _ person: Int, _ purpose: UInt64) -> Dice {
    let number = film.utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) }
    return Dice(seed: seed, 20, number, UInt64(person), purpose)
  }
}

/// An occurrence at the edges of a whole program.
enum ProgramOccurrence {
  /// The user types a command. `isAsked`: a question about a server is on the screen.
  case typed(UserCommand, isAsked: Bool)
  /// A command was carried out, or refused with an error.
  case used(UserCommand, error: String?)
  /// The films of the command line.
  case planned([String])
  /// The session's list was set by this participant, because of a command, or because a film ended.
  case listSet(before: Playlist, after: Playlist, byUser: Bool)
  /// The program learns of a change of the group's playback.
  case heard(CoordinatedChange)
  /// The user, or a script, is told that the film has ended.
  case toldOfEnd
  /// The loop handled events; `before` is the film on the screen before them.
  case filmMachine(before: FilmIdentity?, wasShown: Bool)
  /// The participant begins to leave its party.
  case leaves
  /// An adapter reports an event.
  case event(ScreeningMachine.Event)
  /// An adapter performs an effect.
  case effect(ScreeningMachine.Effect)
  /// The player connects to a server of a film that another participant chose.
  case contacted(FilmOrigin)
}
