import GroupActivities
import Timekeeping

@testable import PlaybackCoordination

/// One coordinator machine, driven by hand: the user, the player, the others and the clock are all arguments.
struct Desk {
  static let me = Participant.ID(high: 0, low: 5)
  static let ana = Participant.ID(high: 0, low: 1)
  static let ben = Participant.ID(high: 0, low: 2)
  static let zoe = Participant.ID(high: 0, low: 9)
  static let film = "film"

  var machine = CoordinatorMachine(me: Desk.me)
  var now = GroupTime(nanoseconds: 100_000_000_000)
  /// The commands to the player, oldest first.
  private(set) var directives: [PlayerDirective] = []
  private(set) var changes: [CoordinatedChange] = []
  /// The number of changes that got their exact frame or their date.
  private(set) var settled = 0
  private(set) var ownEnds = 0
  private(set) var published: [ParticipantReport] = []
  private(set) var waits: [WaitingForParticipants?] = []
  private(set) var replayEnds: [ReplayEnd] = []
  private var revisions: [Participant.ID: UInt64] = [:]
  private var stamp: Int64 = 0

  /// Creates a machine.
  ///
  /// - Parameters:
  ///   - others: the other participants, with the film open and paused at the start.
  ///   - item: the item that this player has open; nil for nothing.
  init(with others: Participant.ID..., item: String? = Desk.film) {
    for other in others { hear(other) }
    if let item {
      act { $0.transition(to: item, proposing: nil, isPlayerReady: true, at: $1) }
      settlePlayer()
    }
    forget()
  }

  /// Returns a machine that plays with one other participant.
  static func playing(with other: Participant.ID) -> Desk {
    var desk = Desk(with: other)
    desk.playing()
    return desk
  }

  /// Clears the records.
  mutating func forget() {
    directives = []
    changes = []
    settled = 0
    published = []
    waits = []
    replayEnds = []
  }

  mutating func act(_ body: (inout CoordinatorMachine, GroupTime) -> [CoordinatorAction]) {
    for action in body(&machine, now) {
      switch action {
      case .issue(let directive): directives.append(directive)
      case .cancelCommand: break
      case .publish(let report, _): published.append(report)
      case .report(.changed(let change)): changes.append(change)
      case .report(.waiting(let waiting)): waits.append(waiting)
      case .report(.settled): settled += 1
      case .report(.replayEnded(let end)): replayEnds.append(end)
      case .report(.waitsAtOwnEnd): ownEnds += 1
      case .report(.suspensionsChanged), .report(.participantsChanged): break
      }
    }
  }

  // MARK: - The user

  mutating func play(rate: Double = 1, immediately: Bool = false) {
    act { $0.coordinateRateChange(to: rate, immediately: immediately, at: $1) }
  }

  mutating func pause() { act { $0.coordinateRateChange(to: 0, immediately: false, at: $1) } }

  mutating func seek(to seconds: Double, resumeImmediately: Bool = false) {
    act {
      $0.coordinateSeek(
        to: MediaTime(seconds: seconds), resumeImmediately: resumeImmediately, at: $1)
    }
  }

  mutating func suspend(_ reason: CoordinatedPlaybackSuspension.Reason) -> UInt64 {
    var id: UInt64 = 0
    act { machine, now in
      let begun = machine.beginSuspension(for: reason, at: now)
      id = begun.id
      return begun.actions
    }
    return id
  }

  mutating func end(_ suspension: UInt64, proposing seconds: Double? = nil) {
    act {
      $0.endSuspension(
        suspension, proposingNewTime: seconds.map { MediaTime(seconds: $0) }, at: $1)
    }
  }

  // MARK: - The player

  /// The last command to the player.
  var issued: PlayerDirective.Kind? { directives.last?.kind }

  /// The player completes its last command.
  ///
  /// - Parameter frame: the frame at which it is paused then, in seconds.
  mutating func done(at frame: Double? = nil) {
    guard let id = machine.inFlight?.directive.id else { return }
    act {
      $0.commandEnded(
        id, .completed(itemTime: frame.map { MediaTime(seconds: $0) }), at: $1)
    }
  }

  mutating func fail(_ reason: CoordinatedPlaybackSuspension.Reason) {
    guard let id = machine.inFlight?.directive.id else { return }
    act { $0.commandEnded(id, .failed(reason), at: $1) }
  }

  /// The player completes its commands until it has none left.
  mutating func settlePlayer() {
    for _ in 0..<8 where machine.inFlight != nil { done() }
  }

  // MARK: - The others

  /// The machine receives a report of another participant.
  ///
  /// - Parameters:
  ///   - state: the participant's state of the film.
  ///   - readyFor: the start that the participant's player is ready for.
  mutating func hear(
    _ other: Participant.ID, state: ItemState? = nil, readyFor: Stamp? = nil,
    suspended: [CoordinatedPlaybackSuspension.Reason] = [], item: String? = Desk.film,
    startLatency: Int64? = nil, rateChangeLatency: Int64? = nil,
    waitsOut: [WaitedOutReason]? = nil, itemEnd: Double? = nil
  ) {
    revisions[other, default: 0] += 1
    let report = ParticipantReport(
      revision: revisions[other]!, item: item, readyFor: readyFor, suspensions: suspended,
      startLatency: startLatency, rateChangeLatency: rateChangeLatency, syncError: nil,
      waitedOut: waitsOut,
      itemEnd: itemEnd.map { Int64($0 * 1e6) }, state: state)
    act { $0.received(report, from: other, at: $1) }
  }

  /// Makes a state as another participant would write it now.
  mutating func state(
    _ kind: CoordinatedChange.Kind, _ phase: ItemState.Phase, by other: Participant.ID,
    rate: Double = 1, at time: GroupTime? = nil
  ) -> ItemState {
    stamp = max(stamp + 1, (time ?? now).nanoseconds)
    return ItemState(
      item: Desk.film, stamp: Stamp(time: stamp, participant: other), originator: other,
      change: kind, rate: rate, phase: phase)
  }

  /// Another participant reports that the group plays from `seconds` on; this player follows.
  mutating func playing(
    from seconds: Double = 0, rate: Double = 1, by other: Participant.ID = Desk.ana
  ) {
    let line = Timeline(itemTime: MediaTime(seconds: seconds), groupTime: now, previousRate: 0)
    hear(other, state: state(.play, .playing(line), by: other, rate: rate))
    settlePlayer()
    forget()
  }

  // MARK: - Time

  /// Time passes, and the machine's timers fire.
  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = machine.nextDeadline, deadline <= end {
      now = max(now, deadline)
      act { $0.timerFired(at: $1) }
      if let next = machine.nextDeadline {
        precondition(next > now, "a deadline that passed comes again: \(machine)")
      }
    }
    now = end
  }

  // MARK: - What can be seen

  var position: Double { machine.groupState!.itemTime(at: now).seconds }
  var phase: ItemState.Phase { machine.groupState!.phase }
}

extension ItemState.Phase {
  static func paused(at seconds: Double) -> ItemState.Phase {
    .paused(at: MediaTime(seconds: seconds), isExact: true)
  }

  var due: GroupTime? { if case .starting(_, let due) = self { due } else { nil } }
  var line: Timeline? { if case .playing(let line) = self { line } else { nil } }
}
