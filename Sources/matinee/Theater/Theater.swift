import AVFormat
import Concurrency
import DequeModule
import DrawTogether
import Foundation
import GroupActivities
import MPVPlayer
import MediaLibrary
import OriginFilter
import PlaybackCoordination
import Screening
import Timekeeping

/// One participant's program without its user interface: the player, the coordinator, and the party, if there is one.
/// The user interface sends playback commands to the coordinator, never to the player.
@ScreeningActor
final class Theater {
  /// The events, for all faces. Each states the bound of its own queue.
  nonisolated let events = EventBroadcast<ScreeningEvent>()
  /// The keys and the mouse in mpv's window, for one consumer. The newest inputs wait.
  nonisolated let windowInput: AsyncStream<WindowEvent>
  let windowContinuation: AsyncStream<WindowEvent>.Continuation

  let player: MPVPlayer
  let coordinator: DelegatingPlaybackCoordinator

  /// Decides. The directives about films are performed one after another.
  let core: ScreeningCore<OriginRefusal>
  var programmeHost = MachineHost<FilmProgramme>()
  let programmeAlarm = Alarm()
  var directives: Deque<FilmProgramme.Directive> = []
  var isPerforming = false
  /// Fulfilled when all directives are performed.
  var performed = OneShot<Void>()
  /// The search for this participant's copy of a film.
  var search: Task<Void, Never>?
  /// The newest other request of the programme: loading a film, or finding out about a server.
  var request: Task<Void, Never>?
  /// The number of films that were opened and haven't begun yet.
  var beginnings = 0
  /// The question about a server, as it was put to the user.
  var question: AddressQuestion?
  /// The current film as a live stream; nil for other films.
  var live: LiveStream?
  /// The coordinator's suspensions of the programme's separations.
  var suspensions: [Separation: CoordinatedPlaybackSuspension] = [:]
  var drift = DriftController()
  /// The last time at which the coordinator received the position of a player that plays alone.
  var followedAlone = HostTime(nanoseconds: 0)
  /// The last measurement; nil while there is nothing to measure.
  var sync: SyncMeasurement?
  var syncHistory = SyncHistory()
  let syncLog: SyncLog?
  var latencyOffsets: LatencyOffsets
  /// The file that remembers the latency offsets; nil if they aren't remembered.
  let latencyFile: LatencyOffsetFile?
  /// A Boolean value that indicates whether the current latency offset has yet to be remembered.
  var isLatencyOffsetNew = false
  var settlingLatency: Task<Void, Never>?

  /// The lines of mpv's log about the stream that was opened last, and the time until which more lines are added.
  var streamLog: [String] = []
  var streamLogUntil = HostTime(nanoseconds: 0)
  /// The accumulated stall time of the current film.
  var stallMeter = StallMeter()

  /// The history of watched films; nil if nothing is remembered.
  var history: History?
  /// The scanner of the media folders; nil if nothing is remembered.
  let scanner: LibraryScanner?
  /// A Boolean value that indicates whether the user is looking for something to watch.
  var isBrowsing = false
  /// The router of pictures to the terminal: it selects the player whose picture is shown.
  nonisolated let frames = FrameRouter()
  /// The films that are shown beside another film, and that film's identifier; nil until it is known.
  let angles: [String]
  var angledFilm: String?
  /// The trailers that have yet to be shown, the configuration of their player, and the player that shows them.
  var trailers: [String] = []
  let prerollConfiguration: MPVConfiguration
  var preroll: Preroll?

  private(set) var sessions: SessionRoom!
  private(set) var parties: PartyRoom!
  var drawingPart = DrawingPart()
  /// The copies of films that the user named, by identifier.
  var copies: [String: FilmIdentity] = [:]
  var policy = URLPolicy() {
    didSet { originWatch?.update(policy) }
  }
  /// The filter between a film that another participant chose and its servers, and the filter's judge; nil for other
  /// films.
  var filter: OriginFilter?
  var originWatch: OriginWatch?
  var questionLimit = QuestionLimit()
  /// The requests about the newest film's stream. The next film cancels them.
  var probing: StreamProbe?
  var tasks: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - trailers: shown before the first film, in a second player with the same configuration.
  ///   - angles: shown beside the film `angledFilm`.
  ///   - angledFilm: the film's identifier; nil for the first film that is opened.
  ///   - library: remembers the position reached in each film.
  ///   - isPrivate: true if nothing is remembered of this run.
  init(
    configuration: MPVConfiguration, name: String, trailers: [String] = [], angles: [String] = [],
    angledFilm: String? = nil,
    syncLog: SyncLog? = nil,
    latencyOffset: LatencyOffset? = nil, library: MediaLibrary? = nil, isPrivate: Bool = false
  ) throws {
    core = ScreeningCore()
    self.syncLog = syncLog
    history = library.map { History(library: $0) }
    scanner = library.map {
      LibraryScanner(library: $0) { path in (try? FilmIdentity(path))?.identifier }
    }
    latencyOffsets = LatencyOffsets(offset: latencyOffset)
    latencyFile = isPrivate ? nil : StateFolder.path().map(LatencyOffsetFile.init)
    player = try MPVPlayer(configuration: configuration)
    prerollConfiguration = configuration
    self.trailers = trailers
    self.angles = angles
    self.angledFilm = angledFilm
    coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
    frames.show(player)
    (windowInput, windowContinuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    sessions = SessionRoom(
      core: core, events: events, coordinator: coordinator,
      links: .init(
        film: { [unowned self] in await take($0) },
        isAtEnd: { [unowned self] in await reading().isAtEnd },
        arrive: { [unowned self] in await arrive(at: $0, in: $1) }))
    parties = PartyRoom(
      core: core, events: events, name: name, sessions: sessions,
      memory: PartyMemory(
        library: library, events: events,
        forgivingly: { [unowned self] in await forgivingly($0) }),
      links: .init(
        film: { [unowned self] in await take($0) },
        follow: { [unowned self] in await follow($0) },
        prepare: { [unowned self] in await prepare(for: $0) },
        wrapUp: { [unowned self] in await wrapUp() },
        otherSessionEnded: { [unowned self] (kind: String) in
          if kind == DrawTogether.activityIdentifier { drawingIsOver() }
        }))
  }

  var party: Party? { parties.party }
  var name: String { parties.name }
  var invite: Invite? { parties.invite }

  /// Prepares the player and the drawing for a party that was entered.
  private func prepare(for party: Party) async {
    // A player that has shut down needs no preparation.
    try? await player.setExpectsNudges(true)
    await player.endLoops()
    followDrawings(in: party)
  }

  /// Ends what concerned the party.
  private func wrapUp() async {
    endDrawings()
    await drawingChanged()
  }

  /// A user who joins with an invite and without a film asks for the party's film. This implies consent, within limits.
  /// Opening a party implies none: its first film may be any guest's choice.
  private func arrive(
    at decision: GroupSession<FilmActivity>.Decision, in party: Party
  ) async {
    guard !parties.isHosting, copies.isEmpty, film == nil,
      let location = decision.activity.location,
      case .ask(let origin) = policy.verdict(on: location)
    else { return }
    let arrival = await party.arrival
    var consent = JoiningConsent(
      isHostsChoice: await party.rules.role(of: decision.by) != .guest,
      precedesJoining: arrival.map { decision.at <= $0 } ?? false, network: .unknown)
    // Resolving a name may take seconds.
    if consent.isHostsChoice, consent.precedesJoining {
      consent.network = await HostNetwork.find(origin.host)
    }
    if consent.isGiven { policy.allow(origin, on: .internet) }
  }

  func separate(
    _ separation: Separation, for reason: CoordinatedPlaybackSuspension.Reason
  ) async {
    await take(.separated(separation, for: reason))
  }

  func rejoin(_ separation: Separation) async {
    await take(.rejoined(separation, proposing: nil))
  }

  var isSteppedAway: Bool { programme.keepsFilm || preroll != nil }

  /// Remembers copies that the user named. A copy is opened instead of the party's address if it is the same film.
  func remember(_ films: [FilmIdentity]) {
    for film in films {
      copies[film.identifier] = film
      policy.allow(originOf: film.location)
    }
  }

  /// Begins to handle the events of the player and the coordinator.
  func start() async {
    await readTrustedHosts()
    // The user named these locations, and they are loaded beside films of other participants.
    for location in angles + trailers { policy.allow(originOf: location) }
    await follow([.waitFor(Decisions.waitedFor(nil))])
    // A player that has shut down needs no filter.
    try? await player.setExpectsNudges(false)
    await player.setOutputLatency(latencyOffsets.offset.duration)
    let (playerEvents, coordinatorEvents) = (player.events, coordinator.events)
    tasks = [
      Task { [weak self] in
        for await event in playerEvents { await self?.handle(event) }
      },
      Task { [weak self] in
        for await event in coordinatorEvents { await self?.handle(event) }
      },
      Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: DriftController.interval, clock: .suspending)
          await self?.watchDrift()
          await self?.noteProgress()
          await self?.watchSlowness()
        }
      },
    ]
  }

  /// Leaves the party, if any, and ends everything. Its duration is bounded.
  func close() async {
    scanner?.stop()
    await rememberProgress()
    await parties.leave()
    await preroll?.stop()
    for task in tasks { task.cancel() }
    search?.cancel()
    request?.cancel()
    programmeAlarm.carryOut(programmeHost.cancelAlarm()) { _ in }
    closeLatencyOffset()
    await player.shutDown()
    endFilter()
    await syncLog?.finish()
    windowContinuation.finish()
    events.finish()
  }

  /// The player whose picture is in the terminal: a trailer's while there is one.
  var shownPlayer: MPVPlayer { preroll?.player ?? player }

  func emit(_ event: ScreeningEvent) { events.send(event) }

  /// Reports the participants and their states, if a face shows them.
  func emitParticipants() async {
    guard events.isFollowed(for: .participants) else { return }
    emit(.participants(await status().roster))
  }

  /// Reports a change from outside the actor.
  nonisolated func noteChange() { events.send(.changed) }

  func status() async -> TheaterStatus {
    let reading = party?.clock.reading
    let coordinatorSnapshot = await coordinator.snapshot()
    let playerSnapshot = await player.snapshot()
    var status = TheaterStatus(
      film: film, activity: program, isOpening: isOpening, player: PlayerView(playerSnapshot),
      shownPlayer: PlayerView(await preroll?.snapshot() ?? playerSnapshot),
      coordinator: coordinatorSnapshot,
      clock: reading, groupTime: reading?.groupTime(at: .now()), sync: sync,
      latencyOffset: latencyOffsets.offset)
    status.playsWhenOpen = programme.playsWhenOpen
    status.isLive = live != nil
    status.isInTrailer = preroll != nil
    status.isAlone = programme.ownChoice != nil
    status.partyEnding = core.machine.membership.ending
    status.othersLosingParty = await parties.othersLosingParty
    if let party {
      status.invite = invite
      status.reach = parties.reach
      status.me = await party.localParticipant
      status.participants = await party.participants
      let isLinkUp = core.machine.membership.isLinkUp
      status.isConnected = isLinkUp
      status.nextAttempt = isLinkUp ? nil : party.nextAttempt
      status.rejected = await party.rejections.total
      status.mayControl = await coordinator.mayControl
      status.mayChoose = await party.rules.mayControl(party.localID)
      status.drawing = drawingStatus
    }
    return status
  }

  var program: FilmActivity? { core.machine.list.map { FilmActivity($0) } }

  var programme: FilmProgramme { core.machine.programme }

  /// The film on the screen, or the one that is being opened.
  var film: FilmIdentity? { programme.film }
  var isOpening: Bool { programme.isOpening }

  func name(of id: Participant.ID?) async -> String { await parties.name(of: id) }
}
