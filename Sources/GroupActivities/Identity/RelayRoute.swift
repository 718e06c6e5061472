/// A relay of the party in the order in which participants use them.
public struct RelayRoute: Hashable, Sendable {
  /// The participant whose relay it is.
  public let owner: Participant.ID
  /// The addresses to try, best first.
  public let addresses: [Invite.Address]
  /// A Boolean value that indicates whether its owner is in the party now, or left it behind, as far as this participant
  /// knows.
  public let isPresent: Bool

  /// Creates a route.
  public init(owner: Participant.ID, addresses: [Invite.Address], isPresent: Bool) {
    self.owner = owner
    self.addresses = addresses
    self.isPresent = isPresent
  }
}
