import PlaybackCoordination
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import Screening

/// The facts that the adapters report at one moment.
struct Reading {
  var coordinator = GroupFacts()
  var player = PlayerFacts()
  var party: PartyFacts?
  var isLive = false
  var isTrailerPaused: Bool?

  init(
    coordinator: GroupFacts = GroupFacts(), player: PlayerFacts = PlayerFacts(),
    party: PartyFacts? = nil
  ) {
    self.coordinator = coordinator
    self.player = player
    self.party = party
  }
}

extension GroupFacts {
  init(
    item: String? = "x", _ status: CoordinatorSnapshot.Status, at position: MediaTime?,
    apart reasons: [CoordinatedPlaybackSuspension.Reason] = []
  ) {
    self.init()
    self.item = item
    self.status = status
    self.itemTime = position
    self.reasons = reasons
  }
}

extension ScreeningMachine {
  typealias Effects = [Effect]

  /// A machine whose films are planned, with the list that follows from that.
  static func planning(_ films: [FilmIdentity]) -> Self {
    var machine = Self(random: RandomSource.seeded(5))
    _ = machine.plan(films, resumes: false, start: nil)
    return machine
  }

  /// A machine of a participant who has entered a party.
  static func inParty() -> Self {
    var machine = Self(random: RandomSource.seeded(5))
    try! machine.membership.beginEntering(by: .rejoin)
    machine.membership.entered(at: HostTime(nanoseconds: 9_000_000_000))
    return machine
  }

  mutating func know(_ reading: Reading) {
    for fact in [
      Fact.group(reading.coordinator), .player(reading.player), .party(reading.party),
      .live(reading.isLive),
    ] { _ = take(fact) }
    guard let isPaused = reading.isTrailerPaused else { return }
    trailers = Trailers(["trailer"])
    for event in [Trailers.Event.filmBegan, .separated, .opened, .paused(isPaused)] {
      _ = trailers.handle(event)
    }
  }

  mutating func handle(_ command: UserCommand, in reading: Reading) throws -> Effects {
    know(reading)
    let effects = try handle(command)
    // The position is the reading's.
    return effects == [.look(.command(command))] ? try decide(command) : effects
  }

  mutating func handle(_ report: PlayerReport, in reading: Reading) -> Effects {
    know(reading)
    return handle(report)
  }

  mutating func handle(
    _ event: CoordinatorEvent, in reading: Reading, at now: HostTime
  ) -> Effects {
    know(reading)
    return try! handle(.playback(.coordinated(event)), at: now)
  }

  mutating func handle(
    _ event: PartyEvent, in party: PartyFacts?, precedes: Bool = false
  ) throws -> Effects {
    _ = take(.party(party))
    return try handle(PartyChange.reported(event, precedes: precedes))
  }

  /// Answers the effects that find out whether a film can be opened: it can.
  mutating func playable(_ effects: Effects) -> Effects {
    effects.flatMap { effect in
      guard case .film(.tryOut(_, let number)) = effect else { return [effect] }
      return canPlay(number)
    }
  }

  /// Answers the questions of effects as adapters do that have every film, and returns all other effects.
  @discardableResult
  mutating func perform(
    _ effects: Effects, film: (String) -> FilmIdentity, fails: Bool = false
  ) throws -> Effects {
    var rest: Effects = []
    for effect in effects {
      let events: [Event]
      switch effect {
      case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _)):
        events = [
          .film(
            .searched(number, entry, by: chooser, copy: film(entry.title), isFresh: false))
        ]
      case .film(.tryOut(_, let number)): events = [.film(.canPlay(number))]
      case .film(.load(let number, _, proposing: _)):
        events = [.film(.answer(fails ? .failed(number, "damaged") : .loaded(number)))]
      case .then(let event): events = [event]
      default:
        rest.append(effect)
        continue
      }
      for event in events {
        rest += try perform(try handle(event, at: now), film: film, fails: fails)
      }
    }
    return rest
  }
}
