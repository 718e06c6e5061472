import Concurrency
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
  /// The coordinator's events, for one consumer. The queue is bounded: a consumer that is hundreds of events behind
  /// loses the oldest.
  public nonisolated let events: AsyncStream<CoordinatorEvent>

  /// The player that carries out the commands. Mirrors `playbackControlDelegate`.
  public var playbackControlDelegate: (any PlaybackControlDelegate)? { delegate }
  private(set) weak var delegate: (any PlaybackControlDelegate)?
  var machine: CoordinatorMachine
  var host = MachineHost<CoordinatorMachine>()
  let alarm = Alarm()
  let eventContinuation: AsyncStream<CoordinatorEvent>.Continuation

  var group: GroupMembership?
  /// The last known relation of group time and host time; outside a group they are the same.
  var lastReading = GroupClockReading.alone
  var command: Task<Void, Never>?
  var proofs = StateProofs()
  var suspensionDates: [UInt64: CoordinatedPlaybackSuspension] = [:]

  /// The current item's parts that aren't its content.
  private(set) var interstitials = InterstitialTimeRanges.none

  /// The coordinator's connection to a session.
  struct GroupMembership {
    /// A message for the party to pass on.
    enum Outgoing: Sendable {
      /// A report to send at once and reliably.
      case report(Data, isCommand: Bool)
      /// Data to send with the next beacon.
      case digest(Data, otherCopy: UInt32?)
    }

    let party: Party
    let session: GroupSessionID
    /// Carries messages to the party, in order.
    let outbox: AsyncStream<Outgoing>.Continuation
    var tasks: [Task<Void, Never>]
  }

  /// Creates a coordinator outside any group. It has no item until
  /// ``transitionToItem(withIdentifier:proposing:interstitials:playerIsReady:isOtherCopy:)``.
  ///
  /// - Parameter playbackControlDelegate: the player, held weakly: its owner keeps it.
  public init(playbackControlDelegate: any PlaybackControlDelegate) {
    delegate = playbackControlDelegate
    // The id isn't visible outside: on joining a session the machine takes the party's.
    machine = CoordinatorMachine(me: Participant.ID(high: 0, low: 0))
    (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(512))
  }

  // MARK: - Commands

  /// Plays at `rate`, or pauses at 0, together with the group.
  ///
  /// - Parameters:
  ///   - rate: 0, or 0.01 to 100.
  ///   - options: whether to wait until all participants are ready.
  /// - Throws: ``CoordinationError/noCurrentItem``, ``CoordinationError/rateOutOfRange(_:)``,
  ///   ``CoordinationError/notPermitted``.
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

  /// Sets the group's rate without starting a paused item.
  ///
  /// Corresponds to `defaultRate` of `AVPlayer`, for the group.
  public func coordinateDefaultRateChange(to rate: Double) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    guard CoordinatorMachine.rates.contains(rate) else { throw .rateOutOfRange(rate) }
    try requirePermission()
    perform(machine.coordinateDefaultRateChange(to: rate, at: now))
  }

  /// Moves the group to a new position in the item. If the group is playing, all participants resume together from
  /// there.
  ///
  /// - Parameters:
  ///   - itemTime: media time from the item's start; a negative one means the start.
  ///   - options: whether to wait until all participants are ready.
  /// - Throws: ``CoordinationError/noCurrentItem``, ``CoordinationError/notPermitted``.
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

  /// Plays at the group's rate along a line that players outside the group follow already. It waits for no participant:
  /// the group begins where the line is once the players can start.
  ///
  /// - Parameters:
  ///   - itemTime: the position that those players had, or have, at `hostTime`.
  ///   - kind: the change that the participants see, `play` or `seek`.
  /// - Throws: ``CoordinationError/noCurrentItem``, ``CoordinationError/notPermitted``.
  package func coordinatePlayback(
    along itemTime: MediaTime, atHostTime hostTime: HostTime, as kind: CoordinatedChange.Kind
  ) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    try requirePermission()
    let line = Timeline(
      itemTime: interstitials.contentTime(ofItemTime: itemTime),
      groupTime: reading.groupTime(at: hostTime), previousRate: 0)
    perform(machine.coordinatePlayback(along: line, as: kind, at: now))
  }

  /// Sets the item that the player has, or is about to load.
  ///
  /// If the group has a state for that item, the group's state wins; otherwise `timing` becomes the group's.
  ///
  /// - Parameters:
  ///   - identifier: the same for all participants with the same film; nil for no item.
  ///   - timing: nil for paused at the start.
  ///   - interstitials: the parts of the item that aren't its content, on this machine.
  ///   - playerIsReady: false while the player is still loading: a start then waits for this participant, and the
  ///     player gets its commands after ``playerDidBecomeReady()``.
  ///   - isOtherCopy: true if the player has another copy than the one that the identifier names, such as another
  ///     encoding of the film. The other participants see it
  ///     (``CoordinatedPlaybackParticipant/hasOtherCopy``).
  /// - Throws: ``CoordinationError/identifierTooLong``.
  ///
  /// Mirrors `transitionToItem(withIdentifier:proposingInitialTimingBasedOn:)`.
  public func transitionToItem(
    withIdentifier identifier: String?, proposing timing: PlaybackTiming? = nil,
    interstitials: InterstitialTimeRanges = .none, playerIsReady: Bool = true,
    isOtherCopy: Bool = false
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
        to: identifier, proposing: proposal, isPlayerReady: playerIsReady,
        isOtherCopy: isOtherCopy, at: now))
  }

  /// Reports that the player has loaded the current item, or accepts commands again after a failure.
  public func playerDidBecomeReady() {
    perform(machine.playerBecameReady(at: now))
  }

  /// Sends a player that strayed back to the group's position.
  public func reapplyCurrentItemStateToPlaybackControlDelegate() {
    perform(machine.reapply(at: now))
  }

  /// Reports how far the player is ahead of its expected position, so that the other participants see it.
  ///
  /// The measurement isn't sent separately; it travels with the next beacon.
  ///
  /// - Parameter measurement: nil while the player isn't playing.
  public func reportSync(_ measurement: SyncMeasurement?) {
    perform(machine.setSync(measurement))
  }

  /// Reports the part of the data that the player waits for which has arrived, so that the other participants see it.
  ///
  /// The percentage isn't sent separately; it travels with the next beacon.
  ///
  /// - Parameter percent: 0...100; nil while the player doesn't wait for data.
  public func reportLoadedPercent(_ percent: Int?) {
    perform(machine.setLoadedPercent(percent))
  }

  /// A Boolean value that indicates whether the coordinator is in a session.
  public var isInGroup: Bool { group != nil }

  /// Outside a group, and while this participant is suspended, takes the player's actual position as its expected
  /// position. No two crystals agree, and there is no other player to keep in step with. Otherwise this does nothing.
  ///
  /// - Parameters:
  ///   - itemTime: the moving player's position.
  ///   - hostTime: the time at which the player was there.
  public func playerPlays(at itemTime: MediaTime, hostTime: HostTime) {
    guard group == nil || !machine.suspensions.isEmpty else { return }
    machine.playerPlays(
      at: interstitials.contentTime(ofItemTime: itemTime), now: reading.groupTime(at: hostTime))
  }

  /// Reports how long before an instant the player needs its command, so that starts and changes of rate are scheduled
  /// far enough ahead for all participants. The latencies are zero at first; more than two seconds count as two.
  ///
  /// - Parameters:
  ///   - start: the latency of starting playback.
  ///   - rateChange: the latency until another rate is audible.
  public func reportLatencies(start: Duration, rateChange: Duration) {
    guard start != machine.latencies.start || rateChange != machine.latencies.rateChange else {
      return
    }
    perform(machine.setLatencies(start: start, rateChange: rateChange))
  }

  // MARK: - What is known

  /// The identifier of the item that was set last; nil for none.
  public var currentItemIdentifier: String? { machine.currentItem }

  /// Returns the group's position at a host time, also while this participant is apart from the group; nil without an
  /// item.
  ///
  /// A suspended participant sees by it how far away the group is, and whether it has caught up. Its own position is
  /// ``ownItemTime(atHostTime:)``.
  ///
  /// Mirrors `expectedItemTime(atHostTime:)`.
  public func expectedItemTime(atHostTime time: HostTime) -> MediaTime? {
    groupState.map {
      interstitials.itemTime(ofContentTime: $0.itemTime(at: reading.groupTime(at: time)))
    }
  }

  /// Returns the position that this participant's player should have at a host time; nil without an item.
  ///
  /// It is the group's position unless this participant is suspended.
  public func ownItemTime(atHostTime time: HostTime) -> MediaTime? {
    (machine.state?.itemTime(at: reading.groupTime(at: time))).map(interstitials.itemTime)
  }

  /// The group's state in the form that every participant follows.
  private var groupState: ItemState? { machine.groupState.map(machine.settled) }

  /// Returns the line that the player should be on. Nil unless playing, before the line begins, and while the player
  /// carries out a command.
  public func expectedLine() -> ExpectedLine? {
    let hostTime = HostTime.now()
    let reading = reading
    let now = reading.groupTime(at: hostTime)
    guard machine.inFlight == nil, let state = machine.state,
      case .playing(let timeline) = state.phase, timeline.groupTime <= now
    else { return nil }
    // The line as of now: the clocks drift, and the line has steps where the content is interrupted.
    return ExpectedLine(
      rate: state.rate, itemTime: interstitials.itemTime(ofContentTime: state.itemTime(at: now)),
      hostTime: hostTime, clockRate: reading.rate(at: hostTime), uncertainty: reading.uncertainty)
  }

  /// The other participants that have reported to this coordinator, ordered by identifier; empty outside a group.
  ///
  /// Mirrors `otherParticipants`.
  public var otherParticipants: [CoordinatedPlaybackParticipant] { snapshot().otherParticipants }

  /// Returns the coordinator's knowledge at this moment: one consistent value instead of several calls.
  public func snapshot() -> CoordinatorSnapshot {
    let state = machine.state
    let waitingFor = machine.reported.waiting
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
          loadedPercent: report.loadedPercent.map { Int($0) }, hasOtherCopy: report.hasOtherCopy)
      }, groupItemTime: (groupState?.itemTime(at: now)).map(interstitials.itemTime))
  }

  /// A Boolean value that indicates whether a pause takes all participants to its originator's frame. True by default.
  public var pauseSnapsToMediaTimeOfOriginator: Bool {
    get { machine.configuration.pauseSnapsToMediaTimeOfOriginator }
    set { machine.configuration.pauseSnapsToMediaTimeOfOriginator = newValue }
  }

  /// This participant's reasons for being apart from the group, innermost last.
  public var suspensionReasons: [CoordinatedPlaybackSuspension.Reason] { machine.visibleReasons }

  /// The reasons for which this participant's starts wait although another participant is suspended; none by default.
  ///
  /// They travel with this participant's reports: the participant who starts decides for all.
  public var suspensionReasonsThatTriggerWaiting: Set<CoordinatedPlaybackSuspension.Reason> {
    machine.configuration.suspensionReasonsThatTriggerWaiting
  }

  /// Sets ``suspensionReasonsThatTriggerWaiting``.
  ///
  /// - Parameter reasons: at most 8, with 512 bytes of UTF-8 together.
  public func setSuspensionReasonsThatTriggerWaiting(
    _ reasons: Set<CoordinatedPlaybackSuspension.Reason>
  ) {
    precondition(
      WaitedOutReason.isSensible(reasons.map { WaitedOutReason(reason: $0) }),
      "reasons that don't fit into a report: \(reasons)")
    machine.configuration.suspensionReasonsThatTriggerWaiting = reasons
    perform(machine.waitedOutReasonsChanged(at: now))
  }

  /// Sets the number of participants above which starts don't wait out suspensions with this reason.
  ///
  /// - Parameters:
  ///   - limit: at least 1; nil for no limit, the default.
  ///   - reason: the reason of the suspensions.
  ///
  /// Mirrors `setParticipantLimit(_:forWaitingOutSuspensionsWithReason:)`.
  public func setParticipantLimit(
    _ limit: Int?, forWaitingOutSuspensionsWithReason reason: CoordinatedPlaybackSuspension.Reason
  ) {
    precondition(limit ?? 1 >= 1, "a limit of \(limit ?? 0) participants")
    machine.configuration.participantLimits[reason] = limit
    perform(machine.waitedOutReasonsChanged(at: now))
  }

  /// Mirrors `participantLimitForWaitingOutSuspensions(withReason:)`.
  public func participantLimitForWaitingOutSuspensions(
    withReason reason: CoordinatedPlaybackSuspension.Reason
  ) -> Int? {
    machine.configuration.participantLimits[reason]
  }

  /// Sets how long a start waits for participants who aren't ready: more than zero, at most a minute.
  public func setStartWait(_ wait: Duration) {
    precondition(wait > .zero && wait <= CoordinatorMachine.longestWait, "a wait of \(wait)")
    machine.configuration.startWait = wait
  }

  /// A Boolean value that indicates whether this participant's commands take effect. Always true while it is suspended
  /// or alone.
  public var mayControl: Bool { machine.isApart || machine.mayControl(machine.me) }

  func requirePermission() throws(CoordinationError) {
    guard mayControl else { throw .notPermitted }
  }
}
