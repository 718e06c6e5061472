/// The recipients of a message. Mirrors `GroupActivities.Participants`.
public enum Participants: Hashable, Sendable {
  /// All participants that have joined the session.
  case all
  /// These participants, as far as they have joined the session.
  case only(Set<Participant>)

  /// Returns the recipients of a message to one participant.
  public static func only(_ participant: Participant) -> Participants { .only([participant]) }
}
