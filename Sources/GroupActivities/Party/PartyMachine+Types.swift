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
}

/// What the shell has to do.
enum PartyAction: Hashable, Sendable {
  case send(WireMessage, Envelope.Delivery, sequence: UInt64, to: Recipient)
  case report(PartyMachineEvent)

  enum Recipient: Hashable, Sendable {
    case everyone
    case only(Participant.ID)
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
  /// Who has joined the current session changed.
  case sessionMembersChanged
  case coordination(from: Participant.ID, CoordinationReport)
  case app(from: Participant.ID, AppMessage)
  case journal(from: Participant.ID, JournalPacket)
  /// Events of a participant are lost for good.
  case eventsMissing(from: Participant.ID, count: UInt64)
  case clockChanged
  case rulesChanged(PartyRules, from: PartyRules, by: Participant.ID)
  /// I am out: nobody takes my messages any more.
  case removed(by: Participant.ID)
  /// The party is closed to newcomers, of whom I am one.
  case notAdmitted
  /// The host went, and the party with it.
  case hostLeft
  /// I left, and everybody knows.
  case leaveKnown
}
