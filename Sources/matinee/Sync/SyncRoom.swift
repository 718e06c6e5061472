import Concurrency
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// Synchronization: measures this player's position, nudges it to the group's, and notes when it waits for data.
@ScreeningActor
final class SyncRoom {
  /// The facts that other parts of the program know.
  struct Links {
    /// The group's clock; nil outside a party.
    var clock: @ScreeningActor () -> GroupClockReading?
    var isLive: @ScreeningActor () -> Bool
    /// Gives the film machine an event, and returns once its directives are performed.
    var film: @ScreeningActor (FilmDecisions.Event) async -> Void
  }

  private static let aloneInterval = Duration.seconds(2)

  private let core: ScreeningCore<OriginRefusal>
  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private let events: EventBroadcast<ScreeningEvent>
  private let log: SyncLog?
  private let links: Links
  private var drift = DriftController()
  private var pace = PaceLimit()
  /// The last time at which the coordinator received the position of a player that plays alone.
  private var followedAlone = HostTime(nanoseconds: 0)
  /// A Boolean value that indicates whether the player has jumped by itself since the last measurement. The next one is
  /// exact again.
  private var isJumping = false
  /// The last measurement; nil while there is nothing to measure.
  private(set) var measurement: SyncMeasurement?
  private(set) var history = SyncHistory()

  init(
    core: ScreeningCore<OriginRefusal>, player: MPVPlayer,
    coordinator: DelegatingPlaybackCoordinator, events: EventBroadcast<ScreeningEvent>,
    log: SyncLog?, links: Links
  ) {
    self.core = core
    self.player = player
    self.coordinator = coordinator
    self.events = events
    self.log = log
    self.links = links
  }

  func close() async { await log?.finish() }

  private var filmMachine: FilmDecisions { core.machine.filmMachine }

  // MARK: - Drift

  /// Measures the player's position once, and corrects it. It is called at regular intervals.
  func watch() async {
    guard !filmMachine.separations.contains(.tooSlow) else { return await goOnAtOwnPace() }
    await correct()
    await judgePace()
  }

  private func correct() async {
    // A player without data can't be corrected. The stall ends when the player reports data.
    guard !filmMachine.separations.contains(.stalled), !filmMachine.isRecovering else {
      return await forget()
    }
    await endStallIfReady()
    let snapshot = await player.snapshot()
    await coordinator.reportLatencies(
      start: snapshot.startLatency,
      rateChange: snapshot.speedChangeLatency + max(player.outputLatency, .zero))
    if snapshot.isLoaded, !filmMachine.isOpening {
      await coordinator.reportItemEnd(links.isLive() ? nil : snapshot.duration)
    }
    guard !snapshot.isSettling, let expected = await coordinator.expectedLine() else {
      return await forget()
    }
    let line = PlaybackLine(
      rate: expected.rate, itemTime: expected.itemTime, hostTime: expected.hostTime)
    guard let position = await player.position(), position.rate > 0 else { return }
    let error = position.syncError(against: line)
    if await player.takeJump() {
      isJumping = true
      return await forget()
    }
    if isJumping {
      isJumping = false
      await forget()
      // The positions of a live stream follow the date.
      if !links.isLive() {
        await coordinator.playerDidJump(to: position.itemTime, hostTime: position.hostTime)
      }
      return
    }
    await note(
      error, of: position, clockUncertainty: expected.uncertainty, nudge: snapshot.nudge)
    guard await coordinator.isInGroup else { return await follow(position) }
    let correction = drift.measured(
      position, against: line, clockRate: expected.clockRate, snapshot: snapshot,
      outputLatency: player.outputLatency)
    switch correction {
    case .nudge(let factor):
      // The player may just have been shut down, and then needs no nudge.
      try? await player.setNudge(factor)
    case .seek:
      await forget()
      note(.reapplied)
      await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }

  /// Follows the player's own clock, since there is no other participant to be in sync with. Playback isn't corrected.
  private func follow(_ position: PlayerPosition) async {
    drift.interrupted()
    let now = HostTime.now()
    guard now - followedAlone >= Self.aloneInterval else { return }
    followedAlone = now
    await coordinator.playerPlays(at: position.itemTime(atHostTime: now), hostTime: now)
  }

  /// Begins to measure again, because nothing can be measured, or the earlier measurements don't count any more.
  func forget() async {
    drift.interrupted()
    guard measurement != nil else { return }
    measurement = nil
    await coordinator.reportSync(nil)
  }

  // MARK: - A player that is too slow

  /// Separates a player that is out of step for too long, although nothing but its machine keeps it from playing.
  private func judgePace() async {
    let isInStep = measurement.map { $0.error.magnitude <= PaceLimit.reach } ?? false
    let (snapshot, player) = (await coordinator.snapshot(), await player.snapshot())
    // A copy that ends before the others' stands at its end.
    let isOver = player.isAtEnd || player.duration.map { $0 <= snapshot.itemTime ?? .zero } ?? false
    guard core.machine.membership.isMember, snapshot.status == .playing, !filmMachine.isOpening,
      !filmMachine.isRecovering, filmMachine.separations.isEmpty, !links.isLive(), !isOver,
      !core.machine.waitsAtOwnEnd, snapshot.suspensionReasons.allSatisfy({ $0 == .stallRecovery })
    else { return pace.interrupted() }
    let playback = PaceLimit.Playback(item: snapshot.currentItemIdentifier, rate: snapshot.rate)
    guard case .separate(let isNews) = pace.note(isInStep: isInStep, in: playback, at: .now())
    else { return }
    await links.film(.separated(.tooSlow, for: .cannotKeepUp))
    if isNews { events.send(.warning(StoryWords.cannotKeepUp(at: snapshot.rate))) }
    // A command that is being carried out would still lead to the group's position.
    guard await coordinator.expectedLine() == nil, let here = player.itemTime else { return }
    await coordinator.playerDidBecomeReady()
    try? await coordinator.coordinateSeek(to: here, options: .resumeImmediately)
  }

  /// Lets the player go on without corrections, and rejoin once it keeps up.
  private func goOnAtOwnPace() async {
    await forget()
    let now = HostTime.now()
    var itemTime: MediaTime?
    if let position = await player.position(), position.rate > 0 {
      itemTime = position.itemTime(atHostTime: now)
    }
    if let itemTime { await coordinator.playerPlays(at: itemTime, hostTime: now) }
    guard filmMachine.separations.contains(.tooSlow), pace.played(to: itemTime, at: now) else {
      return
    }
    await links.film(.rejoined(.tooSlow, proposing: nil))
  }

  /// The group's playback was changed, which is a new attempt for a player that is out of step.
  func groupChanged(_ event: SyncRecord.Event) {
    note(event)
    pace.interrupted()
  }

  // MARK: - The record

  /// Records a measurement of the player.
  ///
  /// - Parameters:
  ///   - error: the player's lead over the group, in media time.
  ///   - position: the measured position.
  ///   - clockUncertainty: the maximum error of the group's time here.
  ///   - nudge: the factor of the speed beside the rate.
  private func note(
    _ error: Duration, of position: PlayerPosition, clockUncertainty: Duration, nudge: Double
  ) async {
    // Both are bounds on an instant. At twice the speed they cover twice as much of the film.
    let uncertainty = (position.uncertainty + clockUncertainty) * max(position.rate, 1)
    let measurement = SyncMeasurement(error: error, uncertainty: uncertainty)
    self.measurement = measurement
    // The position holds for the later moment at which it is perceived; it was measured now.
    let now = HostTime.now()
    record(
      SyncRecord(
        hostTime: now, itemTime: position.itemTime(atHostTime: now), measurement: measurement,
        nudge: nudge))
    await coordinator.reportSync(measurement)
  }

  func note(_ event: SyncRecord.Event) { record(SyncRecord(hostTime: .now(), event: event)) }

  private func record(_ record: SyncRecord) {
    var record = record
    if let reading = links.clock() {
      record.groupTime = reading.groupTime(at: record.hostTime)
      record.roundTrip = reading.roundTrip
      record.clockUncertainty = reading.uncertainty
    }
    history.append(record)
    let events = events
    log?.append(record) { events.send(.warning("\($0). Logging has stopped.")) }
  }

  // MARK: - Stalls

  /// Handles the beginning or the end of a wait for data: the group continues, and this player catches up afterwards.
  func stalled(_ isStalled: Bool) async {
    events.send(.changed)
    guard isStalled else {
      guard filmMachine.separations.contains(.stalled) else { return }
      await links.film(.rejoined(.stalled, proposing: nil))
      await endStallIfReady()
      return await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
    guard case .playing = await coordinator.snapshot().status else { return }
    note(.stalled)
    guard core.machine.membership.isMember else { return }
    await links.film(.separated(.stalled, for: .stallRecovery))
  }

  /// Ends a stall in the coordinator once the player is ready. A command that fails for lack of data begins a
  /// suspension; the coordinator sends no more commands until it learns that there is data again.
  private func endStallIfReady() async {
    guard !filmMachine.isOpening, !filmMachine.isRecovering,
      await coordinator.suspensionReasons.contains(.stallRecovery)
    else { return }
    let snapshot = await player.snapshot()
    guard snapshot.isLoaded, !snapshot.isSeeking, !snapshot.isStalled, !filmMachine.isOpening,
      !filmMachine.isRecovering
    else { return }
    await coordinator.playerDidBecomeReady()
  }
}
