/// What happens in a party, for the program to show.
public enum PartyEvent: Hashable, Sendable {
  /// I am in, under this name.
  case joined(Participant)
  case participantJoined(Participant)
  /// - Parameter announced: false when the participant just fell silent.
  case participantLeft(Participant, announced: Bool)
  case renamed(Participant, from: String)
  case chat(Participant, String)
  case rulesChanged(PartyRules, from: PartyRules, by: Participant.ID)
  /// The party has another activity of this kind (``GroupActivity/activityIdentifier``), or its first.
  case activityChanged(String, by: Participant.ID)
  /// For everybody.
  case sessionEnded(String, by: Participant.ID)
  /// The link to the broker came back or, first, came up.
  case connected(server: String)
  /// The link is down and being brought back. Playback goes on meanwhile.
  case disconnected(reason: String)
  case eventsMissing(from: Participant.ID, count: UInt64)
  /// A session's message was skipped: nobody here knows its type or version, or reads it in time.
  case skippedMessage(type: String, version: Int, from: Participant)
  /// What somebody tells of its doing, to be shown to people.
  case notice(GroupSessionEvent)
  /// A session of ours needs the person in front of it (``GroupSession/requestForegroundPresentation()``).
  case foregroundRequested
  /// What a participant said was thrown away, since no honest program says it: told once a minute and kind.
  case misbehaved(Participant, Misbehavior)
  case warning(String)
  /// The party is over for this participant; nothing follows.
  case closed(PartyEnd)
}

/// Why a party is over for a participant.
public enum PartyEnd: Hashable, Sendable {
  /// It left.
  case left
  case removed(by: Participant.ID)
  /// The party's rules end it with its host.
  case hostLeft
  /// The host closed it, or its creator did and took the relay along.
  case closed(by: Participant.ID)
  /// The transport was closed, or closed itself.
  case transport(TransportError?)
}
