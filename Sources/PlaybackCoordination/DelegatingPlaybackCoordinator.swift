import Foundation
import GroupActivities
import Timekeeping

/// Routes every transport command through the group before a player sees it.
///
/// The user interface calls the coordinator, never the player. Alone or in a group the path is the
/// same: the coordinator decides, and commands the player through its delegate.
///
/// Mirrors `AVDelegatingPlaybackCoordinator`.
public actor DelegatingPlaybackCoordinator {
  /// For one consumer. Bounded: a consumer that is hundreds behind loses the oldest.
  public nonisolated let events: AsyncStream<CoordinatorEvent>

  /// Who carries out the commands. Mirrors `playbackControlDelegate`.
  public var playbackControlDelegate: (any PlaybackControlDelegate)? { delegate }
  weak var delegate: (any PlaybackControlDelegate)?
  var machine: CoordinatorMachine
  let eventContinuation: AsyncStream<CoordinatorEvent>.Continuation

  var group: GroupMembership?
  /// The relation of group time and host time that was last known; alone they are the same.
  var lastReading = GroupClockReading.alone
  var command: Task<Void, Never>?
  var timer: Task<Void, Never>?
  var timerDeadline: GroupTime?
  var proofs = StateProofs()
  var suspensionDates: [UInt64: CoordinatedPlaybackSuspension] = [:]

  /// The current item's parts that aren't its content.
  var interstitials = InterstitialTimeRanges.none

  /// What ties the coordinator to those with whom it coordinates.
  struct GroupMembership {
    /// What the party is to pass on.
    enum Outgoing: Sendable {
      /// At once, and reliably.
      case report(Data, isCommand: Bool)
      /// With the next beacon.
      case brief(Data)
    }

    enum Link {
      /// The continuation carries what is published to the party, in order.
      case session(Party, GroupSessionID, outbox: AsyncStream<Outgoing>.Continuation)
      case medium(PlaybackCoordinationMedium)
    }

    var link: Link
    var tasks: [Task<Void, Never>]

    var session: GroupSessionID? {
      if case .session(_, let id, _) = link { id } else { nil }
    }

    var party: Party? {
      if case .session(let party, _, _) = link { party } else { nil }
    }
  }

  public init(playbackControlDelegate: any PlaybackControlDelegate) {
    delegate = playbackControlDelegate
    // Nobody sees this id: on joining a session the machine takes the party's.
    machine = CoordinatorMachine(me: Participant.ID(high: 0, low: 0))
    (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(512))
  }

  // MARK: - Commands

  /// Plays at `rate`, or pauses at 0, with everybody.
  ///
  /// - Parameters:
  ///   - rate: 0, or 0.01 to 100.
  ///   - options: whether to wait until everybody is ready.
  /// - Throws: ``CoordinationError/noCurrentItem``, ``CoordinationError/rateOutOfRange(_:)``.
  ///
  /// Mirrors `coordinateRateChange(to:options:)`.
  public func coordinateRateChange(
    to rate: Double, options: RateChangeOptions = []
  ) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    guard rate == 0 || CoordinatorMachine.rates.contains(rate) else { throw .rateOutOfRange(rate) }
    try requirePermission()
    perform(
      machine.coordinateRateChange(
        to: rate, immediately: options.contains(.playImmediately), at: now))
  }

  /// Sets the rate for everybody without starting a paused item.
  ///
  /// What `defaultRate` is to `AVPlayer`, for the group.
  public func coordinateDefaultRateChange(to rate: Double) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    guard CoordinatorMachine.rates.contains(rate) else { throw .rateOutOfRange(rate) }
    try requirePermission()
    perform(machine.coordinateDefaultRateChange(to: rate, at: now))
  }

  /// Moves the group to a new place in the item; while playing, all resume together from there.
  ///
  /// - Parameter itemTime: media time from the item's start; a negative one means the start.
  /// - Throws: ``CoordinationError/noCurrentItem``.
  ///
  /// Mirrors `coordinateSeek(to:options:)`.
  public func coordinateSeek(
    to itemTime: MediaTime, options: SeekOptions = []
  ) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    try requirePermission()
    perform(
      machine.coordinateSeek(
        to: interstitials.contentTime(ofItemTime: itemTime),
        resumeImmediately: options.contains(.resumeImmediately), at: now))
  }

  /// Tells the coordinator which item the player has, or is about to load.
  ///
  /// If the group has a state for that item it wins; else `timing` becomes the group's.
  /// - Parameters:
  ///   - identifier: the same for everybody who has the same film; nil for no item.
  ///   - timing: nil for paused at the start.
  ///   - interstitials: what of the item isn't its content, on this machine.
  ///   - playerIsReady: false while the player is still loading: a start then waits for this
  ///     participant, and the player gets its commands with ``playerDidBecomeReady()``.
  ///
  /// Mirrors `transitionToItem(withIdentifier:proposingInitialTimingBasedOn:)`.
  public func transitionToItem(
    withIdentifier identifier: String?, proposing timing: PlaybackTiming? = nil,
    interstitials: InterstitialTimeRanges = .none, playerIsReady: Bool = true
  ) throws(CoordinationError) {
    if let identifier, identifier.utf8.count > ItemState.identifierLimit {
      throw .identifierTooLong
    }
    self.interstitials = interstitials
    let proposal = timing.map {
      PlaybackTiming(
        rate: $0.rate, itemTime: interstitials.contentTime(ofItemTime: $0.itemTime))
    }
    perform(
      machine.transition(
        to: identifier, proposing: proposal, isPlayerReady: playerIsReady, at: now))
  }

  /// The player has loaded the current item, or can be commanded again after it failed.
  public func playerDidBecomeReady() {
    perform(machine.playerBecameReady(at: now))
  }

  /// The player came to the end of the current item by playing.
  public func playerDidReachEnd(at itemTime: MediaTime) {
    perform(
      machine.playerReachedEnd(at: interstitials.contentTime(ofItemTime: itemTime), now: now))
  }

  /// Brings a player that strayed back to where the group is.
  public func reapplyCurrentItemStateToPlaybackControlDelegate() {
    perform(machine.reapply(at: now))
  }

  /// Reports how far the player is ahead of where it should be, so that the others see it.
  ///
  /// Nothing is sent for it alone: it goes out with the next beacon.
  ///
  /// - Parameter measurement: nil while it isn't playing.
  public func reportSync(_ measurement: SyncMeasurement?) {
    perform(machine.setSync(measurement))
  }

  /// Reports the part of the data that the player waits for which has arrived, so that the others see it.
  ///
  /// Nothing is sent for it alone: it goes out with the next beacon.
  ///
  /// - Parameter percent: 0...100; nil while the player doesn't wait for data.
  public func reportLoadedPercent(_ percent: Int?) {
    perform(machine.setLoadedPercent(percent))
  }

  /// Whether playback is coordinated with anybody else's, or could be.
  public var isInGroup: Bool { group != nil }

  /// Alone, takes where the player is for where it should be: no two crystals agree, and nobody is there to be in
  /// step with. In a group this does nothing.
  ///
  /// - Parameters:
  ///   - itemTime: where the moving player was.
  ///   - hostTime: when.
  public func playerPlays(at itemTime: MediaTime, hostTime: HostTime) {
    guard group == nil else { return }
    machine.playerPlays(
      at: interstitials.contentTime(ofItemTime: itemTime), now: reading.groupTime(at: hostTime))
  }

  /// Reports how long before an instant the player has to be told of it, so that starts and changes of rate lie far
  /// enough ahead for everybody. Zero at first; more than two seconds count as two.
  ///
  /// - Parameters:
  ///   - start: to play then.
  ///   - rateChange: to be heard at another rate from then on.
  public func reportLatencies(start: Duration, rateChange: Duration) {
    guard start != machine.startLatency || rateChange != machine.rateChangeLatency else { return }
    perform(machine.setLatencies(start: start, rateChange: rateChange))
  }

  // MARK: - Suspensions

  /// Separates this participant from the group until ``end(_:proposingNewTime:)``. Suspensions nest.
  ///
  /// Mirrors `beginSuspension(for:)`.
  @discardableResult
  public func beginSuspension(
    for reason: CoordinatedPlaybackSuspension.Reason
  ) -> CoordinatedPlaybackSuspension {
    let cleaned = PartyText.clean(reason.rawValue, limit: 32)
    let (id, actions) = machine.beginSuspension(
      for: .init(rawValue: cleaned.isEmpty ? "unknown" : cleaned), at: now)
    let suspension = CoordinatedPlaybackSuspension(
      id: id, reason: reason, beginDate: .now(), coordinator: self)
    suspensionDates[id] = suspension
    perform(actions)
    return suspension
  }

  /// Ends a suspension. With the last one this participant goes to where the group is, or, with
  /// `newTime`, the group comes to it.
  ///
  /// Mirrors `end()` and `end(proposingNewTime:)` of `AVCoordinatedPlaybackSuspension`.
  public func end(
    _ suspension: CoordinatedPlaybackSuspension, proposingNewTime newTime: MediaTime? = nil
  ) {
    suspensionDates[suspension.id] = nil
    let newTime = newTime.map(interstitials.contentTime)
    perform(machine.endSuspension(suspension.id, proposingNewTime: newTime, at: now))
  }

  /// Ends all suspensions that ``beginSuspension(for:)`` began.
  public func endAllSuspensions() {
    for id in suspensionDates.keys.sorted() {
      perform(machine.endSuspension(id, at: now))
    }
    suspensionDates = [:]
    if let replay = machine.catchingUp { perform(machine.endSuspension(replay, at: now)) }
  }

  /// Replays the last ten seconds for this participant alone, at twice the rate, until it has caught
  /// up with the group.
  ///
  /// While it does, this ends the replay.
  public func whatHappened() {
    if let replay = machine.catchingUp { return perform(machine.endSuspension(replay, at: now)) }
    perform(machine.whatHappened(at: now))
  }

  // MARK: - What is known

  public var currentItemIdentifier: String? { machine.currentItem }

  /// Where this participant's player should be at a host time; nil without an item.
  ///
  /// Mirrors `expectedItemTime(atHostTime:)`.
  public func expectedItemTime(atHostTime time: HostTime) -> MediaTime? {
    (machine.state?.itemTime(at: reading.groupTime(at: time))).map(interstitials.itemTime)
  }

  /// The line that the player should be on; nil unless playing, before it begins, and while the player carries
  /// out a command.
  public func expectedLine() -> ExpectedLine? {
    let hostTime = HostTime.now()
    let reading = reading
    let now = reading.groupTime(at: hostTime)
    guard machine.inFlight == nil, let state = machine.state,
      case .playing(let timeline) = state.phase, timeline.groupTime <= now
    else { return nil }
    // The line as it is now: the clocks drift, and it has steps where the content is interrupted.
    return ExpectedLine(
      rate: state.rate, itemTime: interstitials.itemTime(ofContentTime: state.itemTime(at: now)),
      hostTime: hostTime, clockRate: reading.rate(at: hostTime), uncertainty: reading.uncertainty)
  }

  public var otherParticipants: [CoordinatedPlaybackParticipant] { snapshot().otherParticipants }

  public func snapshot() -> CoordinatorSnapshot {
    let state = machine.state
    let waitingFor = machine.lastWaiting
    let status: CoordinatorSnapshot.Status =
      switch state?.phase {
      case nil: .noItem
      case .paused: .paused
      case .playing: .playing
      case .starting(_, let due):
        .waiting(for: waitingFor?.participants ?? [], until: reading.hostTime(at: due))
      }
    let proposal = machine.groupState.flatMap { state -> Stamp? in
      if case .starting = state.phase { state.stamp } else { nil }
    }
    return CoordinatorSnapshot(
      currentItemIdentifier: machine.currentItem, status: status, rate: state?.rate ?? 1,
      itemTime: (state?.itemTime(at: now)).map(interstitials.itemTime),
      suspensionReasons: machine.visibleReasons,
      otherParticipants: machine.others.sorted { $0.key < $1.key }.map { id, report in
        CoordinatedPlaybackParticipant(
          id: id, isReadyToPlay: proposal == nil || report.readyFor == proposal,
          suspensionReasons: report.suspensions, currentItemIdentifier: report.item,
          syncError: report.syncError.map { .microseconds($0) },
          syncUncertainty: report.syncUncertainty.map { .microseconds($0) },
          loadedPercent: report.loadedPercent.map { Int($0) })
      }, groupItemTime: (machine.groupState?.itemTime(at: now)).map(interstitials.itemTime))
  }

  /// Whether a pause takes everybody to the frame on which its originator paused. True by default.
  public var pauseSnapsToMediaTimeOfOriginator: Bool {
    get { machine.configuration.pauseSnapsToMediaTimeOfOriginator }
    set { machine.configuration.pauseSnapsToMediaTimeOfOriginator = newValue }
  }

  /// This participant's reasons to be apart from the group, innermost last.
  public var suspensionReasons: [CoordinatedPlaybackSuspension.Reason] { machine.visibleReasons }

  /// Reasons for which a start waits although a participant is suspended; none by default.
  ///
  /// Set it to the same everywhere, for example by the party's rules (`PartyRules.waiting`): whoever starts
  /// decides for all.
  public var suspensionReasonsThatTriggerWaiting: Set<CoordinatedPlaybackSuspension.Reason> {
    machine.configuration.suspensionReasonsThatTriggerWaiting
  }

  /// Sets ``suspensionReasonsThatTriggerWaiting``.
  public func setSuspensionReasonsThatTriggerWaiting(
    _ reasons: Set<CoordinatedPlaybackSuspension.Reason>
  ) {
    machine.configuration.suspensionReasonsThatTriggerWaiting = reasons
    perform(machine.settle(at: now))
  }

  /// Above so many participants nobody waits out suspensions with this reason.
  ///
  /// - Parameter limit: at least 1; nil for no limit, the default.
  ///
  /// Mirrors `setParticipantLimit(_:forWaitingOutSuspensionsWithReason:)`.
  public func setParticipantLimit(
    _ limit: Int?, forWaitingOutSuspensionsWithReason reason: CoordinatedPlaybackSuspension.Reason
  ) {
    precondition(limit ?? 1 >= 1, "a limit of \(limit ?? 0) participants")
    machine.configuration.participantLimits[reason] = limit
    perform(machine.settle(at: now))
  }

  /// Mirrors `participantLimitForWaitingOutSuspensions(withReason:)`.
  public func participantLimitForWaitingOutSuspensions(
    withReason reason: CoordinatedPlaybackSuspension.Reason
  ) -> Int? {
    machine.configuration.participantLimits[reason]
  }

  /// How long a start waits for those who aren't ready: more than zero, at most a minute.
  public func setStartWait(_ wait: Duration) {
    precondition(wait > .zero && wait <= CoordinatorMachine.longestWait, "a wait of \(wait)")
    machine.configuration.startWait = wait
  }

  /// Whether this participant's commands move the group; always, while it is apart from it or alone.
  public var mayControl: Bool { !machine.suspensions.isEmpty || machine.mayControl(machine.me) }

  func requirePermission() throws(CoordinationError) {
    guard mayControl else { throw .notPermitted }
  }
}
