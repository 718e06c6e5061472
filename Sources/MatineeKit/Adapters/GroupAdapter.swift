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
  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private let events: EventBroadcast<ScreeningEvent>
  private let log: SyncLog?
  /// The coordinator's suspensions of the machine's separations.
  private var suspensions: [Separation: CoordinatedPlaybackSuspension] = [:]
  private let sync: PlayerSync
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
    sync = PlayerSync(player: player, coordinator: coordinator)
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
      let outcome = await sync.correct(reportsEnd: reportsEnd, isLive: isLive)
      measurement = await sync.measurement
      if let sample = outcome.sample { record(SyncRecord(sample)) }
      if outcome.isReapplied { note(.reapplied) }
      return EffectAnswer([.playback(.measured(error: measurement?.error))])
    case .goOnAlone:
      measurement = nil
      return EffectAnswer([.playback(.wentOn(to: await sync.goOnAlone()))])
    case .stayHere: await stayHere()
    case .forget:
      measurement = nil
      await sync.forget()
    case .noteStall: note(.stalled)
    case .noteLatencyOffset: note(.latencyOffset)
    }
    return .done
  }

  private func stayHere() async {
    guard await coordinator.expectedLine() == nil, let here = await player.snapshot().itemTime
    else { return }
    await coordinator.playerDidBecomeReady()
    try? await coordinator.coordinateSeek(to: here, options: .resumeImmediately)
  }

  // MARK: - The record

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

extension SyncRecord {
  fileprivate init(_ sample: PlayerSync.Sample) {
    self.init(
      hostTime: sample.hostTime, itemTime: sample.itemTime, measurement: sample.measurement,
      nudge: sample.nudge)
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
    facts.groupItemTime = snapshot.groupItemTime
    facts.reasons = snapshot.suspensionReasons
    facts.hasOthers = !snapshot.otherParticipants.isEmpty
    facts.withFilm = Set(
      snapshot.otherParticipants.filter {
        $0.currentItemIdentifier == snapshot.currentItemIdentifier
      }.map(\.id))
    facts.notReady = Set(
      snapshot.otherParticipants.filter { $0.suspensionReasons.contains(.readyCheck) }.map(\.id))
    facts.mayControl = mayControl
    facts.end = groupItemEnd
    return facts
  }
}
