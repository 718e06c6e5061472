import GroupActivities

/// A vote about the film: an activity of a party beside the film, through the public API alone.
public struct VoteTogether: GroupActivity {
  /// The change that is voted on.
  public enum Proposal: String, Hashable, Sendable, Codable, CaseIterable {
    /// Go back by half a minute.
    case rewind
    /// Go to the end of the introduction.
    case skip
    /// Go on to the next film of the list.
    case next
  }

  /// The activity's name on the wire.
  public static let activityIdentifier = "matinee.vote-together"

  /// The change that is voted on.
  public let proposal: Proposal
  /// The item of the film that the vote is about, as in `WatchTogether`. It is void when the party watches another one.
  public let item: String

  /// Creates a vote about a film.
  public init(_ proposal: Proposal, on item: String) {
    (self.proposal, self.item) = (proposal, item)
  }

  /// A description without the film's title: a party that votes knows its film.
  public var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .generic, title: "Vote")
  }
}
