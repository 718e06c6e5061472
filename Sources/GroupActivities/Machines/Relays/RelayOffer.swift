/// A relay that a participant offers to the party.
public struct RelayOffer: Hashable, Sendable {
  /// The participant whose program is the relay.
  public let owner: Participant.ID
  /// The addresses at which its owner expects others to reach it, best first. They are the owner's claim.
  public internal(set) var addresses: [Invite.Address]
  /// A Boolean value that indicates whether the owner is the party's creator, whose relay comes first.
  public let isCreators: Bool
  /// A Boolean value that indicates whether the owner is in the party now. Participants that fell silent may return, on
  /// a relay that others have left meanwhile.
  public let isPresent: Bool
  /// A Boolean value that indicates whether the owner left, and its relay continues without it.
  public let isKept: Bool
  private let proven: [Invite.Address]
  let reach: RelayReach
  /// The group time at which the owner says that it joined.
  let joinedAt: Int64

  /// The addresses at which this participant has reached the relay; all of its own.
  public var reached: [Invite.Address] { addresses.filter(proven.contains) }

  /// A Boolean value that indicates whether this participant has reached the relay, or is its owner.
  public var isReached: Bool { !reached.isEmpty }

  /// A Boolean value that indicates whether the relay is expected to answer.
  var isExpected: Bool { isPresent || isKept }

  /// - Parameter reached: the addresses at which this participant has reached it.
  init(
    owner: Participant.ID, addresses: [Invite.Address], isCreators: Bool, isPresent: Bool,
    isKept: Bool, reached: [Invite.Address], reach: RelayReach, joinedAt: Int64
  ) {
    self.owner = owner
    self.addresses = addresses
    self.isCreators = isCreators
    self.isPresent = isPresent
    self.isKept = isKept
    proven = reached
    self.reach = reach
    self.joinedAt = joinedAt
  }
}

/// The order in which all participants choose among the party's relays.
///
/// Besides this participant's doubts (``RelayDoubts``) it depends only on what the owners say, so that two halves of a
/// party that can't hear each other use the same order, and find each other at the first relay that both reach.
/// Roles don't count: with each change of the rules all participants would move.
enum RelayRanking {
  /// The largest number of relays in use by one party. The participants that arrived first come first.
  static let limit = StandbyReport.reachedLimit

  /// - Parameter isDoubted: returns whether this participant ranks a relay behind all others.
  static func ranked(
    _ offers: [RelayOffer], isDoubted: (RelayOffer) -> Bool = { _ in false }
  ) -> [RelayOffer] {
    let ranked = offers.sorted(by: precedes)
    return Array((ranked.filter { !isDoubted($0) } + ranked.filter(isDoubted)).prefix(limit))
  }

  private static func precedes(_ a: RelayOffer, _ b: RelayOffer) -> Bool {
    if a.isCreators != b.isCreators { return a.isCreators }
    if a.reach != b.reach { return a.reach.rawValue > b.reach.rawValue }
    return (a.joinedAt, a.owner) < (b.joinedAt, b.owner)
  }
}
