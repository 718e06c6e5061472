/// An event in a party, for the program to show.
public enum PartyEvent: Hashable, Sendable {
  /// This participant joined, under this name.
  case joined(Participant)
  /// Another participant came, or was heard again after a silence. After ``joined(_:)``, reported for each one
  /// present.
  case participantJoined(Participant)
  /// A participant left, or, if `announced` is false, fell silent.
  case participantLeft(Participant, announced: Bool)
  /// A participant has another name; `from` is the old one.
  case renamed(Participant, from: String)
  /// Another participant wrote to all. The text is cleaned of control characters.
  case chat(Participant, String)
  /// A participant changed the party's rules; `from` is the old ones.
  case rulesChanged(PartyRules, from: PartyRules, by: Participant.ID)
  /// The party has its first activity of this kind (``GroupActivity/activityIdentifier``), or another one.
  case activityChanged(String, by: Participant.ID)
  /// A session ended for all participants, or gave way to sessions of other kinds: a party has a limited number.
  case sessionEnded(String, by: Participant.ID)
  /// The link to the broker is up, for the first time or again.
  case connected(server: String)
  /// The link is down and reconnecting. Playback continues meanwhile.
  case disconnected(reason: String)
  /// Messages of a participant are lost: no participant could send them again.
  case eventsMissing(from: Participant.ID, count: UInt64)
  /// A session's message was skipped: this program doesn't know its type or version, or has no room to keep
  /// it until it is read. Each type is reported once, and sixteen at most: a participant can invent any.
  case skippedMessage(type: String, version: Int, from: Participant)
  /// A participant's action, to be shown to users.
  case notice(GroupSessionEvent)
  /// A local session needs the user's attention (``GroupSession/requestForegroundPresentation()``).
  case foregroundRequested
  /// Messages of a participant were discarded that no honest program sends. Reported once a minute for each
  /// kind.
  case misbehaved(Participant, Misbehavior)
  /// A problem of the connection that doesn't end it, as text for users.
  case warning(String)
  /// The party is over for this participant. No event follows.
  case closed(PartyEnd)
}

/// The reason for which a party is over for a participant.
public enum PartyEnd: Hashable, Sendable {
  /// The participant left.
  case left
  /// A host or co-host removed the participant.
  case removed(by: Participant.ID)
  /// The party's rules end it when its host leaves.
  case hostLeft
  /// The host closed the party, or its creator did and its relay ended with it.
  case closed(by: Participant.ID)
  /// The transport was closed, or failed permanently.
  case transport(TransportError?)
}
