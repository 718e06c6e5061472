import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The fake adapters of films, the library and the trailers: they are slow, answer late, and fail now and then.
extension Simulation {
  func perform(
    _ order: FilmOrder, for job: ScreeningLoop.Job, at participant: SimulatedParticipant
  ) throws -> Performance {
    switch order {
    case .identify(let location, let purpose, _):
      guard !dice.chance(0.03) else { throw SimulatedProblem.cannotRead }
      let film = FilmShelf.film(location)
      return .after(
        dice.number(500_000...200_000_000), EffectAnswer([.film(.identified(film, purpose))]))
    case .tryOut(_, let number):
      guard !dice.chance(0.03) else { throw SimulatedProblem.cannotRead }
      return .after(
        dice.number(500_000...200_000_000), EffectAnswer([.film(.canPlay(number))]))
    case .compare(let film, let entry, let purpose):
      let partys = participant.coordinator.othersEnd(of: entry.item)
      let length = MediaTime(nanoseconds: Int64(participant.duration(ofItem: film.item)))
      let comparison = CopyComparison(
        film: film, partys: entry, length: length, partysLength: partys)
      return .after(moment(), EffectAnswer([.film(.compared(comparison, purpose))]))
    case .load(let number, let film, let timing):
      begin(
        .init(job: job, number: number, film: film, timing: timing, order: participant.opening + 1),
        at: participant)
    case .reopen(let number, let film):
      begin(
        .init(job: job, number: number, film: film, isAgain: true, order: participant.opening + 1),
        at: participant)
    case .close:
      participant.opening += 1
      empty(participant)
    case .restoreItem(let film):
      transition(participant, to: film.item)
      return .now(.done)
    case .findNetwork(let refusal, let number):
      let network = FilmShelf.network(of: refusal.origin.host)
      return .after(
        dice.number(1_000_000...900_000_000),
        EffectAnswer([.film(.networkFound(network, of: refusal, number))]))
    case .findArrivalNetwork(let origin, let start):
      let network = FilmShelf.network(of: origin.host)
      return .after(
        dice.number(1_000_000...900_000_000),
        EffectAnswer([.film(.arrivalNetworkFound(network, of: origin, start))]))
    case .retime: return .now(.done)
    case .use(let policy):
      participant.program!.policy = policy
      return .now(.done)
    }
    return .pending
  }

  // MARK: - Opening

  /// Begins to open a film, instead of what is opened now. A stream is asked first.
  private func begin(_ opening: SimulatedProgram.Opening, at participant: SimulatedParticipant) {
    participant.opening = opening.order
    participant.program!.requests += 1
    let wait =
      opening.film.isStream
      ? dice.number(10_000_000...300_000_000) : dice.number(50_000...5_000_000)
    later(.opens(opening), after: wait, at: participant)
  }

  func open(_ opening: SimulatedProgram.Opening, at participant: SimulatedParticipant) {
    guard participant.opening == opening.order else { return }
    if opening.film.isForeign, !opening.film.isShared,
      let refusal = refusal(of: opening.film, participant)
    {
      return finish(opening, .refused(opening.number, refusal), at: participant)
    }
    empty(participant)
    transition(participant, to: opening.film.item, proposing: opening.timing, isReady: false)
    later(.loaded(opening), after: participant.person.loadingTime, at: participant)
  }

  /// Connects to the servers of a film that another participant chose, as its proxy allows it.
  private func refusal(
    of film: FilmIdentity, _ participant: SimulatedParticipant
  ) -> OriginRefusal? {
    for origin in FilmShelf.route(film.location) {
      let network = FilmShelf.network(of: origin.host)
      guard participant.program!.policy.admits(origin, on: network) else {
        return OriginRefusal(
          origin: origin, network: dice.chance(0.5) ? network : nil,
          location: origin.description + "/")
      }
      note(.program(.contacted(origin)), at: participant)
    }
    return nil
  }

  func loaded(_ opening: SimulatedProgram.Opening, at participant: SimulatedParticipant) {
    guard participant.opening == opening.order else { return }
    let (film, number) = (opening.film, opening.number)
    let fails = shelf.fails(
      film.identifier, person: participant.person.number, request: participant.program!.requests)
    if fails {
      if opening.isAgain { return finish(opening, .reopeningFailed(number), at: participant) }
      // The proxy of a film that another participant chose may find no port.
      let isProxys = film.isForeign && dice.chance(0.5)
      if isProxys { participant.program!.hasNoFilm = true }
      return finish(
        opening,
        isProxys ? .cannotLoad(number, "no free port") : .failed(number, "can't be read"),
        at: participant)
    }
    if participant.program!.hasLostServer {
      participant.program!.hasLostServer = false
      participant.player.setStalled(false, at: participant.hostTime(at: now))
    }
    participant.player.isFailing = false
    participant.program!.hasNoFilm = false
    let end = participant.duration(ofItem: film.item)
    let dropped = participant.player.load(film.item, duration: end)
    participant.program!.loadedSubtitles = []
    participant.program!.ended = nil
    if let dropped { answerSuperseded(dropped, at: participant) }
    finish(opening, opening.isAgain ? .reopened(number) : .loaded(number), at: participant)
  }

  private func finish(
    _ opening: SimulatedProgram.Opening, _ event: Machine.Films.Event,
    at participant: SimulatedParticipant
  ) {
    answer(
      opening.job, .success(EffectAnswer([.fact(.live(false)), .film(.answer(event))])),
      at: participant)
  }

  private func empty(_ participant: SimulatedParticipant) {
    participant.player.isFailing = false
    if let dropped = participant.player.load(nil, duration: 0) {
      answerSuperseded(dropped, at: participant)
    }
  }

  // MARK: - The library

  func perform(_ order: LibraryOrder, at participant: SimulatedParticipant) -> Performance {
    switch order {
    case .findCopy(let number, let entry, let chooser, let named, let streams):
      participant.program!.lastEventAt = now
      let copy =
        copy(of: entry, participant) ?? twin(of: entry, among: named, streams, participant)
      return .after(
        dice.number(100_000...400_000_000),
        EffectAnswer([
          .film(
            .searched(
              number, entry, by: chooser, copy: copy, isFresh: false))
        ]))
    case .findMissing(let entry):
      guard let copy = copy(of: entry, participant) else { return .pending }
      return .after(
        dice.number(100_000...400_000_000),
        EffectAnswer([.film(.copyFound(copy, entry: entry.id))]))
    case .findPosition(let film):
      let position = participant.program!.positions[film.identifier]
      return .after(moment(), EffectAnswer([.film(.positionFound(film, position))]))
    case .remember(let film, let note, _):
      let stored = note.keepsLaterPosition ? participant.program!.positions[film.identifier] : nil
      participant.program!.positions[film.identifier] = max(note.position, stored ?? .zero)
      return .pending
    case .recallCopy(let comparison):
      return .after(moment(), EffectAnswer([.film(.recalled(comparison))]))
    case .perform: return .after(moment(), .done)
    case .rememberRemark(let remark):
      if let place = remark.place {
        participant.program!.remarks[place.film, default: []].append(
          .init(name: remark.author.name, text: remark.kind.text, itemTime: place.itemTime))
      }
      return .pending
    case .recallRemarks(let film):
      let remarks = participant.program!.remarks[film] ?? []
      return .after(moment(), EffectAnswer([.film(.remarksFound(remarks, about: film))]))
    case .findBeside, .rememberCopy, .rememberMoment, .write, .trust: return .pending
    }
  }

  private func copy(
    of entry: PlaylistEntry, _ participant: SimulatedParticipant
  ) -> FilmIdentity? {
    let film = entry.identifier
    let isThere =
      participant.program!.scanned.contains(film)
      || shelf.has(film, person: participant.person.number)
    return isThere ? FilmShelf.film(film) : nil
  }

  /// Reads streams as the proxy allows it, to find a file with the content of a stream, or the reverse.
  private func twin(
    of entry: PlaylistEntry, among named: [FilmIdentity], _ streams: [FilmIdentity],
    _ participant: SimulatedParticipant
  ) -> FilmIdentity? {
    for stream in streams {
      guard !stream.isForeign || refusal(of: stream, participant) == nil,
        let twin = FilmShelf.twins[stream.location]
      else { continue }
      if twin == entry.identifier { return stream }
      let isThere =
        named.contains { $0.identifier == twin }
        || shelf.has(twin, person: participant.person.number)
      if stream.isForeign, isThere { return FilmShelf.film(twin) }
    }
    return nil
  }

  // MARK: - The trailers

  func perform(_ order: TrailerOrder, at participant: SimulatedParticipant) -> Performance {
    let failure = participant.program!.trailerFailure
    switch order {
    case .playPause:
      guard var player = participant.program!.trailerPlayer else { return .after(moment(), .done) }
      player.isPaused.toggle()
      participant.program!.trailerPlayer = player
      show(player.isPaused ? nil : .trailerEnded, at: participant)
      return .after(moment(), EffectAnswer([.film(.trailer(.paused(player.isPaused)))]))
    case .open:
      let fails = failure == .player
      participant.program!.trailerPlayer = fails ? nil : SimulatedTrailers()
      return .after(
        .milliseconds(300),
        EffectAnswer([.film(.trailer(fails ? .failed("no memory") : .opened))]))
    case .play(let location):
      let fails = failure == .trailer && location == SimulatedProgram.trailerList[1]
      show(fails ? .failed("no such file") : .trailerEnded, at: participant)
      return .after(moment(), EffectAnswer([.film(.trailer(.paused(false)))]))
    case .close:
      show(nil, at: participant)
      return .after(.milliseconds(100), EffectAnswer([.film(.trailer(.closed))]))
    case .showFilm:
      participant.program!.trailerPlayer = nil
      return .pending
    }
  }

  /// Lets the trailer on the screen end, or fail, in two seconds; nil stops it.
  private func show(_ end: Trailers.Event?, at participant: SimulatedParticipant) {
    guard var player = participant.program!.trailerPlayer else { return }
    player.number += 1
    participant.program!.trailerPlayer = player
    if let end { later(.trailerOver(player.number, end), after: .seconds(2), at: participant) }
  }
}

/// The reason why a fake adapter fails.
enum SimulatedProblem: Error, Hashable { case cannotRead, inParty, noBridge }
