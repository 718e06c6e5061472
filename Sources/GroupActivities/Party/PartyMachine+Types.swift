import Foundation

/// An action for the shell to perform.
enum PartyAction: Hashable, Sendable {
  case send(WireMessage, sequence: UInt64, to: Recipient)
  case report(PartyMachineEvent)
  /// Verifies messages of others that a participant passed on, and returns each through
  /// ``PartyMachine/passedOn(_:at:)``.
  case verify([[UInt8]], from: Participant.ID)
  /// Opens messages whose key this participant holds by now, and returns each as any other message.
  case reopen([SealedMessage])

  enum Recipient: Hashable, Sendable {
    case everyone
    case only(Participant.ID)
    /// Any one participant of the party.
    case anyone
    /// The participants that subscribed to a topic of a lane (``LanePacket/topic(_:lane:session:)``).
    case subscribers(of: [UInt8])
  }
}

/// An event in the party.
indirect enum PartyMachineEvent: Hashable, Sendable {
  /// This participant joined, under this name.
  case joined(Participant)
  case participantJoined(Participant)
  case participantLeft(Participant, announced: Bool)
  /// A participant, perhaps this one, has another name now: it chose one, or two had the same.
  case renamed(Participant, from: String)
  case chat(from: Participant, text: String)
  case sessionChanged(SessionRegister, by: Participant.ID)
  /// Another session replaced the session.
  case sessionReplaced(GroupSessionID, by: Participant.ID)
  /// Too many sessions of other kinds were written since.
  case sessionDisplaced(SessionRegister, by: Participant.ID)
  /// The members of a session changed.
  case sessionMembersChanged
  case coordination(from: Participant.ID, CoordinationReport)
  /// The part of a coordinator's report that changes all the time.
  case coordinationDigest(
    from: Participant.ID, session: GroupSessionID, Data, otherCopy: UInt32?)
  case app(from: Participant.ID, AppMessage)
  case lane(from: Participant.ID, LanePacket)
  /// Events of a participant can't be recovered.
  case eventsMissing(from: Participant.ID, count: UInt64)
  /// A participant of the party broke a rule.
  case misbehaved(Participant, Misbehavior)
  case clockChanged
  case rulesChanged(PartyRules, from: PartyRules, by: Participant.ID)
  /// This participant was removed: the others accept no more messages from it.
  case removed(by: Participant.ID)
  /// The party is closed to newcomers, and this participant is one.
  case notAdmitted
  /// The host left, which ends the party.
  case hostLeft
  /// A participant with the permission to close the party closed it for all.
  case partyClosed(by: Participant.ID)
  /// This participant left, and all others have confirmed it.
  case leaveKnown
}
