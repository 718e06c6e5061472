import Concurrency
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// Performs the effects on coordinated playback: the coordinator's commands and suspensions, and the measurements that
/// keep this player in step.
@ScreeningActor
final class GroupAdapter {
  private static let aloneInterval = Duration.seconds(2)

  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private let events: EventBroadcast<ScreeningEvent>
  private let log: SyncLog?
  /// The coordinator's suspensions of the machine's separations.
  private var suspensions: [Separation: CoordinatedPlaybackSuspension] = [:]
  private var drift = DriftController()
  /// The last time at which the coordinator received the position of a player that plays alone.
  private var followedAlone = HostTime(nanoseconds: 0)
  /// A Boolean value that indicates whether the player has jumped by itself since the last measurement. The next one is
  /// exact again.
  private var isJumping = false
  /// The last measurement; nil while there is nothing to measure.
  private(set) var measurement: SyncMeasurement?
  private(set) var history = SyncHistory()
  /// The group's clock; nil outside a party.
  var clock: GroupClockReading?

  init(
    player: MPVPlayer, coordinator: DelegatingPlaybackCoordinator,
    events: EventBroadcast<ScreeningEvent>, log: SyncLog?
  ) {
    self.player = player
    self.coordinator = coordinator
    self.events = events
    self.log = log
  }

  func close() async { await log?.finish() }

  /// Returns the coordinator's state now.
  func facts() async -> GroupFacts { await coordinator.facts() }

  // MARK: - Commands

  func setRate(_ rate: Double, immediately: Bool) async throws {
    try await coordinator.coordinateRateChange(
      to: rate, options: immediately ? .playImmediately : [])
  }

  /// - Returns: true if the group's film is over; false if the others' copies are longer, or the group has gone
  ///   elsewhere.
  func reportEnd(at position: MediaTime) async -> Bool {
    await coordinator.playerDidReachEnd(at: position)
  }

  func waitFor(
    _ reasons: Set<CoordinatedPlaybackSuspension.Reason>, upTo limit: Int
  ) async {
    for reason in reasons {
      await coordinator.setParticipantLimit(limit, forWaitingOutSuspensionsWithReason: reason)
    }
    await coordinator.setSuspensionReasonsThatTriggerWaiting(reasons)
  }

  func separate(
    _ separation: Separation, for reason: CoordinatedPlaybackSuspension.Reason
  ) async throws {
    suspensions[separation] = try await coordinator.beginSuspension(for: reason)
  }

  func rejoin(_ separation: Separation, proposing position: MediaTime?) async {
    guard let suspension = suspensions.removeValue(forKey: separation) else { return }
    await coordinator.end(suspension, proposingNewTime: position)
  }

  /// Leaves the coordinator without an item.
  func clearItem() async { try? await coordinator.transitionToItem(withIdentifier: nil) }

  // MARK: - In step

  func perform(_ order: SyncOrder) async -> EffectAnswer {
    switch order {
    case .correct(let reportsEnd, let isLive):
      await correct(reportsEnd: reportsEnd, isLive: isLive)
      return EffectAnswer([.playback(.measured(error: measurement?.error))])
    case .goOnAlone: return EffectAnswer([.playback(.wentOn(to: await goOnAlone()))])
    case .stayHere: await stayHere()
    case .forget: await forget()
    case .noteStall: note(.stalled)
    case .noteLatencyOffset: note(.latencyOffset)
    }
    return .done
  }

  /// Measures the player's position once, and corrects it.
  private func correct(reportsEnd: Bool, isLive: Bool) async {
    let snapshot = await player.snapshot()
    await coordinator.reportLatencies(
      start: snapshot.startLatency,
      rateChange: snapshot.speedChangeLatency + max(player.outputLatency, .zero))
    if reportsEnd { await coordinator.reportItemEnd(isLive ? nil : snapshot.duration) }
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
      if !isLive {
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

  /// - Returns: the player's position; nil if it stands.
  private func goOnAlone() async -> MediaTime? {
    await forget()
    let now = HostTime.now()
    guard let position = await player.position(), position.rate > 0 else { return nil }
    let itemTime = position.itemTime(atHostTime: now)
    await coordinator.playerPlays(at: itemTime, hostTime: now)
    return itemTime
  }

  private func stayHere() async {
    guard await coordinator.expectedLine() == nil, let here = await player.snapshot().itemTime
    else { return }
    await coordinator.playerDidBecomeReady()
    try? await coordinator.coordinateSeek(to: here, options: .resumeImmediately)
  }

  private func forget() async {
    drift.interrupted()
    guard measurement != nil else { return }
    measurement = nil
    await coordinator.reportSync(nil)
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
    if let clock {
      record.groupTime = clock.groupTime(at: record.hostTime)
      record.roundTrip = clock.roundTrip
      record.clockUncertainty = clock.uncertainty
    }
    history.append(record)
    let events = events
    log?.append(record) { events.send(.warning("\($0). Logging has stopped.")) }
  }
}

extension DelegatingPlaybackCoordinator {
  /// The state that decisions depend on.
  fileprivate func facts() -> GroupFacts {
    let snapshot = snapshot()
    var facts = GroupFacts()
    facts.item = snapshot.currentItemIdentifier
    facts.status = snapshot.status
    facts.rate = snapshot.rate
    facts.itemTime = snapshot.itemTime
    facts.reasons = snapshot.suspensionReasons
    facts.hasOthers = !snapshot.otherParticipants.isEmpty
    facts.notReady = Set(
      snapshot.otherParticipants.filter { $0.suspensionReasons.contains(.readyCheck) }.map(\.id))
    facts.mayControl = mayControl
    facts.end = groupItemEnd
    return facts
  }
}
