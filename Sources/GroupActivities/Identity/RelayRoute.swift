/// A relay of the party in the order in which participants use them.
public struct RelayRoute: Hashable, Sendable {
  /// The participant whose relay it is.
  public let owner: Participant.ID
  /// The addresses at which its owner expects others to reach it, best first.
  public internal(set) var addresses: [Invite.Address]
  /// The addresses that this participant may try as often as it likes: those at which it has reached the relay, and those
  /// of its own invite. Any member may claim the others.
  public let reached: [Invite.Address]
  /// A Boolean value that indicates whether its owner is in the party now, or left it behind, as far as this participant
  /// knows.
  public let isPresent: Bool

  /// Creates a route.
  public init(
    owner: Participant.ID, addresses: [Invite.Address], reached: [Invite.Address], isPresent: Bool
  ) {
    self.owner = owner
    self.addresses = addresses
    self.reached = reached
    self.isPresent = isPresent
  }
}
