import Concurrency
import GroupActivities
import OrderedCollections
import Timekeeping

/// One participant's playback coordinator: the group's agreed states, the participants' readiness, and the resulting
/// commands for the player. Pure: group time comes in as an argument, actions come out as values.
///
/// The group's state for an item is replicated: every change is stamped, the newest stamp wins, and every report
/// repeats the state, so that all coordinators end with the same one even if messages were lost or crossed. Following
/// the state is separate from agreeing on it: ``follow(at:)`` compares the state with the player's last command, and
/// sends the missing one.
struct CoordinatorMachine: HostedMachine, Sendable {
  struct Configuration: Hashable, Sendable {
    /// The time that a start waits for participants who aren't ready.
    var startWait = Duration.seconds(10)
    /// A Boolean value that indicates whether a pause takes all participants to the originator's frame.
    var pauseSnapsToMediaTimeOfOriginator = true
    /// The part of a lead that no measurement shows: handing over, signing, and waking the player.
    var leadMargin = Duration.milliseconds(8)
    /// Reasons for which this participant's starts wait although another participant is suspended.
    var suspensionReasonsThatTriggerWaiting: Set<CoordinatedPlaybackSuspension.Reason> = []
    /// The number of participants above which starts don't wait for a reason.
    var participantLimits: [CoordinatedPlaybackSuspension.Reason: Int] = [:]
    /// The number of times that one participant may make the others wait for it within ``patienceWindow``.
    var patience = 2
    var patienceWindow = Duration.seconds(600)
  }

  var me: Participant.ID
  var configuration = Configuration()

  /// The item that the player has, or is loading.
  var currentItem: String?
  /// A Boolean value that indicates whether the player can take commands for ``currentItem``.
  var isPlayerReady = false
  /// The group's states, by item, the least recently changed first.
  var states: OrderedDictionary<String, ItemState> = [:]
  /// The state that the player follows while this participant is suspended. It starts as a copy of the group's state,
  /// and only this participant's own commands change it.
  var ownState: ItemState?
  /// The latest reports of the others in the session.
  var others: [Participant.ID: ParticipantReport] = [:]
  var distances = Distances()
  var latencies = Latencies()

  /// The participants whose changes count; nil for all participants.
  var controllers: Set<Participant.ID>?
  /// A Boolean value that indicates whether this participant's connection to the others is up. Without it none of the
  /// others can answer, and only this participant counts.
  var isLinkUp = true
  /// The participants who made a start wait, and the times of these waits.
  var waitLog = WaitLog()
  var lapses = Lapses()

  var suspensions: [ActiveSuspension] = []
  var trouble = Trouble()
  /// While catching up after *What happened?*: the suspension to end on arrival.
  var catchingUp: UInt64?

  var copyEnd = OwnEnd()

  var commanded = Commanded.nothing
  var inFlight: InFlight?
  var readyFor: Stamp?
  var measured = Measured()

  var stamps: StampClock
  var nextID: UInt64 = 1
  var reported = Reported()

  /// The participants' distances from the group's clock.
  struct Distances: Hashable, Sendable {
    /// The upper bound of most round trips to the reference, by participant, including this one.
    var roundTrips: [Participant.ID: Duration] = [:]
    /// The participant whose clock is the group's; nil if the clock isn't a participant's.
    var reference: Participant.ID?
  }

  /// The delays of this participant's player.
  struct Latencies: Hashable, Sendable {
    /// The time before an instant at which the player needs its command.
    var start = Duration.zero
    /// The time until a change of the rate is audible.
    var rateChange = Duration.zero
  }

  /// The trouble of this participant's player with the group's commands.
  struct Trouble: Hashable, Sendable {
    /// A Boolean value that indicates whether a start or rejoin is late. The others see it as a suspension, but the
    /// player continues to follow the group.
    var isRecovering = false
    /// The suspension that began because the player couldn't carry out a command.
    var failure: UInt64?
    var hold = Hold()
  }

  /// A lack of data that concerns all participants: see ``holdIfUnwatched(at:)``.
  struct Hold: Hashable, Sendable {
    /// A Boolean value that indicates whether this participant, whose player waits for data, is not apart from the
    /// group, because the group waits for data too.
    var isHeld = false
    /// The time since when the group's line moves without anyone who plays; nil if it doesn't.
    var unwatchedSince: GroupTime?
    /// The time at which this participant holds the group then.
    var due: GroupTime?
  }

  /// The omissions of originators.
  struct Lapses: Hashable, Sendable {
    /// A proposal that no participant started in time. From then on it counts as playing without a published start.
    var overdue: Stamp?
    /// A pause whose originator never reported its frame: all participants go to the time that it named.
    var frameless: Stamp?
  }

  /// The end of the current item in this participant's copy.
  struct OwnEnd: Hashable, Sendable {
    /// The end that the file names; nil while unknown.
    var named: MediaTime?
    /// The end at which the player stopped. It counts more than ``named``, which may be an estimate.
    var lastFrame: MediaTime?
    /// A Boolean value that indicates whether the player has stopped at its end because it played until there.
    var isReached = false
    /// The time at which it stopped there; nil if the wait for the others has been reported since.
    var reachedAt: GroupTime?
  }

  /// The measurements of this participant's player, for the others.
  struct Measured: Hashable, Sendable {
    var sync: SyncMeasurement?
    /// See ``ParticipantReport/loadedPercent``.
    var loadedPercent: Int?
    /// A Boolean value that indicates whether the player has another copy of the current item.
    var isOtherCopy = false
  }

  /// The last reports.
  struct Reported: Hashable, Sendable {
    var report: ParticipantReport?
    var waiting: WaitingForParticipants?
  }

  /// The player's last command.
  enum Commanded: Hashable, Sendable {
    case nothing
    /// Paused at this position; nil while the position isn't known.
    case paused(at: MediaTime?)
    case preparing(for: Stamp, at: MediaTime)
    case playing(Timeline, rate: Double)
  }

  struct InFlight: Hashable, Sendable {
    var directive: PlayerDirective
    /// The stamp of the state that the directive serves.
    var stamp: Stamp
    var issuedAt: GroupTime
  }

  struct ActiveSuspension: Hashable, Sendable {
    var id: UInt64
    var reason: CoordinatedPlaybackSuspension.Reason
  }

  /// mpv's range of `speed`.
  static let rates = 0.01...100.0
  /// The limit of due dates: none may lie further ahead.
  static let longestWait = Duration.seconds(60)
  static let longestLead = Duration.seconds(5)
  /// The assumed round trip of a participant who hasn't reported one yet.
  static let unknownRoundTrip = Duration.milliseconds(50)
  static let shortestLead = Duration.milliseconds(20)
  /// The time that a pause waits for the originator's frame before all participants go to the time that it named.
  static let snapWait = Duration.seconds(1)
  /// The delay between successive participants who take over a start when its leader is gone.
  static let takeoverStep = Duration.milliseconds(400)
  /// The delay after the due date at which every participant starts on its own, if only some may control playback and
  /// none of them takes over: no start waits forever.
  static let overdueWait = Duration.seconds(4)
  /// The distance within which two positions count as the same: less than any frame, more than rounding.
  static let samePosition = Duration.microseconds(500)
  static let stateLimit = 64

  init(me: Participant.ID, configuration: Configuration = Configuration()) {
    self.me = me
    self.configuration = configuration
    stamps = StampClock(participant: me)
  }

  // MARK: - What can be read

  /// The state that the player should follow.
  var state: ItemState? {
    guard let currentItem else { return nil }
    return isApart ? ownState : states[currentItem].map(settled)
  }

  /// A Boolean value that indicates whether the group doesn't move this participant's player, nor the participant the
  /// group.
  var isApart: Bool { !suspensions.isEmpty && !trouble.hold.isHeld }

  func mayControl(_ id: Participant.ID) -> Bool { controllers?.contains(id) ?? true }

  /// Returns a start whose due date passed long ago, or a pause whose frame never came, in the form in which every
  /// participant follows it.
  func settled(_ state: ItemState) -> ItemState {
    var settled = state
    switch state.phase {
    case .starting(let from, let due) where lapses.overdue == state.stamp:
      settled.phase = .playing(
        Timeline(itemTime: from, groupTime: due + Self.overdueWait, previousRate: 0))
    case .paused(let at, isExact: false) where lapses.frameless == state.stamp:
      settled.phase = .paused(at: at, isExact: true)
    case .starting, .paused, .playing: break
    }
    return settled
  }

  /// The group's state for the current item, even while this participant doesn't follow it.
  var groupState: ItemState? { currentItem.flatMap { states[$0] } }

  /// The reasons that the others see for this participant.
  var visibleReasons: [CoordinatedPlaybackSuspension.Reason] {
    let reasons = suspensions.map(\.reason)
    return trouble.isRecovering && !reasons.contains(.stallRecovery)
      ? reasons + [.stallRecovery] : reasons
  }

  /// The time of the next call of ``timerFired(at:)``.
  var nextDeadline: GroupTime? {
    var next = snapDeadline
    // Only for a start that this participant follows: while it is suspended, the others manage the group's start.
    if let state, case .starting(_, let due) = state.phase {
      let delay = takeoverDelay(state)
      next.bringForward(
        to: isApart ? due : due + (controllers == nil ? delay : min(delay, Self.overdueWait)))
    }
    next.bringForward(to: waitLog.nextNote)
    if let state, case .playing(let timeline) = state.phase, let inFlight, !trouble.isRecovering,
      case .play = inFlight.directive.kind
    {
      next.bringForward(to: max(timeline.groupTime, inFlight.issuedAt) + Self.recoveryGrace)
    }
    next.bringForward(to: trouble.hold.due)
    next.bringForward(to: catchUpArrival)
    next.bringForward(to: endDeadline)
    next.bringForward(to: waitReport)
    return next
  }

  /// The time at which a pause without its exact frame counts as exact.
  var snapDeadline: GroupTime?

  /// The time after which a play command that hasn't taken effect shows as a recovery.
  static let recoveryGrace = Duration.milliseconds(250)
}
