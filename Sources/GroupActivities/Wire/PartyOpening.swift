/// One opening of a party by its creator. A session belongs to the opening in which it was decided on. A
/// replayed decision of an earlier opening therefore has no effect.
struct PartyOpening: Hashable, Sendable, BinaryCodable {
  /// A number greater than that of each earlier opening. A new party's first opening has none.
  private(set) var number: UInt64
  private var proof: Proof

  init(number: UInt64, authorship: Authorship) {
    self.number = number
    proof = authorship.sign(Self.provenBytes(number))
  }

  func isValid(by creator: Participant.ID, authorship: Authorship) -> Bool {
    number > 0 && authorship.isValid(proof, Self.provenBytes(number), creator)
  }

  private static func provenBytes(_ number: UInt64) -> [UInt8] {
    var writer = BinaryWriter()
    writer.number(number)
    return ProofPurpose.opening.label + writer.bytes
  }

  func write(to writer: inout BinaryWriter) {
    writer.number(number)
    writer.value(proof)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    number = try reader.number()
    proof = try reader.value()
  }
}
