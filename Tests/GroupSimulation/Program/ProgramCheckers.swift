import Foundation
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// Returns one checker for each invariant of whole programs.
func programCheckers() -> [any Checker] {
  [
    ReplayChecker(), LinkChecker(), SuspensionChecker(), PatienceChecker(), FilmChecker(),
    ListChecker(), ScreenChecker(), CommandEndChecker(), AnswerChecker(), TrailerChecker(),
    ChoiceChecker(), StrayChecker(), EndChecker(), HoldChecker(), ConsentChecker(), ShareChecker(),
    SubtitleChecker(), GapChecker(), DuckingChecker(), EchoChecker(),
    VoteChecker(),
    LeavingChecker(), StandbyChecker(), PositionChecker(), ChatChecker(),
    DoorChecker(),
  ]
}

extension SimulatedProgram {
  /// A Boolean value that indicates whether nothing has happened for so long that all answers must be there.
  func isSettled(at now: Nanoseconds) -> Bool { now - lastEventAt > .seconds(5) }
}

/// A participant who stepped away, or watches something alone, keeps its film whatever the others choose, and reaches
/// the film's end alone.
struct FilmChecker: Checker {
  let name = "somebody who is apart keeps the film, and moves nobody to another"
  /// The items that participants chose themselves.
  private var own: [Int: String] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard let program = participant.program, case .program(let occurrence) = occurrence else {
      return nil
    }
    switch occurrence {
    case .listSet(_, let after, byUser: true):
      own[participant.index] = after.current.item
      return nil
    // A user who asks for the group's film, and then steps away, has chosen it.
    case .typed(.resume, _):
      own[participant.index] = program.machine.filmMachine.adopted?.current.item
      return nil
    case .listSet(let before, let after, let byUser)
    where !byUser && before.currentID != after.currentID:
      guard participant.isSuspended else { return nil }
      return "\(participant.label) is apart and takes the others to another film"
    case .filmMachine(let before?, wasShown: true):
      let filmMachine = program.machine.filmMachine
      guard filmMachine.keepsFilm, !program.isActing, filmMachine.film?.item != before.item,
        program.machine.membership.isMember, participant.session != nil,
        own[participant.index] != filmMachine.adopted?.current.item
      else { return nil }
      return "\(participant.label) is apart, and loses \(before.title)"
    default: return nil
    }
  }
}

/// Nothing that a participant adds is lost, and the end of one film leads to the next one, once.
struct ListChecker: Checker {
  let name = "nothing in a playlist is lost or played twice"
  private var removed: Set<UInt32> = []
  private var setAt: Nanoseconds = 0

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .program(.listSet(let before, let after, let byUser)) = occurrence else {
      return nil
    }
    setAt = simulation.now
    removed.formUnion(Set(before.entries.map(\.id)).subtracting(after.entries.map(\.id)))
    guard !byUser, before.currentID != after.currentID else { return nil }
    // The film that ended, here or for the group, is the one that was current, and the next one is its neighbour.
    let item = before.current.item
    guard
      participant.program?.ended == item
        || participant.coordinator.states[item]?.change == .ended
    else {
      return "\(participant.label) goes on from \(before.current.title), which hasn't ended there"
    }
    return before.entry(at: 1)?.id == after.currentID
      ? nil : "\(participant.label) goes on to \(after.current.title), which isn't next"
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    // A list that has just been set is on its way.
    guard simulation.now - setAt > .seconds(1) else { return nil }
    var lists: [GroupSessionID: (by: SimulatedParticipant, list: Playlist)] = [:]
    for participant in simulation.running {
      guard let session = participant.session, participant.outages == 0,
        let list = participant.program?.machine.list,
        participant.party.rules.admits(participant.id)
      else { continue }
      if let known = lists[session], known.list.entries != list.entries {
        return "\(participant.label) has \(list.entries.map(\.title)), "
          + "\(known.by.label) has \(known.list.entries.map(\.title))"
      }
      if let known = lists[session], known.list.currentID != list.currentID {
        return "\(participant.label) goes to \(list.current.title), "
          + "\(known.by.label) to \(known.list.current.title)"
      }
      lists[session] = (participant, list)
      let missing = participant.program!.added.subtracting(list.entries.map(\.id))
        .subtracting(removed)
      // An edit may have come after the permission for it.
      let mayControl = participant.party.rules.mayControl(participant.id)
      if !missing.isEmpty, !participant.hasChangedSession, mayControl {
        return "\(participant.label) added \(missing.count) films that are gone"
      }
    }
    return nil
  }
}

/// What a player does by itself is no command of its user: it is put back, or apart.
struct StrayChecker: Checker {
  let name = "a player that strays moves nobody"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard participant.program?.isStraying == true, case .coordinated(_, let before) = occurrence
    else { return nil }
    let moved = participant.coordinator.states.contains { item, state in
      state.stamp != before.stamps[item] && state.stamp.participant == participant.id
    }
    return moved ? "\(participant.label) publishes what its player did by itself" : nil
  }
}

/// A newcomer takes a host's own film for consent to contact its server, so a program signs as its user's own only what the
/// user named.
struct ChoiceChecker: Checker {
  let name = "a film that is signed as a user's own was named by that user"

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .sessionTaken(let stamp) = occurrence,
      let register = participant.party.sessions.current.first(where: { $0.stamp == stamp }),
      !register.isRestated, case let activity = FilmActivity(in: register), activity.isOwnFilm,
      let author = simulation.participant(stamp.participant), let program = author.program,
      !program.named.contains(activity.identifier)
    else { return nil }
    return "\(author.label) signs \(activity.title) as its user's own film"
  }
}

extension FilmActivity {
  /// - Parameter register: the register of a session of films, which programs wrote.
  init(in register: SessionRegister) {
    do {
      self = try JSONDecoder().decode(Self.self, from: register.activity)
    } catch {
      preconditionFailure("an activity that nobody can read: \(error)")
    }
  }
}

/// A short run doesn't replace the position of a longer one.
struct PositionChecker: Checker {
  let name = "a film that has hardly been watched keeps its later position"
  // The clocks of simulated machines differ.
  private static let least = Nanoseconds.seconds(59)
  /// The films of which positions were remembered last, and the times of the first ones.
  private var runs: [Int: (film: String, since: Nanoseconds)] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .program(.effect(.library(.remember(let film, let note, _)))) = occurrence else {
      return nil
    }
    let (index, now) = (participant.index, simulation.now)
    if runs[index]?.film != film.identifier { runs[index] = (film.identifier, now) }
    guard !note.keepsLaterPosition, let since = runs[index]?.since, now - since < Self.least,
      let position = participant.program?.positions[film.identifier], note.position < position
    else { return nil }
    return "\(participant.label) forgets \(position) in \(film.title)"
  }
}

/// Once everything is calm, whoever follows the group and has its film watches it.
struct ScreenChecker: Checker {
  let name = "the film on the screen is the one that the state names"

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      guard let program = participant.program, program.isSettled(at: simulation.now) else {
        continue
      }
      let filmMachine = program.machine.filmMachine
      let coordinator = participant.coordinator.currentItem
      switch filmMachine.state {
      case .closed, .missing, .describing, .asking:
        if let item = participant.player.item {
          return "\(participant.label) shows \(item) as nothing"
        }
      case .loading, .open, .lost, .reopening, .unplayable: break
      }
      // A film that the user closed in the player is shown no more.
      if case .unplayable = filmMachine.state { continue }
      if filmMachine.isShown, participant.player.item != filmMachine.film?.item {
        return "\(participant.label) shows \(participant.player.item ?? "nothing") "
          + "as \(filmMachine.film?.item ?? "nothing")"
      }
      if filmMachine.isShown, coordinator != filmMachine.film?.item {
        return "\(participant.label) coordinates \(coordinator ?? "nothing") "
          + "and shows \(filmMachine.film?.item ?? "nothing")"
      }
      guard participant.session != nil, participant.outages == 0,
        let item = program.machine.list?.current.item, !filmMachine.keepsFilm
      else { continue }
      switch filmMachine.state {
      case .open where filmMachine.film?.item != item:
        return "\(participant.label) shows \(filmMachine.film?.item ?? "nothing"), "
          + "the group watches \(item)"
      case .closed where !program.hasNoFilm:
        return "\(participant.label) shows nothing, the group watches \(item)"
      case .closed, .open, .missing, .describing, .asking, .loading, .lost, .reopening, .unplayable:
        break
      }
    }
    return nil
  }
}

/// Every request of the film machine is answered, and no answer is missed.
struct AnswerChecker: Checker {
  let name = "every question has its answer"

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      guard let program = participant.program, program.isSettled(at: simulation.now) else {
        continue
      }
      let filmMachine = program.machine.filmMachine
      if filmMachine.isOnItsWay { return "\(participant.label) waits for a film for ever" }
      if case .describing = filmMachine.state {
        return "\(participant.label) waits for the description of a server for ever"
      }
      if program.suspensions.count != filmMachine.separations.count {
        return "\(participant.label) has suspensions for \(program.suspensions.keys) "
          + "and separations for \(filmMachine.separations)"
      }
    }
    return nil
  }
}

/// Trailers begin once, and whoever has seen or skipped them is with the group again.
struct TrailerChecker: Checker {
  let name = "trailers end, and their participant returns"

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      guard let program = participant.program, program.isSettled(at: simulation.now) else {
        continue
      }
      let isApart = program.machine.filmMachine.separations.contains(.interstitial)
      switch program.machine.trailers.state {
      case .ahead, .over:
        if isApart { return "\(participant.label) is apart for trailers that aren't shown" }
        if program.trailerPlayer != nil { return "\(participant.label) shows no film any more" }
      case .showing where program.trailerPlayer?.isPaused == true: break
      case .separating, .opening, .showing, .closing:
        return
          "\(participant.label) waits for its trailers for ever: \(program.machine.trailers.state)"
      }
    }
    return nil
  }
}

/// The end of a film is an event for each participant that follows the group, once and where the group is, whoever's
/// player ends first.
struct EndChecker: Checker {
  let name = "each participant is told of the end once"
  private static let grace = Nanoseconds.seconds(1)
  private var watching: Set<Int> = []
  /// The time of the group's end that a participant hasn't been told of.
  private var untold: [Int: Nanoseconds] = [:]
  private var told: Set<Int> = []
  /// The participants whose programs have heard of the group's end, which may be long ago for the group.
  private var hasHeard: Set<Int> = []

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    let index = participant.index
    switch occurrence {
    case .changed(let change):
      let isSeen = watching.contains(index) && !participant.isSuspended && !told.contains(index)
      untold[index] = change.kind == .ended && isSeen ? simulation.now : nil
    case .program(.heard(let change)) where change.kind != .ended:
      told.remove(index)
      hasHeard.remove(index)
    case .program(.heard):
      hasHeard.insert(index)
      // The user may have left the group before the program hears of the end.
      if participant.isSuspended { untold[index] = nil }
    case .program(.toldOfEnd):
      // A player that only waits for data still follows the group.
      let reasons = participant.coordinator.visibleReasons
      guard reasons.allSatisfy({ $0 == .stallRecovery }) else { break }
      untold[index] = nil
      if !hasHeard.contains(index), participant.program?.machine.end.isEarly == false,
        let state = participant.coordinator.state, state.change != .ended,
        let end = participant.coordinator.groupEnd,
        state.itemTime(at: participant.groupTime(at: simulation.now)) < end - .seconds(3)
      {
        return "\(participant.label) is told of an end to which its group hasn't come"
      }
      if !told.insert(index).inserted { return "\(participant.label) is told twice of one end" }
    case .coordinated:
      if participant.coordinator.groupState?.isPlaying ?? false, participant.player.item != nil {
        watching.insert(index)
      } else {
        watching.remove(index)
      }
      let isAnother = participant.coordinator.currentItem != participant.player.item
      if isAnother, !isReopening(participant) { told.remove(index) }
    case .gone:
      untold[index] = nil
      watching.remove(index)
    case .tick:
      if let since = untold[index], simulation.now - since > Self.grace {
        return "\(participant.label) isn't told that the film has ended"
      }
    default: break
    }
    return nil
  }

  /// Returns whether a participant's player has no film only until the film's server is back. It is the same film then.
  private func isReopening(_ participant: SimulatedParticipant) -> Bool {
    switch participant.program?.machine.filmMachine.state {
    case .lost, .reopening: true
    case nil, .closed, .missing, .describing, .asking, .loading, .open, .unplayable: false
    }
  }
}

/// Earlier chat is sent only to a participant who was there and returns, once.
struct ChatChecker: Checker {
  let name = "newcomers don't read what was said before"
  /// The participants who left a program's party during its stay.
  private var departed: [Int: Set<Participant.ID>] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .program(let occurrence) = occurrence else { return nil }
    switch occurrence {
    case .event(.party(.entered)): departed[participant.index] = []
    case .event(.party(.reported(.participantLeft(let other, announced: _), precedes: _))):
      departed[participant.index, default: []].insert(other.id)
    case .effect(.party(.sendEarlierChat(_, to: let id))):
      guard departed[participant.index]?.remove(id) != nil else {
        return "\(participant.label) sends what was said before to \(id)"
      }
    default: break
    }
    return nil
  }
}
