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
    var leadMargin = Duration.milliseconds(8)
    /// Reasons for which a start waits although the participant is suspended.
    var suspensionReasonsThatTriggerWaiting: Set<CoordinatedPlaybackSuspension.Reason> = []
    /// Above so many participants nobody waits for these reasons.
    var participantLimits: [CoordinatedPlaybackSuspension.Reason: Int] = [:]
    /// How often one participant may make the others wait for it within ``patienceWindow``.
    var patience = 2
    var patienceWindow = Duration.seconds(600)
  }

  var me: Participant.ID
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
  /// What most round trips to the reference stay below, by participant, this one included.
  var roundTrips: [Participant.ID: Duration] = [:]
  /// Whose clock is the group's; nil if it is nobody's of them.
  var reference: Participant.ID?
  /// How long before an instant this player has to be told of it.
  var startLatency = Duration.zero
  /// How long a change of this player's rate takes to be heard.
  var rateChangeLatency = Duration.zero

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
  var sync: SyncMeasurement?
  /// See ``ParticipantReport/loadedPercent``.
  var loadedPercent: Int?

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
  /// Of somebody who hasn't told yet.
  static let unknownRoundTrip = Duration.milliseconds(50)
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
}
