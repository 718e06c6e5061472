import Concurrency
import Synchronization
import Timekeeping

/// One activity of a party, as one of its participants sees it. ``Party`` creates sessions, never the app.
///
/// Mirrors `GroupActivities.GroupSession`; its Combine publishers are async sequences here.
public final class GroupSession<Activity: GroupActivity>: Sendable {
  /// This participant's relation to the session.
  ///
  /// `waiting` → `joined` by ``join()``; either → `invalidated`, which is final.
  public enum State: Hashable, Sendable {
    /// The session has reached this participant, which hasn't joined it.
    case waiting
    /// The participant takes part in the session.
    case joined
    /// The session is over for this participant. Join its successor from ``GroupActivity/sessions(in:)``.
    case invalidated(reason: InvalidationReason)
  }

  /// The session's identifier, the same for every participant.
  public let id: GroupSessionID
  /// The participant that started the session.
  public let initiator: Participant.ID
  /// The party of the session, for a library that is given a session only: it has the rules (``Party/rules``), the
  /// events, and the clock that all participants share (``Party/clock``).
  public let party: Party
  let mailbox = Mailbox()
  private let stateBroadcast: Broadcast<State>
  private let activityBroadcast: Broadcast<Activity>
  private let changeBroadcast: Broadcast<GroupActivityChange<Activity>>
  private let participantsBroadcast = Broadcast<[Participant]>([])

  /// The newest decision on the activity.
  private let decisions: Mutex<Decision>

  /// A decision on the activity, signed by its author.
  package struct Decision: Sendable {
    package var activity: Activity
    /// The participant whose user set the activity; nil if this participant knows it only from others that restated it.
    package var by: Participant.ID?
    /// The time of the decision, as its author claims.
    package var at: GroupTime
  }

  /// - Parameter activity: the register's activity, decoded.
  init(_ register: SessionRegister, _ activity: Activity, party: Party) {
    id = register.id
    initiator = register.initiator
    self.party = party
    let decision = Decision(activity, register)
    stateBroadcast = Broadcast(.waiting)
    activityBroadcast = Broadcast(activity)
    changeBroadcast = Broadcast(GroupActivityChange(activity: activity, originator: decision.by))
    decisions = Mutex(decision)
  }

  /// The newest decision on the activity. Its author is not the initiator if another participant has changed
  /// the activity since.
  package var decision: Decision { decisions.withLock { $0 } }

  /// The current state, readable from any thread. Mirrors `GroupSession.state`.
  public var state: State { stateBroadcast.value! }
  /// The current state, and each newer one.
  public var states: AsyncStream<State> { stateBroadcast.values() }

  /// The current activity, readable from any thread. Mirrors `GroupSession.activity`.
  public var activity: Activity { activityBroadcast.value! }
  /// The current activity, and each newer one, by whichever participant.
  public var activities: AsyncStream<Activity> { activityBroadcast.values() }
  /// The current activity, and each newer one, with its originator.
  public var activityChanges: AsyncStream<GroupActivityChange<Activity>> {
    changeBroadcast.values()
  }

  /// The participants that have joined, this one included.
  public var activeParticipants: [Participant] { participantsBroadcast.value! }
  /// The current value of ``activeParticipants``, and each newer one. Ends with the session.
  public var activeParticipantsUpdates: AsyncStream<[Participant]> {
    participantsBroadcast.values()
  }

  /// A Boolean value that indicates whether this participant started the session. Mirrors
  /// `isLocallyInitiated`.
  public var isLocallyInitiated: Bool { initiator == party.localID }

  /// This participant, as the other participants see it.
  public var localParticipant: Participant { get async { await party.localParticipant } }

  /// Shows the other users a notice of this participant's action. It has no other effect.
  ///
  /// - Throws: like ``GroupSessionMessenger/send(_:to:)-(Message,_)``.
  ///
  /// Mirrors `showNotice(_:)`.
  public func showNotice(_ event: GroupSessionEvent) async throws(PartyError) {
    try await party.send(
      event.encoded(), named: .notice, session: id, to: .all, isLoose: false)
  }

  /// Asks the program to show itself, because the session needs the user's attention first.
  ///
  /// Mirrors `requestForegroundPresentation()`. The party sends the request as an event.
  public func requestForegroundPresentation() async { await party.requestForeground() }

  /// Joins the session.
  public func join() async {
    guard state == .waiting else { return }
    await party.join(sessionID: id)
  }

  /// Leaves the session, for this participant only.
  public func leave() async {
    await party.leave(sessionID: id)
  }

  /// Ends the session for every participant.
  ///
  /// - Throws: ``PartyError/notPermitted`` unless this participant may control playback
  ///   (``PartyRules/mayControl(_:)``), ``PartyError/sessionOver``.
  public func end() async throws(PartyError) {
    try await party.end(sessionID: id)
  }

  /// Changes the activity for every participant. When several participants do so at once, all converge on the
  /// same one.
  ///
  /// - Parameters:
  ///   - activity: the new activity.
  ///   - restating: true if the program repeats or merges what others chose, without an act of its user. The change then
  ///     has no originator, and implies nobody's consent.
  /// - Throws: ``PartyError/notPermitted`` unless this participant may control playback,
  ///   ``PartyError/tooLarge(bytes:limit:)`` for an activity over 16 KiB when encoded,
  ///   ``PartyError/sessionOver``.
  public func setActivity(
    _ activity: Activity, restating: Bool = false
  ) async throws(PartyError) {
    try await party.change(sessionID: id, to: activity, isRestated: restating)
  }
}

extension GroupSession.Decision {
  fileprivate init(_ activity: Activity, _ register: SessionRegister) {
    let stamp = register.stamp
    self.init(
      activity: activity, by: register.isRestated ? nil : stamp.participant,
      at: GroupTime(nanoseconds: stamp.time))
  }
}

/// A change of a session's activity, with its originator.
public struct GroupActivityChange<Activity: GroupActivity>: Sendable {
  /// The activity from now on.
  public let activity: Activity
  /// The participant whose user set the activity: the session's initiator, or one that changed it since. Nil if a program
  /// restated what others had chosen (``GroupSession/setActivity(_:restating:)``).
  public let originator: Participant.ID?
}

extension GroupSession: PartySession {
  func update(_ register: SessionRegister) {
    guard let activity = try? decodeActivity(Activity.self, from: register) else { return }
    let isNew = activity != self.activity
    let decision = Decision(activity, register)
    // A repetition changes neither what was chosen nor by whom.
    decisions.withLock { if isNew || decision.by != nil { $0 = decision } }
    guard isNew else { return }
    activityBroadcast.send(activity)
    changeBroadcast.send(GroupActivityChange(activity: activity, originator: decision.by))
  }

  func deliver(_ message: AppMessage, from source: Participant) -> Bool {
    mailbox.deliver(message.data, type: message.type, version: message.version, from: source)
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
  }
}
