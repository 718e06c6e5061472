/// An event in a party, for the program to show.
public enum PartyEvent: Hashable, Sendable {
  /// This participant joined, under this name.
  case joined(Participant)
  case participantJoined(Participant)
  /// - Parameter announced: false when the participant only fell silent.
  case participantLeft(Participant, announced: Bool)
  case renamed(Participant, from: String)
  case chat(Participant, String)
  case rulesChanged(PartyRules, from: PartyRules, by: Participant.ID)
  /// The party has its first activity of this kind (``GroupActivity/activityIdentifier``), or another one.
  case activityChanged(String, by: Participant.ID)
  /// A session ended for all participants.
  case sessionEnded(String, by: Participant.ID)
  /// The link to the broker is up, for the first time or again.
  case connected(server: String)
  /// The link is down and reconnecting. Playback continues meanwhile.
  case disconnected(reason: String)
  case eventsMissing(from: Participant.ID, count: UInt64)
  /// A session's message was skipped: this program doesn't know its type or version, or has no room to keep
  /// it until it is read.
  case skippedMessage(type: String, version: Int, from: Participant)
  /// A participant's action, to be shown to users.
  case notice(GroupSessionEvent)
  /// A local session needs the user's attention (``GroupSession/requestForegroundPresentation()``).
  case foregroundRequested
  /// Messages of a participant were discarded that no honest program sends. Reported once a minute for each
  /// kind.
  case misbehaved(Participant, Misbehavior)
  case warning(String)
  /// The party is over for this participant. No event follows.
  case closed(PartyEnd)
}

/// The reason for which a party is over for a participant.
public enum PartyEnd: Hashable, Sendable {
  /// The participant left.
  case left
  case removed(by: Participant.ID)
  /// The party's rules end it when its host leaves.
  case hostLeft
  /// The host closed the party, or its creator did and its relay ended with it.
  case closed(by: Participant.ID)
  /// The transport was closed, or failed permanently.
  case transport(TransportError?)
}
