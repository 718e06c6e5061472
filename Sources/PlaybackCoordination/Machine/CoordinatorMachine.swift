import GroupActivities
import OrderedCollections
import Timekeeping

/// One participant's playback coordinator: what the group has agreed on, who is ready, and what the
/// player is to do about it. Pure: group time comes in as an argument, actions come out as values.
///
/// The group's state for an item is replicated: every change is stamped, the newest stamp wins, and
/// every report repeats the state, so that all coordinators end with the same one whatever was lost
/// or crossed. Following the state is separate from agreeing on it: ``follow(at:)`` compares the
/// state with what the player was last told, and tells it what is missing.
struct CoordinatorMachine: Sendable {
  struct Configuration: Hashable, Sendable {
    /// How long a start waits for those who aren't ready.
    var startWait = Duration.seconds(10)
    /// Whether a pause takes everybody to the originator's frame.
    var pauseSnapsToMediaTimeOfOriginator = true
    /// The part of a lead that no measurement shows: handing over, signing, and waking the player.
    var leadMargin = Duration.milliseconds(40)
    /// Reasons for which a start waits although the participant is suspended.
    var suspensionReasonsThatTriggerWaiting: Set<CoordinatedPlaybackSuspension.Reason> = []
    /// Above so many participants nobody waits for these reasons.
    var participantLimits: [CoordinatedPlaybackSuspension.Reason: Int] = [:]
    /// How often one participant may make the others wait for it within ``patienceWindow``.
    var patience = 2
    var patienceWindow = Duration.seconds(600)
  }

  private(set) var me: Participant.ID
  var configuration = Configuration()

  /// The item that the player has, or is loading.
  var currentItem: String?
  /// Whether the player can take commands for ``currentItem``.
  var isPlayerReady = false
  /// The group's states, by item, the least recently changed first.
  var states: OrderedDictionary<String, ItemState> = [:]
  /// What the player follows while this participant is suspended: it starts as a copy of the group's
  /// state, and only this participant's own commands move it.
  var ownState: ItemState?
  /// What the others in the session said last.
  var others: [Participant.ID: ParticipantReport] = [:]
  /// Round trips to the reference, by participant, this one included.
  var roundTrips: [Participant.ID: Duration] = [:]

  /// Whose changes count; nil for everybody's.
  var controllers: Set<Participant.ID>?
  /// Who made a start wait, and when.
  var waitLog = WaitLog()
  /// A proposal that nobody started in time: it runs by itself from then on.
  var overdue: Stamp?
  /// A pause whose originator never told its frame: all go to the time that it named.
  var frameless: Stamp?

  var suspensions: [ActiveSuspension] = []
  /// Set while a start or rejoin is late: the others see it as a suspension, but the player goes on
  /// following the group.
  var isRecovering = false
  /// The suspension that began because the player couldn't do what it was told.
  var failure: UInt64?
  /// While catching up after *What happened?*: the suspension to end on arrival.
  var catchingUp: UInt64?

  var commanded = Commanded.nothing
  var inFlight: InFlight?
  var readyFor: Stamp?
  var syncError: Duration?

  var stamps: StampClock
  var nextID: UInt64 = 1
  var lastReport: ParticipantReport?
  var lastWaiting: WaitingForParticipants?

  /// What the player was last told.
  enum Commanded: Hashable, Sendable {
    case nothing
    /// Paused; `at` is where it stands, nil while that isn't known.
    case paused(at: MediaTime?)
    case preparing(for: Stamp, at: MediaTime)
    case playing(Timeline, rate: Double)
  }

  struct InFlight: Hashable, Sendable {
    var directive: Directive
    /// The state that it serves.
    var stamp: Stamp
    var issuedAt: GroupTime
  }

  struct ActiveSuspension: Hashable, Sendable {
    var id: UInt64
    var reason: CoordinatedPlaybackSuspension.Reason
  }

  /// mpv's range of `speed`.
  static let rates = 0.01...100.0
  /// No due date may lie further ahead.
  static let longestWait = Duration.seconds(60)
  static let longestLead = Duration.seconds(5)
  static let shortestLead = Duration.milliseconds(20)
  /// How long a pause waits for the originator's frame before all go to the time that it named.
  static let snapWait = Duration.seconds(1)
  /// When the leader of a start is gone, the others take over this much later each.
  static let takeoverStep = Duration.milliseconds(400)
  /// Where only some may control and none of them takes over, everybody starts by itself, this long after
  /// the due date: no start waits for ever.
  static let overdueWait = Duration.seconds(4)
  /// Two places this near are one: less than any frame, more than rounding.
  static let samePlace = Duration.microseconds(500)
  static let stateLimit = 64

  init(me: Participant.ID, configuration: Configuration = Configuration()) {
    self.me = me
    self.configuration = configuration
    stamps = StampClock(participant: me)
  }

  // MARK: - What can be read

  /// What the player is to follow.
  var state: ItemState? {
    guard let currentItem else { return nil }
    return suspensions.isEmpty ? states[currentItem].map(settled) : ownState
  }

  func mayControl(_ id: Participant.ID) -> Bool { controllers?.contains(id) ?? true }

  /// A start whose due date passed long ago, or a pause whose frame never came, as everybody takes it who
  /// holds it.
  func settled(_ state: ItemState) -> ItemState {
    var settled = state
    switch state.phase {
    case .starting(let from, let due) where overdue == state.stamp:
      settled.phase = .playing(
        Timeline(itemTime: from, groupTime: due + Self.overdueWait, previousRate: 0))
    case .paused(let at, isExact: false) where frameless == state.stamp:
      settled.phase = .paused(at: at, isExact: true)
    case .starting, .paused, .playing: break
    }
    return settled
  }

  /// The group's state for the current item, whether this participant follows it or not.
  var groupState: ItemState? { currentItem.flatMap { states[$0] } }

  /// What the others see as this participant's reasons.
  var visibleReasons: [CoordinatedPlaybackSuspension.Reason] {
    suspensions.map(\.reason) + (isRecovering ? [.stallRecovery] : [])
  }

  /// When ``timerFired(at:)`` is to be called next.
  var nextDeadline: GroupTime? {
    var deadlines: [GroupTime] = []
    // Only a start that this participant follows: the group's is the others' affair while it is apart.
    if let state, case .starting(_, let due) = state.phase {
      let delay = takeoverDelay(state)
      deadlines.append(
        suspensions.isEmpty
          ? due + (controllers == nil ? delay : min(delay, Self.overdueWait)) : due)
    }
    if let snapDeadline { deadlines.append(snapDeadline) }
    if let due = waitLog.nextNote { deadlines.append(due) }
    if let state, case .playing(let timeline) = state.phase, let inFlight, !isRecovering,
      case .play = inFlight.directive.kind
    {
      deadlines.append(max(timeline.groupTime, inFlight.issuedAt) + Self.recoveryGrace)
    }
    if let arrival = catchUpArrival { deadlines.append(arrival) }
    return deadlines.min()
  }

  /// When a pause whose exact frame hasn't come is to be taken as exact.
  var snapDeadline: GroupTime?

  /// A play command that hasn't taken effect this long after it was due shows as a recovery.
  static let recoveryGrace = Duration.milliseconds(250)

  // MARK: - Joining and leaving a group

  /// From now on this coordinator is one of a group's.
  ///
  /// - Parameters:
  ///   - me: this participant's id in the party.
  ///   - shift: what to add to times of before to get the group's.
  ///   - reports: what the others said last.
  mutating func join(
    as me: Participant.ID, shift: Duration, reports: [Participant.ID: ParticipantReport],
    at now: GroupTime
  ) -> [CoordinatorAction] {
    self.me = me
    return changeGroup(shift: shift, reports: reports, at: now)
  }

  /// From now on this coordinator is on its own.
  mutating func leaveGroup(shift: Duration, at now: GroupTime) -> [CoordinatorAction] {
    changeGroup(shift: shift, reports: [:], at: now)
  }

  /// The player's place is carried over into the other time as a proposal, so that nobody is moved
  /// by it.
  private mutating func changeGroup(
    shift: Duration, reports: [Participant.ID: ParticipantReport], at now: GroupTime
  ) -> [CoordinatorAction] {
    func carry(_ old: ItemState) -> ItemState {
      var state = old
      state.change = .proposed
      state.originator = me
      state.stamp = proposalStamp(at: now)
      switch old.phase {
      case .paused(let at, _): state.phase = .paused(at: at, isExact: true)
      case .starting(let from, _):
        // Somebody wants to play: that holds, if the group has nothing else in mind.
        state.phase = startPhase(from: from, immediately: false, at: now)
      case .playing(var timeline):
        timeline.groupTime = timeline.groupTime + shift
        state.phase = .playing(timeline)
      }
      return state
    }
    let carried = groupState.map(carry)
    ownState = ownState.map(carry)
    states = [:]
    others = [:]
    roundTrips = [:]
    stamps = StampClock(participant: me)
    readyFor = nil
    snapDeadline = nil
    overdue = nil
    frameless = nil
    waitLog.changeGroup(shift: shift)
    controllers = nil
    inFlight?.issuedAt = now
    // Whoever is new to the group has told it nothing yet.
    lastReport?.item = nil
    // The commands that are out were made in the other time; the player keeps following them.
    if case .playing = commanded, let following = ownState ?? carried {
      commanded =
        if case .playing(let timeline) = following.phase {
          .playing(timeline, rate: following.rate)
        } else { .nothing }
    }
    if case .preparing = commanded { commanded = .nothing }
    if let currentItem, let carried { states[currentItem] = carried }
    var actions: [CoordinatorAction] = []
    for (id, report) in reports { actions += received(report, from: id, at: now) }
    return actions + follow(at: now) + publish(announce: true)
  }

  /// Who is in the session besides this participant.
  mutating func membersChanged(
    _ members: Set<Participant.ID>, at now: GroupTime
  ) -> [CoordinatorAction] {
    let gone = others.keys.filter { !members.contains($0) }
    guard !gone.isEmpty else { return [] }
    for id in gone { others[id] = nil }
    return [.report(.participantsChanged)] + settle(at: now)
  }

  // MARK: - Commands of this participant's user

  /// - Parameter rate: 0 to pause, else within ``rates``.
  mutating func coordinateRateChange(
    to rate: Double, immediately: Bool, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let state else { return [] }
    let here = state.itemTime(at: now)
    if rate == 0 {
      switch state.phase {
      case .paused: return []
      case .starting(let from, _):
        return change(.pause, at: now) { $0.phase = .paused(at: from, isExact: true) }
      case .playing:
        let isExact = !configuration.pauseSnapsToMediaTimeOfOriginator
        return change(.pause, at: now) { $0.phase = .paused(at: here, isExact: isExact) }
      }
    }
    switch state.phase {
    case .playing:
      guard rate != state.rate else { return [] }
      let instant = now + lead
      let there = state.itemTime(at: instant)
      let oldRate = state.rate
      return change(.rate, at: now) {
        $0.rate = rate
        $0.phase = .playing(Timeline(itemTime: there, groupTime: instant, previousRate: oldRate))
      }
    case .starting where !immediately:
      // The wait goes on as long as it would have: who changes the rate is not to delay the start.
      guard rate != state.rate else { return [] }
      return change(.rate, at: now) { $0.rate = rate }
    case .paused, .starting:
      let start = startPhase(from: here, immediately: immediately, at: now)
      return change(.play, at: now) {
        $0.rate = rate
        $0.phase = start
      }
    }
  }

  /// Sets the rate at which the item will play, without starting it.
  mutating func coordinateDefaultRateChange(
    to rate: Double, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let state, rate != state.rate else { return [] }
    guard state.isPaused else { return coordinateRateChange(to: rate, immediately: false, at: now) }
    return change(.rate, at: now) { $0.rate = rate }
  }

  mutating func coordinateSeek(
    to itemTime: MediaTime, resumeImmediately: Bool, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard let state else { return [] }
    let target = max(.zero, itemTime)
    let phase =
      state.isPaused
      ? .paused(at: target, isExact: true)
      : startPhase(from: target, immediately: resumeImmediately, at: now)
    return change(.seek, at: now) { $0.phase = phase }
  }

  /// The player has, or begins to load, another item.
  ///
  /// - Parameters:
  ///   - proposal: what becomes the group's state if it has none for the item; nil for paused at 0.
  ///   - isPlayerReady: false while the player is still loading: it counts as not ready, and gets
  ///     its commands with ``playerBecameReady(at:)``.
  mutating func transition(
    to item: String?, proposing proposal: PlaybackTiming?, isPlayerReady: Bool, at now: GroupTime
  ) -> [CoordinatorAction] {
    currentItem = item
    self.isPlayerReady = isPlayerReady
    commanded = .nothing
    readyFor = nil
    isRecovering = false
    syncError = nil
    snapDeadline = nil
    var actions: [CoordinatorAction] = inFlight == nil ? [] : [.cancelCommand]
    inFlight = nil
    catchingUp = nil
    ownState = nil
    if let item {
      if states[item] == nil {
        let timing = proposal ?? PlaybackTiming(rate: 0, itemTime: .zero)
        remember(
          ItemState(
            item: item, stamp: proposalStamp(at: now), originator: me, change: .proposed,
            rate: timing.rate == 0 ? 1 : timing.rate,
            phase: timing.rate == 0
              ? .paused(at: timing.itemTime, isExact: true)
              : startPhase(from: timing.itemTime, immediately: false, at: now)))
      }
      ownState = suspensions.isEmpty ? nil : states[item]
    }
    actions += endFailure(at: now) + claimIfUnowned(at: now)
    return actions + follow(at: now) + publish(announce: true) + settle(at: now)
  }

  /// The player can take commands for the current item, for the first time or again.
  mutating func playerBecameReady(at now: GroupTime) -> [CoordinatorAction] {
    isPlayerReady = true
    return endFailure(at: now) + follow(at: now)
  }

  private mutating func endFailure(at now: GroupTime) -> [CoordinatorAction] {
    guard let id = failure else { return [] }
    failure = nil
    return endSuspension(id, at: now)
  }

  /// The player came to the end of the item by playing.
  mutating func playerReachedEnd(at end: MediaTime, now: GroupTime) -> [CoordinatorAction] {
    // It is nobody's command, but it changes what all hold; those who may not control just stand there.
    guard let state, state.isPlaying, state.itemTime(at: now) >= end - .seconds(2),
      mayControl(me) || !suspensions.isEmpty
    else { return [] }
    return change(.ended, at: now) { $0.phase = .paused(at: end, isExact: true) }
  }

  /// Tells the player everything again.
  mutating func reapply(at now: GroupTime) -> [CoordinatorAction] {
    commanded = .nothing
    return follow(at: now, isReapplied: true)
  }

  mutating func setSyncError(_ error: Duration?) -> [CoordinatorAction] {
    syncError = error
    return publish(announce: false)
  }

  /// - Parameter controllers: nil for everybody.
  mutating func setControllers(
    _ controllers: Set<Participant.ID>?, at now: GroupTime
  ) -> [CoordinatorAction] {
    self.controllers = controllers
    // What was held of somebody who may not control any more gives way to whatever a controller says:
    // the others may have refused it.
    for (item, state) in states where !mayControl(state.stamp.participant) {
      states[item]?.stamp = Stamp(
        time: .min + max(0, state.stamp.time), participant: state.stamp.participant)
    }
    // And what was refused may count now.
    var actions: [CoordinatorAction] = []
    for sender in others.keys.sorted() {
      if let state = others[sender]?.state { actions += merge(state, at: now) }
    }
    return actions + claimIfUnowned(at: now) + follow(at: now) + settle(at: now)
  }

  /// A state that was made by somebody who may not control any more becomes the word of whoever may: a
  /// newcomer wouldn't take it from the other.
  mutating func claimIfUnowned(at now: GroupTime) -> [CoordinatorAction] {
    guard suspensions.isEmpty, mayControl(me), let state = groupState,
      !mayControl(state.stamp.participant)
    else { return [] }
    return change(state.change, originator: state.originator, at: now) { _ in }
  }

  // MARK: - What the others say

  mutating func received(
    _ report: ParticipantReport, from sender: Participant.ID, at now: GroupTime
  ) -> [CoordinatorAction] {
    guard sender != me, report.isSensible else { return [] }
    if let known = others[sender], known.revision >= report.revision { return [] }
    let before = others[sender]
    others[sender] = report
    var actions: [CoordinatorAction] = []
    if before?.suspensions != report.suspensions || before?.item != report.item
      || before?.readyFor != report.readyFor || before == nil
    {
      actions.append(.report(.participantsChanged))
    }
    if let state = report.state { actions += merge(state, at: now) }
    return actions + settle(at: now)
  }

  mutating func setRoundTrips(_ roundTrips: [Participant.ID: Duration]) {
    self.roundTrips = roundTrips
  }

  private mutating func merge(_ state: ItemState, at now: GroupTime) -> [CoordinatorAction] {
    guard mayControl(state.stamp.participant), state.isSensible(at: now),
      stamps.observe(state.stamp, at: now)
    else { return [] }
    let old = states[state.item]
    guard old.map({ $0.stamp < state.stamp }) ?? true else { return [] }
    remember(state)
    guard state.item == currentItem else { return [] }
    return changed(from: old, to: state, at: now)
  }

  // MARK: - Changing the state

  /// Stamps a change of the state that the player follows, tells the group unless this participant is
  /// suspended, and follows it.
  mutating func change(
    _ kind: CoordinatedChange.Kind, originator: Participant.ID? = nil, at now: GroupTime,
    _ body: (inout ItemState) -> Void
  ) -> [CoordinatorAction] {
    guard var new = state else { return [] }
    let old = new
    body(&new)
    new.stamp = stamps.next(at: now)
    new.originator = originator ?? me
    new.change = kind
    if suspensions.isEmpty {
      remember(new)
      return changed(from: old, to: new, at: now)
    }
    ownState = new
    return follow(at: now) + settle(at: now)
  }

  private mutating func changed(
    from old: ItemState?, to new: ItemState, at now: GroupTime
  ) -> [CoordinatorAction] {
    var actions: [CoordinatorAction] = []
    // An exact frame after a pause, and the start after a proposal, are parts of one change.
    if old.map({ !$0.isContinued(by: new) }) ?? true {
      actions.append(
        .report(
          .changed(
            CoordinatedChange(
              kind: new.change, originator: new.originator, itemTime: new.itemTime(at: now),
              rate: new.rate))))
    }
    snapDeadline = nil
    // Told before it is done: the others need the time more than our own player does.
    actions += publish(announce: true)
    return actions + follow(at: now) + settle(at: now)
  }

  mutating func remember(_ state: ItemState) {
    states[state.item] = nil
    states[state.item] = state
    if states.count > Self.stateLimit, let oldest = states.keys.first(where: { $0 != currentItem })
    {
      states[oldest] = nil
    }
  }

  /// Readiness, waiting and catching up, after anything changed.
  mutating func settle(at now: GroupTime) -> [CoordinatorAction] {
    if let state, case .paused(_, isExact: false) = state.phase {
      snapDeadline = snapDeadline ?? now + Self.snapWait
    } else {
      snapDeadline = nil
    }
    return updateWaiting(at: now) + startIfDue(at: now)
  }

  /// The stamp of a state that nobody asked for: older than any command, and the older of two such
  /// wins, so that who comes late moves nobody.
  private func proposalStamp(at now: GroupTime) -> Stamp {
    Stamp(time: -max(1, now.nanoseconds), participant: me)
  }

  /// People need longer than players: where a reason is waited out, the start waits as long as any may.
  private var startWait: Duration {
    let isWaitedOut = countingOthers.contains { !(others[$0]?.suspensions.isEmpty ?? true) }
    return isWaitedOut && suspensions.isEmpty ? Self.longestWait : configuration.startWait
  }

  func startPhase(
    from itemTime: MediaTime, immediately: Bool, at now: GroupTime
  ) -> ItemState.Phase {
    immediately
      ? .playing(Timeline(itemTime: itemTime, groupTime: now + lead, previousRate: 0))
      : .starting(from: itemTime, due: now + startWait)
  }
}

extension ItemState {
  /// Whether `new` only carries out what this state announced.
  fileprivate func isContinued(by new: ItemState) -> Bool {
    guard originator == new.originator, change == new.change, rate == new.rate else { return false }
    switch (phase, new.phase) {
    case (.paused(_, isExact: false), .paused(_, isExact: true)): return true
    case (.starting(let from, _), .playing(let timeline)): return from == timeline.itemTime
    case (.paused, _), (.starting, _), (.playing, _): return false
    }
  }
}

/// A place and a rate to begin with. Mirrors what `transitionToItem(withIdentifier:proposingInitialTimingBasedOn:)`
/// reads from a `CMTimebase`.
public struct PlaybackTiming: Hashable, Sendable {
  /// Zero for paused.
  public var rate: Double
  public var itemTime: MediaTime

  public init(rate: Double, itemTime: MediaTime) {
    self.rate = rate
    self.itemTime = itemTime
  }
}
