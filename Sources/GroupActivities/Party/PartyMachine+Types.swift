import Foundation
import Timekeeping

/// A message that was opened and verified, with the time at which its bytes arrived.
struct InboundMessage: Hashable, Sendable {
  var sender: Participant.ID
  var epoch: UInt64
  var delivery: Envelope.Delivery
  var sequence: UInt64
  var message: WireMessage
  var receivedAt: HostTime
  /// As it was signed; empty where that is of no use.
  var original: [UInt8] = []
  /// What it took on the wire, in bytes, about.
  var size = 300
  /// The arrival of the oldest message that waited with it; nil if none did.
  var waitingSince: HostTime?

  /// The memory that it takes, in bytes, about.
  var heldBytes: Int { size + original.count }
}

/// What the shell has to do.
enum PartyAction: Hashable, Sendable {
  case send(WireMessage, Envelope.Delivery, sequence: UInt64, to: Recipient)
  case report(PartyMachineEvent)
  /// Verify what this one passes on of others, and bring each back by ``PartyMachine/passedOn(_:at:)``.
  case verify([[UInt8]])

  enum Recipient: Hashable, Sendable {
    case everyone
    case only(Participant.ID)
    /// One of those who are in the party, whoever it is.
    case anyone
  }
}

/// What happened in the party.
enum PartyMachineEvent: Hashable, Sendable {
  /// I am in, under this name.
  case joined(Participant)
  case participantJoined(Participant)
  case participantLeft(Participant, announced: Bool)
  /// Somebody, perhaps I, has another name now, because two had the same.
  case renamed(Participant, from: String)
  case chat(from: Participant, text: String)
  case sessionChanged(SessionRegister, by: Participant.ID)
  /// It gave way to another.
  case sessionReplaced(GroupSessionID, by: Participant.ID)
  /// Who has joined a session changed.
  case sessionMembersChanged
  case coordination(from: Participant.ID, CoordinationReport)
  /// What changes all the time of what a coordinator has to say.
  case coordinationBrief(from: Participant.ID, session: GroupSessionID, Data)
  case app(from: Participant.ID, AppMessage)
  case journal(from: Participant.ID, JournalPacket)
  /// Events of a participant are lost for good.
  case eventsMissing(from: Participant.ID, count: UInt64)
  /// Of somebody who is in the party.
  case misbehaved(Participant, Misbehavior)
  case clockChanged
  case rulesChanged(PartyRules, from: PartyRules, by: Participant.ID)
  /// I am out: nobody takes my messages any more.
  case removed(by: Participant.ID)
  /// The party is closed to newcomers, of whom I am one.
  case notAdmitted
  /// The host went, and the party with it.
  case hostLeft
  /// A participant who may do so closed the party for everybody.
  case partyClosed(by: Participant.ID)
  /// I left, and everybody knows.
  case leaveKnown
}
