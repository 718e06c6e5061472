/// The recipients of a message. Mirrors `GroupActivities.Participants`.
public enum Participants: Hashable, Sendable {
  /// All participants that have joined the session.
  case all
  case only(Set<Participant>)

  public static func only(_ participant: Participant) -> Participants { .only([participant]) }
}
