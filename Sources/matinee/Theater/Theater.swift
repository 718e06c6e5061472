import AVFormat
import Foundation
import GroupActivities
import MPVPlayer
import MediaLibrary
import OriginFilter
import PlaybackCoordination
import Timekeeping

/// One participant's whole program but for its face: the player, the coordinator, and the party if
/// there is one. Whatever the face wants of playback goes to the coordinator, never to the player.
actor Theater {
  /// For one consumer.
  nonisolated let events: AsyncStream<TheaterEvent>
  let eventContinuation: AsyncStream<TheaterEvent>.Continuation
  /// An element whenever there was an event, for one more consumer; a slow one hears of many at once.
  nonisolated let changes: AsyncStream<Void>
  private let changeContinuation: AsyncStream<Void>.Continuation

  let player: MPVPlayer
  let coordinator: DelegatingPlaybackCoordinator

  var film: FilmIdentity?
  var isOpening = false
  /// Set while the film is a live stream.
  var live: LiveStream?
  /// Opens what others chose.
  var loading: Task<Void, Never>?
  /// Counts openings: an older one that ends late changes nothing.
  var opening = 0
  /// Why this player is apart from the group; nil within while the coordinator is being told.
  var separations: [Separation: CoordinatedPlaybackSuspension?] = [:]
  var drift = DriftController()
  /// When the coordinator was last told where a player is that is alone.
  var followedAlone = HostTime(nanoseconds: 0)
  /// What was measured last; nil while there is nothing to measure.
  var sync: SyncMeasurement?
  var syncHistory = SyncHistory()
  let syncLog: SyncLog?
  var latencyOffsets: LatencyOffsets
  /// Where they are remembered; nil for nowhere.
  let latencyFile: LatencyOffsetFile?
  /// What holds now is yet to be remembered.
  var isLatencyOffsetNew = false
  var settlingLatency: Task<Void, Never>?
  /// The person was told so.
  var hasNoSound = false
  /// Tries to open the film again whose server has gone.
  var reopening: Task<Void, Never>?
  /// How often in a row that has helped only for a moment, and when it was done last.
  var reopenings: (count: Int, last: HostTime?) = (0, nil)

  /// What mpv's log said of the stream that was opened last, and until when more of it is taken.
  var streamLog: [String] = []
  var streamLogUntil = HostTime(nanoseconds: 0)
  /// What was waited for the film that is open.
  var stallMeter = StallMeter()

  /// Nil where nothing is remembered.
  var history: History?
  /// Looks through the media folders; nil where nothing is remembered.
  let scanner: LibraryScanner?
  /// This party as it is remembered, and who this participant is in it.
  var seat: PartySeat?
  /// Who has come, for what is remembered of people.
  var company = AsyncStream<Participant>.makeStream().continuation
  /// A film that goes on somewhere once it is open.
  var resumption: (identifier: String, place: MediaTime)?

  /// What is watched while in no party.
  var ownProgram: FilmActivity?
  /// What this player watches while the party watches something else; nil while it goes with the party.
  var ownChoice: FilmIdentity?
  /// What lies over the picture in mpv's window, and its keys; nil where there will never be one.
  private(set) var window: WindowCompanion?
  /// Whether this person looks for something to watch.
  var isBrowsing = false
  /// Which player's picture is in the terminal.
  nonisolated let frames = FrameRouter()
  /// What was taken up last of what is to be watched.
  var adopted: FilmActivity?
  /// Films that are shown beside another one, and its identifier; nil until it is known.
  let angles: [String]
  var angledFilm: String?
  /// Trailers that are still to be shown, how, and the player that shows them.
  var trailers: [String] = []
  let prerollConfiguration: MPVConfiguration
  var preroll: Preroll?
  /// The film that is to play as soon as it is there.
  var playsNext: String?

  var party: Party?
  var drawingPart = DrawingPart()
  var hosting: PartyHosting?
  /// Where the party that this program hosts can be reached; nil for a guest.
  var reach: Reach?
  var session: GroupSession<FilmActivity>?
  /// How many sessions the coordinator has entered, and who waits for the next.
  var entered = 0
  var entryWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
  var nextWaiter = 0
  var roster: [Participant] = []
  var partyTasks: [Task<Void, Never>] = []
  var isLinkUp = false
  /// Whether this party's first film has been taken up.
  var hasTakenPart = false
  /// When this participant came to the party.
  var cameIn = HostTime(nanoseconds: 0)
  /// See ``TheaterStatus/partyEnding``.
  var partyEnding: PartyEnding?
  /// Copies of films that the user named, by identifier.
  var copies: [String: FilmIdentity] = [:]
  var policy = URLPolicy() {
    didSet { originWatch?.update(policy) }
  }
  /// The way to the servers of a film that another participant chose, and its judge; nil for other films.
  var filter: OriginFilter?
  var originWatch: OriginWatch?
  var questionLimit = QuestionLimit()
  /// The look at the newest film's server. Another film ends it.
  var probing: StreamProbe?
  /// A film that waits for the user's word.
  var undecided: (activity: FilmActivity, question: AddressQuestion)?
  var name: String

  var tasks: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - trailers: shown before the first film, in a second player like the first.
  ///   - angles: shown beside this film; nil: beside the first one there is.
  ///   - library: remembers how far films are watched.
  ///   - isPrivate: nothing is remembered of this run.
  init(
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
    (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    (changes, changeContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Begins to listen to the player and the coordinator.
  func start() async {
    await readTrustedHosts()
    // The user named them, and they are loaded beside films of others.
    for location in angles + trailers { policy.allow(originOf: location) }
    await wait(by: nil)
    // One that is shut down already needs no filter either.
    try? await player.setExpectsNudges(false)
    await player.setOutputLatency(latencyOffsets.offset.duration)
    if Display.isThere {
      window = WindowCompanion(theater: self, player: player)
      await window?.start()
    }
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

  /// Leaves the party, if any, and ends everything. Bounded in time.
  func close() async {
    scanner?.stop()
    await rememberProgress()
    await leaveParty()
    await preroll?.stop()
    for task in tasks { task.cancel() }
    await window?.stop()
    reopening?.cancel()
    loading?.cancel()
    closeLatencyOffset()
    await player.shutDown()
    endFilter()
    await syncLog?.finish()
    eventContinuation.finish()
    changeContinuation.finish()
  }

  /// The name under which the others see this participant, in this party and later ones.
  func setName(_ name: String) async throws {
    guard let cleaned = PartyText.name(name) else { throw PartyError.emptyMessage }
    self.name = cleaned
    try await party?.rename(cleaned)
  }

  /// Whose picture is in the terminal: a trailer's while there is one.
  var shownPlayer: MPVPlayer { preroll?.player ?? player }

  func emit(_ event: TheaterEvent) {
    eventContinuation.yield(event)
    window?.take(.event(event))
    changeContinuation.yield()
  }

  /// For those that aren't the theater's own.
  nonisolated func noteChange() {
    eventContinuation.yield(.changed)
    changeContinuation.yield()
  }

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
    status.playsWhenOpen = isOpening && playsNext != nil && playsNext == film?.identifier
    status.isLive = live != nil
    status.isInTrailer = preroll != nil
    status.isAlone = ownChoice != nil
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
      status.mayChoose = await party.rules.mayControl(party.localID)
      status.drawing = drawingStatus
    }
    return status
  }

  func name(of id: Participant.ID?) async -> String {
    guard let party, let id else { return "you" }
    return await party.participants.first { $0.id == id }?.name
      ?? roster.first { $0.id == id }?.name ?? "somebody"
  }

  // MARK: - The user's commands

  func play(immediately: Bool = false) async throws {
    if let coming {
      playsNext = coming.identifier
      return
    }
    let rate = await coordinator.snapshot().rate
    if let end = await player.snapshot().duration, let at = await coordinator.snapshot().itemTime,
      at >= end - .milliseconds(200)
    {
      // Playing on from the end means playing it again.
      try await coordinator.coordinateSeek(to: .zero)
    }
    try await coordinator.coordinateRateChange(
      to: rate, options: immediately ? .playImmediately : [])
  }

  func pause() async throws {
    if coming != nil { playsNext = nil }
    try await coordinator.coordinateRateChange(to: 0)
  }

  /// A stream that is being opened, for this player alone: what is asked of it is done when it is there.
  private var coming: FilmIdentity? {
    party == nil && isOpening && film?.isStream == true ? film : nil
  }

  func playPause() async throws {
    if let preroll { return try await preroll.playPause() }
    switch await coordinator.snapshot().status {
    case .noItem, .paused: try await play()
    case .waiting, .playing: try await pause()
    }
  }

  func seek(to place: MediaTime) async throws {
    if let coming {
      resumption = (coming.identifier, max(.zero, place))
      return
    }
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

  /// One frame on or back, pausing first.
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
    try await setRate(min(100, max(0.01, (rate * 1000).rounded() / 1000)))
  }
}
