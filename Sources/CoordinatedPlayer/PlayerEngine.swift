import AVFormat
import Foundation
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Synchronization
import Timekeeping

/// The inside of a ``CoordinatedPlayer``: passes its commands to the coordinator, what happens in mpv to the coordinator
/// too, and keeps the player in step.
package actor PlayerEngine {
  /// A command of the program.
  enum Order: Sendable {
    case replace(PlayerItem?)
    /// - Parameter rate: nil for the default rate.
    case play(rate: Double?, immediately: Bool)
    case pause
    case setDefaultRate(Double)
    case seek(MediaTime)
    case seekToDate(Date)
  }

  /// The state that the program reads from any thread.
  struct Shown {
    weak var delegate: (any PlayerPlaybackCoordinatorDelegate)?
    var item: PlayerItem?
    var rate = 1.0
    var status = CoordinatedPlayer.TimeControlStatus.paused
    var reason: CoordinatedPlayer.WaitingReason?
    /// The last known position, and the rate at which it moves; nil before the item is loaded.
    var position: (itemTime: MediaTime, hostTime: HostTime, rate: Double)?
    var duration: MediaTime?
    /// The date of item time zero of a live stream; nil for other items.
    var origin: MediaTime?
    var interstitialEvents: [InterstitialEvent] = []
    var second: CoordinatedPlayer?

    func itemTime(at time: HostTime) -> MediaTime? {
      position.map { $0.itemTime + (time - $0.hostTime) * $0.rate }
    }
  }

  /// A reason for which the engine itself has separated the player from the group.
  enum Apart: Hashable, Sendable { case stalled, disconnected, unplayable, interstitial }

  package nonisolated let player: MPVPlayer
  package nonisolated let coordinator: DelegatingPlaybackCoordinator
  nonisolated let shown = Mutex(Shown())
  nonisolated let events: AsyncStream<CoordinatedPlayer.Event>
  let emitter: AsyncStream<CoordinatedPlayer.Event>.Continuation
  let sync: PlayerSync
  private(set) var separations: Set<Apart> = []
  private var suspensions: [Apart: CoordinatedPlaybackSuspension] = [:]
  private(set) var ranges = InterstitialTimeRanges.none
  /// The next interstitial event or range that is about to begin.
  private(set) var cue: Task<Void, Never>?
  private var live: LiveStream?
  private var identifier: String?
  private var loading: Task<Void, Never>?
  private var tasks: [Task<Void, Never>] = []

  init(_ configuration: MPVConfiguration) throws(MPVError) {
    player = try MPVPlayer(configuration: configuration)
    coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
    sync = PlayerSync(player: player, coordinator: coordinator)
    (events, emitter) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(512))
  }

  deinit {
    for task in tasks + [loading, cue].compactMap(\.self) { task.cancel() }
    emitter.finish()
  }

  func begin() async {
    try? await player.setExpectsNudges(true)
    let (playerEvents, coordinatorEvents) = (player.events, coordinator.events)
    tasks = [
      Task { [weak self] in for await event in playerEvents { await self?.handle(event) } },
      Task { [weak self] in for await event in coordinatorEvents { await self?.handle(event) } },
      Task { [weak self] in
        while (try? await Task.sleep(for: DriftController.interval)) != nil { await self?.tick() }
      },
    ]
  }

  func shutDown() async {
    for task in tasks + [loading, cue].compactMap(\.self) { task.cancel() }
    await shown.withLock { $0.second }?.shutDown()
    await player.shutDown()
    emitter.yield(.shutDown)
    emitter.finish()
  }

  // MARK: - Commands

  func carryOut(_ order: Order) async {
    do throws(CoordinationError) {
      switch order {
      case .replace(let item): try await replace(item)
      case .play(let rate, let immediately):
        let chosen = if let rate { rate } else { await coordinator.snapshot().rate }
        try await coordinator.coordinateRateChange(
          to: chosen, options: immediately ? .playImmediately : [])
      case .pause: try await coordinator.coordinateRateChange(to: 0)
      case .setDefaultRate(let rate): try await coordinator.coordinateDefaultRateChange(to: rate)
      case .seek(let itemTime): try await coordinator.coordinateSeek(to: itemTime)
      case .seekToDate(let date):
        guard let live else { return }
        try await coordinator.coordinateSeek(
          to: MediaTime(seconds: date.timeIntervalSince1970 - live.origin.seconds))
      }
    } catch {
      emitter.yield(.commandRefused(error))
    }
    await refresh()
  }

  /// Begins to load an item: the coordinator learns of it first, so that from now on a start waits for this player.
  private func replace(_ item: PlayerItem?) async throws(CoordinationError) {
    loading?.cancel()
    cue?.cancel()
    // Without an item the ends of the suspensions move neither this player nor the group.
    try await coordinator.transitionToItem(withIdentifier: nil)
    for apart in separations { await rejoin(apart) }
    live = nil
    (identifier, ranges) = (nil, .none)
    shown.withLock { ($0.position, $0.duration, $0.origin) = (nil, nil, nil) }
    guard let item else {
      await player.setCurrentItemIdentifier(nil)
      // A player that has shut down shows nothing either.
      try? await player.stop()
      return
    }
    let delegate = shown.withLock { $0.delegate }
    let name =
      delegate?.playbackCoordinator(coordinator, identifierFor: item) ?? item.url.absoluteString
    live = await LiveStream.probe(item.location, ServerAccess(), StreamProbe())
    ranges = InterstitialTimeRanges(
      delegate?.playbackCoordinator(coordinator, interstitialTimeRangesFor: item) ?? [],
      origin: live?.origin ?? .zero)
    try await coordinator.transitionToItem(
      withIdentifier: name,
      proposing: live.map { PlaybackTiming(rate: 0, itemTime: $0.start) }, interstitials: ranges,
      playerIsReady: false)
    identifier = name
    await player.setCurrentItemIdentifier(name)
    shown.withLock { $0.origin = live?.origin }
    loading = Task { await load(item) }
  }

  private func load(_ item: PlayerItem) async {
    do {
      try await open(item)
    } catch {
      guard !Task.isCancelled else { return }
      return await giveUp("\(error)")
    }
    guard !Task.isCancelled else { return }
    await rejoin(.unplayable)
    await coordinator.playerDidBecomeReady()
    emitter.yield(.itemDidBecomeReady(item))
    await refresh()
  }

  private func open(_ item: PlayerItem) async throws(MPVError) {
    var start: Int?
    if let live {
      let place = await coordinator.ownItemTime(atHostTime: .now()) ?? live.start
      start = live.startIndex(for: place)
    }
    try await player.load(item.location, liveStart: start)
  }

  // MARK: - Apart from the group

  func separate(_ apart: Apart, for reason: CoordinatedPlaybackSuspension.Reason) async {
    guard separations.insert(apart).inserted else { return }
    let suspension = try? await coordinator.beginSuspension(for: reason)
    guard separations.contains(apart) else {
      await suspension?.end()
      return
    }
    suspensions[apart] = suspension
  }

  func rejoin(_ apart: Apart) async {
    separations.remove(apart)
    await suspensions.removeValue(forKey: apart)?.end()
  }

  private func giveUp(_ reason: String) async {
    await separate(.unplayable, for: .coordinatedPlaybackNotPossible)
    emitter.yield(.failedToPlay(reason))
  }

  /// The pauses between attempts to reach a server that disappeared. The last one repeats.
  private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)]

  /// Opens the item again as soon as its server is back. The group continues meanwhile.
  private func reconnect(_ item: PlayerItem) async {
    await separate(.disconnected, for: .stallRecovery)
    var attempt = 0
    while (try? await Task.sleep(for: Self.pauses[min(attempt, Self.pauses.count - 1)])) != nil {
      attempt += 1
      guard (try? await open(item)) != nil else { continue }
      guard !Task.isCancelled else { return }
      await rejoin(.disconnected)
      await rejoin(.stalled)
      return await coordinator.playerDidBecomeReady()
    }
  }

  /// Sets the next interstitial event or range; nil once it has begun, or was passed over.
  func setCue(_ task: Task<Void, Never>?) { cue = task }

  // MARK: - Events

  private func handle(_ event: PlayerEvent) async {
    switch event {
    case .userPaused: await forward { try $0.coordinateRateChange(to: 0) }
    case .userResumed:
      await forward { try $0.coordinateRateChange(to: $0.snapshot().rate) }
    case .userSought(let place): await forward { try $0.playerDidSeek(to: place) }
    case .userChangedRate(let rate):
      await forward { try $0.coordinateDefaultRateChange(to: rate) }
    case .strayed: await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    case .stalled(let isStalled): await stalled(isStalled)
    case .ended(let place, let isEarly, let item):
      guard item == identifier else { return }
      if await coordinator.playerDidReachEnd(at: place), !isEarly {
        emitter.yield(.didPlayToEndTime)
      }
    case .connectionLost:
      guard let item = shown.withLock({ $0.item }) else { return }
      loading?.cancel()
      loading = Task { await reconnect(item) }
    case .failed(let error): await giveUp("\(error)")
    case .userStopped: await giveUp("It was closed in the player.")
    case .userLoaded:
      // The item is the program's to choose.
      guard let item = shown.withLock({ $0.item }) else { return }
      loading?.cancel()
      loading = Task { await load(item) }
    case .loadedPercentChanged:
      await coordinator.reportLoadedPercent(await player.snapshot().loadedPercent)
    case .shutdown:
      emitter.yield(.shutDown)
      emitter.finish()
    case .pausedChanged, .rateChanged, .position, .loaded, .buffered: break
    case .userQueued, .volumeChanged, .fullscreenChanged, .tracksChanged, .subtitlesChanged,
      .audioDeviceLost, .audioDeviceFound, .audioDeviceChanged, .windowUnavailable, .windowKey,
      .pointerMoved, .loopBegan, .userQuit, .configured, .log:
      return
    }
    await refresh()
  }

  /// Passes on a change that the user has already made in the player. If the group doesn't follow, the player returns to
  /// the group's position.
  private func forward(
    _ body: (isolated DelegatingPlaybackCoordinator) throws -> Void
  ) async {
    do {
      try await body(coordinator)
    } catch {
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  /// Handles the beginning or the end of a wait for data: the group continues, and this player catches up afterwards.
  private func stalled(_ isStalled: Bool) async {
    if isStalled {
      guard case .playing = await coordinator.snapshot().status, await coordinator.isInGroup else {
        return
      }
      await separate(.stalled, for: .stallRecovery)
    } else if separations.contains(.stalled) {
      await rejoin(.stalled)
      await endStallIfReady()
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  /// Ends a stall in the coordinator once the player is ready. A command that fails for lack of data begins a
  /// suspension; the coordinator sends no more commands until it learns that there is data again.
  private func endStallIfReady() async {
    let snapshot = await player.snapshot()
    guard !separations.contains(.disconnected), snapshot.isLoaded, !snapshot.isSeeking,
      !snapshot.isStalled, await coordinator.suspensionReasons.contains(.stallRecovery)
    else { return }
    await coordinator.playerDidBecomeReady()
  }

  private func handle(_ event: CoordinatorEvent) async {
    await refresh()
    if case .changed(let change) = event {
      let originator = await coordinator.isInGroup ? change.originator : nil
      switch change.kind {
      case .play: emitter.yield(.rateDidChange(change.rate, originator: originator))
      case .pause, .ended: emitter.yield(.rateDidChange(0, originator: originator))
      case .rate:
        let isPaused = shown.withLock { $0.status } == .paused
        if !isPaused { emitter.yield(.rateDidChange(change.rate, originator: originator)) }
      case .seek: emitter.yield(.timeJumped(to: change.itemTime, originator: originator))
      case .proposed: break
      }
    }
    emitter.yield(.coordinator(event))
  }

  // MARK: - In step

  private func tick() async {
    if separations.contains(.interstitial) {
      // The group's line leaves out the part that this player plays.
      _ = await sync.goOnAlone()
    } else if separations.contains(.stalled) || separations.contains(.disconnected) {
      // A player without data can't be corrected.
      await sync.forget()
    } else {
      await endStallIfReady()
      let isOurs = await player.snapshot().isLoaded && identifier != nil
      _ = await sync.correct(reportsEnd: isOurs, isLive: live != nil)
    }
    await refresh()
    await followInterstitials()
  }

  /// Updates the state that the program reads.
  func refresh() async {
    let (group, isInGroup) = (await coordinator.snapshot(), await coordinator.isInGroup)
    let isOnLine = await coordinator.expectedLine() != nil
    let player = await player.snapshot()
    let lacksData = !player.isLoaded || player.isStalled
    var status = CoordinatedPlayer.TimeControlStatus.paused
    var reason: CoordinatedPlayer.WaitingReason?
    switch group.status {
    case .noItem, .paused: break
    case .waiting:
      status = .waitingToPlayAtSpecifiedRate
      reason = isInGroup && !lacksData ? .waitingForCoordinatedPlayback : .toMinimizeStalls
    case .playing where lacksData || group.suspensionReasons.contains(.stallRecovery):
      (status, reason) = (.waitingToPlayAtSpecifiedRate, .toMinimizeStalls)
    case .playing: status = .playing
    }
    let moves = status == .playing && !player.isPaused
    // Until a command is carried out the player is still where it was.
    let isOnItsWay = player.isSeeking || status != .paused && !isOnLine
    let itemTime = isOnItsWay ? group.itemTime : player.itemTime
    let isNews = shown.withLock { shown in
      shown.rate = group.rate
      shown.position = itemTime.map { ($0, .now(), moves ? player.rate : 0) }
      shown.duration = player.duration
      defer { (shown.status, shown.reason) = (status, reason) }
      return (shown.status, shown.reason) != (status, reason)
    }
    if isNews { emitter.yield(.timeControlStatusChanged(status, reason)) }
  }
}
