/// Whom a message is for. Mirrors `GroupActivities.Participants`.
public enum Participants: Hashable, Sendable {
  /// Everybody who has joined the session.
  case all
  case only(Set<Participant>)

  public static func only(_ participant: Participant) -> Participants { .only([participant]) }
}
