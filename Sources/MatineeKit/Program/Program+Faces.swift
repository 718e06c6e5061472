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
  @discardableResult
  package func perform(_ command: UserCommand) async throws -> CommandAnswer {
    try await runner.perform(command)
  }

  package func emit(_ event: ScreeningEvent) { events.send(event) }

  /// Handles an event of a face, and returns once its effects are performed.
  package func handle(_ event: ScreeningMachine.Event) async { await runner.handle(event) }

  /// Reports the participants and their states, if a face shows them.
  func reportToParticipants() async {
    guard events.isFollowed(for: .participants) else { return }
    emit(.participants(await status().roster))
  }

  // MARK: - Films

  /// Remembers the request of the command line.
  func prepare(
    _ copies: [FilmIdentity], _ hosting: PartyHosting.Options, namesSameFilm: Bool
  ) async {
    parties.use(hosting)
    await runner.handle(.named(copies, isSameFilm: namesSameFilm))
  }

  /// Opens a film: in a party for everyone, otherwise for this player alone.
  package func open(_ location: String) async {
    do { try await perform(.load(location)) } catch { emit(.failed("\(error)")) }
  }

  /// Carries out the user's answer to ``ScreeningEvent/mayOpen(_:)`` or ``ScreeningEvent/mayShare(_:)``, if it still
  /// waits for one.
  package func decide(_ isAllowed: Bool, forGood: Bool = false) async {
    guard question != nil || shareQuestion != nil else { return }
    do {
      try await perform(.answer(isAllowed, forGood: forGood))
    } catch {
      emit(.failed("\(error)"))
    }
  }

  /// Sets the closure that asks the user whether a film is for everyone.
  package func setActivationPreparer(
    _ preparer: (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  ) async { await parties.setActivationPreparer(preparer) }

  /// Sets the minimum interval between two reported states of the drawing.
  package func setDrawingPace(_ pace: Duration) { drawing.setPace(pace) }

  // MARK: - The library

  /// Adds these folders to the media folders, and begins to scan all of them in the background.
  package func scan(adding folders: [String]) async { await library.begin(with: folders) }

  /// Forgets a film's position.
  package func forget(film identifier: String) async throws {
    try await library.forget(film: identifier)
  }

  /// Forgets a person that this user met in a party.
  package func forget(person key: String, of party: String) async throws {
    try await library.forget(person: key, of: party)
  }

  // MARK: - For display

  /// The film on the screen, or the one that is being opened.
  package var film: FilmIdentity? { runner.machine.filmMachine.film }

  /// The player whose picture is shown: a trailer's while there is one.
  package var shownPlayer: MPVPlayer { trailers.shownPlayer }

  package var syncHistory: SyncHistory { group.history }

  /// The drawing on the current film; nil without one.
  package var drawingStatus: DrawingStatus? { runner.machine.drawingStatus }

  package var party: Party? { parties.party }
  package var name: String { parties.name }
  package var invite: Invite? { parties.invite }
  /// This program's door for friends with Syncplay, with its password; nil for none.
  package var syncplay: ScreeningEvent.Listing.Syncplay? { parties.syncplay }

  /// The question that the user has to answer; nil if there is none.
  package var question: AddressQuestion? { runner.machine.question }

  /// The question about sharing that the user has to answer; nil if there is none.
  package var shareQuestion: ScreeningEvent.ShareQuestion? {
    runner.machine.shareQuestion.map { runner.machine.asked($0) }
  }

  /// The position at which the user may continue the film; nil without that offer.
  package var offeredPosition: MediaTime? { runner.machine.offeredPosition }
  package var resumesByEnter: Bool { runner.machine.resumesByEnter }

  /// The film that the user chose, compared with the party's film, of which the user has no copy; nil for none.
  package var comparison: CopyComparison? { runner.machine.comparison }

  /// The number of other participants who lose the party if this participant leaves it.
  package var othersLosingParty: Int { runner.machine.othersLosingParty }

  /// A Boolean value that indicates whether this machine can relay for the party after this program's end.
  package var canKeepRelay: Bool { runner.machine.canKeepRelay }

  /// A Boolean value that indicates whether a trailer is shown.
  package var showsTrailer: Bool { runner.machine.showsTrailer }

  package var isSteppedAway: Bool { runner.machine.filmMachine.keepsFilm || showsTrailer }

  package func status() async -> ProgramStatus {
    let party = parties.party
    let reading = party?.clock.reading
    let coordinatorSnapshot = await coordinator.snapshot()
    let playerSnapshot = await player.snapshot()
    let trailer = await trailers.snapshot()
    let filmMachine = runner.machine.filmMachine
    var status = ProgramStatus(
      film: filmMachine.film, activity: activity, isOpening: filmMachine.isOpening,
      player: playerSnapshot, shownPlayer: trailer ?? playerSnapshot,
      coordinator: coordinatorSnapshot,
      clock: reading, groupTime: reading?.groupTime(at: .now()), sync: group.measurement,
      latencyOffset: latency.offset)
    status.playsWhenOpen = filmMachine.playsWhenOpen
    status.isLive = runner.machine.isLive
    status.ducking = runner.machine.ducking
    if let film = status.film { status.shared = await shared.state(of: film) }
    status.isInTrailer = showsTrailer
    status.sequel = runner.machine.sequel
    status.offeredPosition = offeredPosition
    status.resumesByEnter = resumesByEnter
    status.roomHost = runner.machine.roomHost
    status.undecidedServer = (question ?? runner.machine.declined)?.origin.server
    status.isAlone = filmMachine.ownChoice != nil
    status.partyEnding = runner.machine.membership.ending
    status.othersLosingParty = othersLosingParty
    if let party {
      status.invite = invite
      status.isInRoom = parties.hosting?.isPrivate == true
      status.reach = status.isInRoom ? nil : parties.reach
      status.me = await party.localParticipant
      status.participants = await party.participants
      let isLinkUp = runner.machine.membership.isLinkUp
      status.link.isUp = isLinkUp
      if let room = parties.room, await room.isOpen {
        status.link.room = await room.isEncrypted ? .encrypted : .clear
      }
      status.link.nextAttempt = isLinkUp ? nil : party.nextAttempt
      status.uploadRates = await parties.door.uploadRates()
      status.rejected = await party.rejections.total
      status.rights.mayControl = await coordinator.mayControl
      status.rights.mayChoose = await party.rules.mayControl(party.localID)
      status.drawing = runner.machine.drawingStatus
    }
    return status
  }

  /// The party's activity, or outside a party this participant's own.
  package var activity: FilmActivity? { runner.machine.list.map { FilmActivity($0) } }
}
