import Concurrency
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The program of a simulated participant: the machine of its screening, and what its rooms know. Its shell is
/// ``Simulation``, in place of ``ScreeningShell`` and the rooms.
struct SimulatedProgram {
  typealias Machine = ScreeningMachine<String>
  typealias Films = FilmMachine<String>

  /// An event that comes later: the answer to a request, or an alarm.
  enum Later: Sendable {
    case film(Films.Event)
    /// A film was loaded, for the request with this number.
    case loaded(Films.Number, FilmIdentity)
    case filmAlarm(Int)
    case restoring
    case trailers(Trailers.Event)
    /// The trailer with this number has ended, or failed.
    case trailerOver(Int, Trailers.Event)
    case readyCheck
  }

  var machine: Machine
  var host = MachineHost<Films>()
  /// The directives that have yet to be performed, and whether some are being performed.
  var queue: [Films.Directive] = []
  var isPerforming = false
  /// The coordinator's suspensions of the film machine's separations.
  var suspensions: [Separation: UInt64] = [:]
  /// The servers to which the user has agreed, and the one that the user is asked about.
  var allowed: Set<String> = []
  /// A Boolean value that indicates whether the user didn't agree to the last one.
  var hasDenied = false
  var asked: String?
  /// The films that the user named.
  var copies: Set<String> = []
  /// The item at whose end the player is, so that each end is reported once.
  var ended: String?
  /// The number of requests that were made, so that some of them fail.
  var requests: UInt64 = 0
  var trailers: Trailers
  var trailerPlayer: SimulatedTrailers?
  /// The part of the trailers that fails; nil for none.
  var trailerFailure: TrailerFailure?
  /// The identifiers of the entries that this user added and nobody was seen to remove.
  var added: Set<UInt32> = []
  /// The time of the film machine's last event.
  var lastEventAt: Nanoseconds = 0
  /// True while a command of the user is performed.
  var isActing = false
  /// A Boolean value that indicates whether a script of the player goes back at each start.
  let answersStarts: Bool
  /// True while the program handles what its player did by itself.
  var isStraying = false

  init(seed: UInt64, person: Person) {
    var dice = Dice(seed: seed, 21, UInt64(person.number))
    machine = Machine(random: Dice(seed: seed, 22, UInt64(person.number)))
    trailers = Trailers(dice.chance(0.15) ? Self.trailers : [])
    answersStarts = dice.chance(0.1)
    trailerFailure = dice.chance(0.2) ? dice.chance(0.5) ? .player : .trailer : nil
  }

  enum TrailerFailure { case player, trailer }

  static let trailers = ["trailer", "another trailer"]
}

/// The films of whole programs, and who has which copy. All follows from the scenario's seed.
struct FilmShelf {
  var seed: UInt64

  /// Files, of which each participant needs a copy, and streams.
  static let files = ["short", "brief", "long", "longer"]
  static let streams = ["https://one.example/a.mkv", "https://two.example/b.mkv"]

  static func film(_ location: String) -> FilmIdentity {
    location.contains("://")
      ? FilmIdentity(
        identifier: FilmIdentifier.ofStream(location), title: location,
        location: location)
      : FilmIdentity(identifier: location, title: location, location: "/films/" + location)
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

/// What a person does with a whole program.
enum ProgramOccurrence {
  /// A command was carried out, or refused with an error.
  case used(UserCommand, error: String?)
  /// The session's list was set by this participant, because of a command, or because a film ended.
  case listSet(before: Playlist, after: Playlist, byUser: Bool)
  /// The user, or a script, is told that the film has ended.
  case toldOfEnd
  /// The film machine handled an event; `before` is the film on the screen before it.
  case filmMachine(before: FilmIdentity?, wasShown: Bool)
}
