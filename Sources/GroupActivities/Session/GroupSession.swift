import Synchronization
import Timekeeping

/// One activity that the party's members take part in, as one of them sees it. Made by ``Party``,
/// never by the app.
///
/// Mirrors `GroupActivities.GroupSession`; its Combine publishers are async sequences here.
public final class GroupSession<Activity: GroupActivity>: Sendable {
  /// Where this participant stands in the session.
  ///
  /// `waiting` → `joined` by ``join()``; either → `invalidated`, which is final.
  public enum State: Hashable, Sendable {
    case waiting
    case joined
    case invalidated(reason: InvalidationReason)
  }

  public let id: GroupSessionID
  /// Who started it.
  public let initiator: Participant.ID
  package let party: Party
  let mailbox = Mailbox()
  let journal = JournalSlot()
  private let stateBroadcast: Broadcast<State>
  private let activityBroadcast: Broadcast<Activity>
  private let changeBroadcast: Broadcast<GroupActivityChange<Activity>>
  private let participantsBroadcast = Broadcast<[Participant]>([])

  /// The newest decision on the activity.
  private let decisions: Mutex<Decision>

  /// A decision on the activity, signed by its author.
  package struct Decision: Sendable {
    package var activity: Activity
    package var by: Participant.ID
    /// As the author says.
    package var at: GroupTime
  }

  /// - Parameter stamp: of the activity.
  init(
    id: GroupSessionID, initiator: Participant.ID, activity: Activity, stamp: Stamp, party: Party
  ) {
    self.id = id
    self.initiator = initiator
    self.party = party
    stateBroadcast = Broadcast(.waiting)
    activityBroadcast = Broadcast(activity)
    changeBroadcast = Broadcast(
      GroupActivityChange(activity: activity, originator: stamp.participant))
    decisions = Mutex(Decision(activity, stamp))
  }

  /// The newest decision on the activity: not the initiator's where another participant changed it since.
  package var decision: Decision { decisions.withLock { $0 } }

  public var state: State { stateBroadcast.value! }
  /// The state now, and each newer one.
  public var states: AsyncStream<State> { stateBroadcast.values() }

  public var activity: Activity { activityBroadcast.value! }
  /// The activity now, and each newer one, whoever set it.
  public var activities: AsyncStream<Activity> { activityBroadcast.values() }
  /// The same with who set each.
  public var activityChanges: AsyncStream<GroupActivityChange<Activity>> {
    changeBroadcast.values()
  }

  /// Who has joined, this participant included.
  public var activeParticipants: [Participant] { participantsBroadcast.value! }
  public var activeParticipantsUpdates: AsyncStream<[Participant]> {
    participantsBroadcast.values()
  }

  /// Whether this participant started it. Mirrors `isLocallyInitiated`.
  public var isLocallyInitiated: Bool { initiator == party.localID }

  /// This participant, as the others see it.
  public var localParticipant: Participant { get async { await party.localParticipant } }

  /// Tells the others, for their eyes only, what this participant did.
  ///
  /// - Throws: like ``GroupSessionMessenger/send(_:to:)``.
  ///
  /// Mirrors `showNotice(_:)`.
  public func showNotice(_ event: GroupSessionEvent) async throws(PartyError) {
    try await party.send(
      event.encoded(), named: .notice, session: id, to: .all, deliveryMode: .reliable)
  }

  /// Asks the program to show itself, because the session needs the person first.
  ///
  /// Mirrors `requestForegroundPresentation()`: here the party tells it as an event.
  public func requestForegroundPresentation() async { await party.requestForeground() }

  /// Takes part from now on.
  public func join() async {
    guard state == .waiting else { return }
    await party.join(sessionID: id)
  }

  /// Takes only this participant out.
  public func leave() async {
    await party.leave(sessionID: id)
  }

  /// Ends the session for everybody.
  public func end() async throws(PartyError) {
    try await party.end(sessionID: id)
  }

  /// Changes the activity for everybody. When several do so at once, all end with the same one.
  public func setActivity(_ activity: Activity) async throws(PartyError) {
    try await party.change(sessionID: id, to: activity)
  }
}

extension GroupSession.Decision {
  fileprivate init(_ activity: Activity, _ stamp: Stamp) {
    self.init(
      activity: activity, by: stamp.participant, at: GroupTime(nanoseconds: stamp.time))
  }
}

/// What a session's activity was changed to, and by whom.
public struct GroupActivityChange<Activity: GroupActivity>: Sendable {
  public let activity: Activity
  public let originator: Participant.ID
}

/// Why a session is over for this participant.
public enum InvalidationReason: Hashable, Sendable {
  case left
  case ended(by: Participant.ID)
  /// Somebody started another session with the same kind of activity, or with a fifth kind.
  case replaced(by: Participant.ID)
  case partyClosed
}

extension GroupSession: AnyGroupSession {
  func update(_ register: SessionRegister, by originator: Participant.ID) {
    guard let activity = try? decodeActivity(Activity.self, from: register) else { return }
    decisions.withLock { $0 = Decision(activity, register.stamp) }
    guard activity != self.activity else { return }
    activityBroadcast.send(activity)
    changeBroadcast.send(GroupActivityChange(activity: activity, originator: originator))
  }

  func update(participants: [Participant]) {
    if participants != activeParticipants { participantsBroadcast.send(participants) }
  }

  func didJoin() {
    if state == .waiting { stateBroadcast.send(.joined) }
  }

  func invalidate(_ reason: InvalidationReason) {
    if case .invalidated = state { return }
    stateBroadcast.send(.invalidated(reason: reason))
    stateBroadcast.finish()
    activityBroadcast.finish()
    changeBroadcast.finish()
    participantsBroadcast.finish()
    mailbox.close()
    journal.close()
  }
}

/// A session of whatever activity, as the party keeps it.
protocol AnyGroupSession: AnyObject, Sendable {
  var id: GroupSessionID { get }
  var mailbox: Mailbox { get }
  func update(_ register: SessionRegister, by originator: Participant.ID)
  func update(participants: [Participant])
  func didJoin()
  func invalidate(_ reason: InvalidationReason)
}
