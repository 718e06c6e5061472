import AVFormat
import Concurrency
import DequeModule
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

  /// Decides which film is on the screen. Its directives are performed one after another.
  var programme = FilmProgramme()
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
  /// A Boolean value that indicates whether this player's copy has ended before the group's film.
  var waitsAtOwnEnd = false
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
  /// A Boolean value that indicates whether the user was warned that there is no audio device.
  var hasNoSound = false

  /// The lines of mpv's log about the stream that was opened last, and the time until which more lines are added.
  var streamLog: [String] = []
  var streamLogUntil = HostTime(nanoseconds: 0)
  /// The accumulated stall time of the current film.
  var stallMeter = StallMeter()

  /// The history of watched films; nil if nothing is remembered.
  var history: History?
  /// The scanner of the media folders; nil if nothing is remembered.
  let scanner: LibraryScanner?
  /// The remembered record of this party, and this participant's identity in it.
  var seat: PartySeat?
  /// The participants who joined or changed their names, for the memory of people.
  var company: (newcomers: AsyncStream<Participant>.Continuation, isRemembered: OneShot<Void>)?
  /// The options for parties that this participant opens or joins.
  var hostingOptions = PartyHosting.Options()

  /// The program while this participant is in no party.
  var ownProgram: FilmActivity?
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

  var party: Party?
  var drawingPart = DrawingPart()
  var hosting: PartyHosting?
  /// The addresses at which others can reach the party that this program hosts; nil for a guest.
  var reach: Reach?
  var session: GroupSession<FilmActivity>?
  /// The playlist of the party's session; nil without a session.
  var sharedPlaylist: SharedPlaylist?
  /// The task that restores missing edits of the playlist at its deadline.
  var restoring: Task<Void, Never>?
  /// Fulfilled when the coordinator has entered the next session.
  var nextEntry = OneShot<Void>()
  var roster: [Participant] = []
  var partyTasks: [Task<Void, Never>] = []
  var isLinkUp = false
  /// A Boolean value that indicates whether this participant has joined a session of this party.
  var hasTakenPart = false
  /// The time at which this participant entered the party.
  var cameIn = HostTime(nanoseconds: 0)
  /// See ``TheaterStatus/partyEnding``.
  var partyEnding: PartyEnding?
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
  var name: String

  var tasks: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - trailers: shown before the first film, in a second player with the same configuration.
  ///   - angles: shown beside the film `angledFilm`.
  ///   - angledFilm: the film's identifier; nil for the first film that is opened.
  ///   - library: remembers the position reached in each film.
  ///   - isPrivate: true if nothing is remembered of this run.
  nonisolated init(
    configuration: MPVConfiguration, name: String, trailers: [String] = [], angles: [String] = [],
    angledFilm: String? = nil,
    syncLog: SyncLog? = nil,
    latencyOffset: LatencyOffset? = nil, library: MediaLibrary? = nil, isPrivate: Bool = false
  ) throws {
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
    self.name = name
    coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
    frames.show(player)
    (windowInput, windowContinuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(256))
  }

  /// Begins to handle the events of the player and the coordinator.
  func start() async {
    await readTrustedHosts()
    // The user named these locations, and they are loaded beside films of other participants.
    for location in angles + trailers { policy.allow(originOf: location) }
    await wait(by: nil)
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
    await leaveParty()
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

  /// Changes the name under which the others see this participant, in this party and later ones.
  func setName(_ name: String) async throws {
    guard let cleaned = PartyText.name(name) else { throw PartyError.emptyMessage }
    self.name = cleaned
    try await party?.rename(cleaned)
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
    status.partyEnding = partyEnding
    status.othersLosingParty = await othersLosingParty
    if let party {
      status.invite = invite
      status.reach = reach
      status.me = await party.localParticipant
      status.participants = await party.participants
      status.isConnected = isLinkUp
      status.nextAttempt = isLinkUp ? nil : party.nextAttempt
      status.rejected = await party.rejections.total
      status.mayControl = await coordinator.mayControl
      status.mayChoose = await mayChoose
      status.drawing = drawingStatus
    }
    return status
  }

  /// A Boolean value that indicates whether this participant may choose films and change the playlist for everyone.
  var mayChoose: Bool {
    get async { if let party { await party.rules.mayControl(party.localID) } else { true } }
  }

  /// The film on the screen, or the one that is being opened.
  var film: FilmIdentity? { programme.film }
  var isOpening: Bool { programme.isOpening }

  func name(of id: Participant.ID?) async -> String {
    guard let party, let id else { return "you" }
    return await party.participants.first { $0.id == id }?.name
      ?? roster.first { $0.id == id }?.name ?? "somebody"
  }

  // MARK: - The user's commands

  func play(immediately: Bool = false) async throws {
    if programme.keepPlay(besides: await coordinator.currentItemIdentifier) { return }
    let rate = await coordinator.snapshot().rate
    // The others' copies may be longer.
    var end = await coordinator.groupItemEnd
    if end == nil { end = await player.snapshot().duration }
    if let end, let at = await coordinator.snapshot().itemTime, at >= end - .milliseconds(200) {
      // At the end, playing starts again from the beginning.
      try await coordinator.coordinateSeek(to: .zero)
    }
    try await coordinator.coordinateRateChange(
      to: rate, options: immediately ? .playImmediately : [])
  }

  func pause() async throws {
    programme.forgetPlay(besides: await coordinator.currentItemIdentifier)
    try await coordinator.coordinateRateChange(to: 0)
  }

  func playPause() async throws {
    if let preroll { return try await preroll.playPause() }
    switch await coordinator.snapshot().status {
    case .noItem, .paused: try await play()
    case .waiting, .playing: try await pause()
    }
  }

  func seek(to place: MediaTime) async throws {
    if programme.keepSeek(to: place, besides: await coordinator.currentItemIdentifier) { return }
    var target = max(.zero, place)
    if let end = await player.snapshot().duration { target = min(target, end) }
    if live != nil, let earliest = await player.earliestTime() { target = max(target, earliest) }
    try await coordinator.coordinateSeek(to: target)
  }

  func seek(by distance: Duration) async throws {
    guard let here = await coordinator.snapshot().itemTime else {
      throw CoordinationError.noCurrentItem
    }
    try await seek(to: here + distance)
  }

  /// Steps forward or back by frames. It pauses first.
  func step(frames: Int) async throws {
    let frame = await player.snapshot().frameDuration ?? .milliseconds(40)
    if case .playing = await coordinator.snapshot().status { try await pause() }
    try await seek(by: frame * frames)
  }

  func seekChapter(by count: Int) async throws {
    let chapters = await player.snapshot().chapters.map(\.start)
    guard let here = await coordinator.snapshot().itemTime, !chapters.isEmpty else { return }
    let current = chapters.lastIndex { $0 <= here + .milliseconds(500) } ?? 0
    try await seek(to: chapters[min(max(0, current + count), chapters.count - 1)])
  }

  func setRate(_ rate: Double) async throws {
    try await coordinator.coordinateDefaultRateChange(to: rate)
  }

  func multiplyRate(by factor: Double) async throws {
    let rate = await coordinator.snapshot().rate * factor
    try await setRate(ArgumentText.clampingRate((rate * 1000).rounded() / 1000))
  }
}
