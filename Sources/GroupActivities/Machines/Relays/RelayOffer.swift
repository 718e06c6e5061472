/// A relay that a participant offers to the party.
public struct RelayOffer: Hashable, Sendable {
  /// The participant whose program is the relay.
  public let owner: Participant.ID
  /// The addresses at which its owner expects others to reach it, best first.
  public let addresses: [Invite.Address]
  /// A Boolean value that indicates whether the owner is the party's creator, whose relay comes first.
  public let isCreators: Bool
  /// A Boolean value that indicates whether the owner is in the party now. Participants that fell silent may return, on
  /// a relay that others have left meanwhile.
  public let isPresent: Bool
  /// A Boolean value that indicates whether the owner left, and its relay continues without it.
  public let isKept: Bool
  /// The number of present participants that have reached the relay, besides its owner.
  public let reachedBy: Int
  /// A Boolean value that indicates whether this participant has reached the relay, or is its owner.
  public let isReached: Bool
  let reach: RelayReach
  /// The group time at which the owner says that it joined.
  let joinedAt: Int64

  /// A Boolean value that indicates whether some participant besides the owner has reached the relay.
  public var isVerified: Bool { reachedBy > 0 }

  /// A Boolean value that indicates whether the relay is expected to answer.
  var isExpected: Bool { isPresent || isKept }

  /// The way to the relay.
  var route: RelayRoute {
    RelayRoute(owner: owner, addresses: addresses, isPresent: isExpected)
  }
}

/// The order in which all participants choose among the party's relays.
///
/// It depends only on what the owners say, so that two halves of a party that can't hear each other use the same order,
/// and find each other at the first relay that both reach. Roles don't count: with each change of the rules all
/// participants would move.
enum RelayRanking {
  /// The largest number of relays in use by one party. The participants that arrived first come first.
  static let limit = StandbyReport.reachedLimit

  static func ranked(_ offers: [RelayOffer]) -> [RelayOffer] {
    Array(offers.sorted(by: precedes).prefix(limit))
  }

  private static func precedes(_ a: RelayOffer, _ b: RelayOffer) -> Bool {
    if a.isCreators != b.isCreators { return a.isCreators }
    if a.reach != b.reach { return a.reach.rawValue > b.reach.rawValue }
    return (a.joinedAt, a.owner) < (b.joinedAt, b.owner)
  }
}
