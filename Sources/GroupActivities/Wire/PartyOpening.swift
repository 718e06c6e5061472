/// One opening of a party by its creator. A session belongs to the opening in which it was decided on. A
/// replayed decision of an earlier opening therefore has no effect.
struct PartyOpening: Hashable, Sendable, Codable {
  /// A number greater than that of each earlier opening. A new party's first opening has none.
  private(set) var number: UInt64
  private var proof: Proof

  private enum CodingKeys: String, CodingKey {
    case number = "n"
    case proof = "p"
  }

  init(number: UInt64, authorship: Authorship) {
    self.number = number
    proof = authorship.sign(Self.provenBytes(number))
  }

  func isValid(by creator: Participant.ID, authorship: Authorship) -> Bool {
    number > 0 && authorship.isValid(proof, Self.provenBytes(number), creator)
  }

  private static func provenBytes(_ number: UInt64) -> [UInt8] {
    ProofPurpose.opening.label + number.bigEndianBytes
  }
}
