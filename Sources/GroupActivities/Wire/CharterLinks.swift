/// A policy log on the wire: its changes with their authors' proofs, and the beginning on which they depend.
struct CharterLinks: Hashable, Sendable, Codable {
  /// One change of the rules, signed by its author.
  struct Link: Hashable, Sendable, Codable {
    var amendment: PartyAmendment
    var author: Participant.ID
    var proof: Proof

    private enum CodingKeys: String, CodingKey {
      case amendment = "a"
      case author = "i"
      case proof = "p"
    }
  }

  var links: [Link]
  var summary: PolicySummary?
  var opening: PartyOpening?

  /// The largest number of members that a change names, and of co-hosts.
  static let memberLimit = 64
}

/// A request for the policy log.
struct CharterRequest: Hashable, Sendable, Codable {}

extension PartyAmendment {
  /// The amendment as a policy log stores it: of a party with many participants, only the first are admitted;
  /// its hosts are admitted in any case.
  var withinLimits: PartyAmendment {
    guard case .close(let members) = self else { return self }
    return .close(admitting: Array(members.prefix(CharterLinks.memberLimit)))
  }
}
