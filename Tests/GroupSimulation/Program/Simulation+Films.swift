import Concurrency
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The shell of the simulated film machines: the work of the room that opens films.
extension Simulation {
  func handle(_ event: Films.Event, at participant: SimulatedParticipant) {
    for mutated in mutation.filmEvent(event, participant) {
      let before = participant.program!.machine.filmMachine.film
      let wasShown = participant.program!.machine.filmMachine.isShown
      let host = participant.hostTime(at: now)
      let actions = participant.program!.machine.filmMachine.handle(mutated, at: host)
      participant.program!.lastEventAt = now
      note(.program(.filmMachine(before: before, wasShown: wasShown)), at: participant)
      perform(actions, at: participant)
    }
  }

  func perform(_ actions: [Films.Directive], at participant: SimulatedParticipant) {
    participant.program!.queue += actions
    let filmMachine = participant.program!.machine.filmMachine
    switch participant.program!.host.setAlarm(for: filmMachine) {
    case nil, .cancel: break
    case .set(let due, let number):
      schedule(
        .program(participant.index, .filmAlarm(number)),
        at: max(now, participant.trueTime(due)))
    }
    guard !participant.program!.isPerforming else { return }
    participant.program!.isPerforming = true
    while !participant.program!.queue.isEmpty {
      perform(participant.program!.queue.removeFirst(), at: participant)
    }
    participant.program!.isPerforming = false
  }

  private func perform(_ directive: Films.Directive, at participant: SimulatedParticipant) {
    switch directive {
    case .resolve(let number, let entry, let chooser):
      let answer = Films.Event.resolved(
        number, resolution(of: entry, by: chooser, at: participant))
      later(.film(answer), after: dice.number(100_000...400_000_000), at: participant)
    case .load(let number, let film, let timing):
      participant.opening += 1
      participant.program!.requests += 1
      if let dropped = participant.player.load(nil, duration: 0) {
        answerSuperseded(dropped, at: participant)
      }
      coordinate(participant, .user) {
        $0.transition(to: film.item, proposing: timing, isPlayerReady: false, at: $1)
      }
      later(.loaded(number, film), after: participant.person.loadingTime, at: participant)
    case .reopen(let number, let film):
      participant.program!.requests += 1
      let fails = shelf.fails(
        film.identifier, person: participant.person.number,
        request: participant.program!.requests)
      later(
        .film(fails ? .reopeningFailed(number) : .reopened(number)),
        after: participant.person.loadingTime, at: participant)
    case .begin(let number, _, let place, let plays):
      start(number, at: place, plays: plays, participant)
    case .close:
      participant.opening += 1
      let dropped = participant.player.load(nil, duration: 0)
      coordinate(participant, .user) {
        $0.transition(to: nil, proposing: nil, isPlayerReady: true, at: $1)
      }
      if let dropped { answerSuperseded(dropped, at: participant) }
    case .clearItem:
      coordinate(participant, .user) {
        $0.transition(to: nil, proposing: nil, isPlayerReady: true, at: $1)
      }
    case .restoreItem(let film):
      coordinate(participant, .user) {
        $0.transition(to: film.item, proposing: nil, isPlayerReady: true, at: $1)
      }
    case .describe(let number, let refusal):
      participant.program!.asked = refusal
      later(
        .film(.described(number, mayAsk: true)), after: dice.number(1_000_000...900_000_000),
        at: participant)
    case .separate(let separation, let reason):
      coordinate(participant, .user) {
        let (id, actions) = $0.beginSuspension(for: reason, at: $1)
        participant.program!.suspensions[separation] = id
        return actions
      }
    case .rejoin(let separation, let place):
      guard let id = participant.program!.suspensions.removeValue(forKey: separation) else {
        return
      }
      coordinate(participant, .user) {
        $0.endSuspension(id, proposingNewTime: place, at: $1)
      }
    case .tellReady: coordinate(participant, .player) { $0.playerBecameReady(at: $1) }
    case .endEarly:
      let place = participant.itemTime(at: now)
      coordinate(participant, .player) { $0.playerReachedEnd(at: place, now: $1) }
    case .makeRoom, .remember, .ask, .announce, .tellPlaylist, .report, .tellOfTooManyQuestions,
      .tellOfRepeatedLoss, .tellOfLoss:
      break
    }
  }

  private func resolution(
    of entry: PlaylistEntry, by chooser: Chooser, at participant: SimulatedParticipant
  ) -> Films.Resolution {
    let isNamed = participant.program!.copies.contains(entry.identifier)
    if isNamed || shelf.has(entry.identifier, person: participant.person.number) {
      return .film(FilmShelf.film(entry.location ?? entry.identifier), chooser)
    }
    guard let location = entry.location else { return .missing("no copy") }
    guard participant.program!.allowed.contains(location) else { return .ask(location) }
    return .film(FilmShelf.film(location), chooser)
  }

  private func start(
    _ number: Films.Number, at place: MediaTime?, plays: Bool,
    _ participant: SimulatedParticipant
  ) {
    participant.program!.machine.filmBegins()
    participant.program!.ended = nil
    if let item = participant.player.item {
      let end = MediaTime(nanoseconds: participant.duration(ofItem: item))
      coordinate(participant, .player) { $0.setItemEnd(end, at: $1) }
    }
    if let place { follow([.then(.seek(to: place))], at: participant) }
    guard participant.program!.machine.filmMachine.isCurrent(number) else { return }
    coordinate(participant, .player) { $0.playerBecameReady(at: $1) }
    if plays {
      let facts = reading(participant)
      follow(participant.program!.machine.playFilm(in: facts), at: participant)
    }
    takeTrailers(.filmBegan, at: participant)
  }
}
