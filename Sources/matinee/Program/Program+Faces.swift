import GroupActivities
import MPVPlayer
import Screening
import Timekeeping
import WatchTogether

/// The requests of the faces.
extension Program {
  /// Carries out a command of the user.
  ///
  /// - Throws: the reason why it isn't possible, as text for the user.
  func perform(_ command: UserCommand) async throws -> CommandAnswer {
    try await shell.perform(command)
  }

  func emit(_ event: ScreeningEvent) { events.send(event) }

  /// Reports the participants and their states, if a face shows them.
  func reportToParticipants() async {
    guard events.isFollowed(for: .participants) else { return }
    emit(.participants(await status().roster))
  }

  // MARK: - Films

  /// Plans the films of the command line, in their order.
  func plan(_ films: [FilmIdentity]) {
    for film in core.machine.plan(films) {
      emit(.warning("\(PlaylistProblem.full) “\(film.title)” wasn't added."))
    }
  }

  /// Lets a film continue where this user stopped watching it, once it is open.
  ///
  /// - Parameter identifier: the film's identifier.
  func resume(_ identifier: String) async {
    guard let position = await library.position(in: identifier) else { return }
    core.machine.filmMachine.resume(identifier, at: position)
    emit(.resuming(at: position))
  }

  /// Remembers the request of the command line.
  func prepare(_ copies: [FilmIdentity], _ hosting: PartyHosting.Options) {
    parties.options = hosting
    films.remember(copies)
  }

  /// Notes that the user begins or stops looking for something to watch.
  func setBrowsing(_ isBrowsing: Bool) { films.isBrowsing = isBrowsing }

  /// Opens a film: in a party for everyone, otherwise for this player alone.
  func open(_ location: String) async { await shell.follow([.identify(location, .watch)]) }

  /// Carries out the user's answer to ``ScreeningEvent/mayOpen(_:)``, if it still waits for one.
  func decide(_ isAllowed: Bool, forGood: Bool = false) async {
    guard core.machine.filmMachine.isAsking else { return }
    await shell.follow([.then(.answer(isAllowed, forGood: forGood))])
  }

  // MARK: - For display

  var party: Party? { parties.party }
  var name: String { parties.name }
  var invite: Invite? { parties.invite }

  var isSteppedAway: Bool { core.machine.filmMachine.keepsFilm || trailers.isShown }

  func status() async -> ProgramStatus {
    let party = parties.party
    let reading = party?.clock.reading
    let coordinatorSnapshot = await coordinator.snapshot()
    let playerSnapshot = await player.snapshot()
    let trailer = await trailers.snapshot()
    let filmMachine = core.machine.filmMachine
    var status = ProgramStatus(
      film: filmMachine.film, activity: activity, isOpening: filmMachine.isOpening,
      player: playerSnapshot, shownPlayer: trailer ?? playerSnapshot,
      coordinator: coordinatorSnapshot,
      clock: reading, groupTime: reading?.groupTime(at: .now()), sync: sync.measurement,
      latencyOffset: latency.offset)
    status.playsWhenOpen = filmMachine.playsWhenOpen
    status.isLive = films.isLive
    status.isInTrailer = trailers.isShown
    status.isAlone = filmMachine.ownChoice != nil
    status.partyEnding = core.machine.membership.ending
    status.othersLosingParty = await parties.othersLosingParty
    if let party {
      status.invite = invite
      status.reach = parties.reach
      status.me = await party.localParticipant
      status.participants = await party.participants
      let isLinkUp = core.machine.membership.isLinkUp
      status.link.isUp = isLinkUp
      status.link.nextAttempt = isLinkUp ? nil : party.nextAttempt
      status.rejected = await party.rejections.total
      status.rights.mayControl = await coordinator.mayControl
      status.rights.mayChoose = await party.rules.mayControl(party.localID)
      status.drawing = drawing.status
    }
    return status
  }

  /// The party's activity, or outside a party this participant's own.
  var activity: FilmActivity? { core.machine.list.map { FilmActivity($0) } }
}
