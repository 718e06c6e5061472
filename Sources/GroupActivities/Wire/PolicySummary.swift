import Crypto

/// The rules of a party as its creator restated them: the beginning of a policy log, in place of an earlier
/// one.
///
/// A log has room for a limited number of changes. While the creator is the host, it begins another log in
/// time. The number of a summary is greater than that of any earlier one, so that no earlier log prevails
/// over it.
struct PolicySummary: Hashable, Sendable, BinaryCodable {
  /// The position among the summaries of a party, from 1.
  private(set) var number: UInt64
  private var control: PartyRules.Control
  private var lifetime: PartyRules.Lifetime
  private var waiting: PartyRules.Waiting
  private var coHosts: [Participant.ID]
  /// The removed participants, in the order of the removals.
  private(set) var removed: [Participant.ID]
  private var admitted: [Participant.ID]?
  private var proof: Proof

  /// The number of latest removals that are stored. More would not help: a removed participant can create
  /// another key anyway.
  static let removedLimit = 256
  /// The largest number of co-hosts, and of participants of a closed party, which include the hosts.
  private static let memberLimit = 2 * PartyAmendment.memberLimit + 1

  /// - Parameter removed: the removed participants in the order of the removals.
  /// - Returns: nil if there are too many co-hosts for one message.
  init?(
    number: UInt64, of rules: PartyRules, removed: [Participant.ID], authorship: Authorship
  ) {
    self.number = number
    control = rules.control
    lifetime = rules.lifetime
    waiting = rules.waiting
    coHosts = rules.coHosts.sorted()
    self.removed = Array(removed.suffix(Self.removedLimit))
    admitted = rules.admitted?.sorted()
    proof = .empty
    guard isWithinLimits else { return nil }
    proof = authorship.sign(provenBytes)
  }

  func isValid(by creator: Participant.ID, authorship: Authorship) -> Bool {
    number > 0 && isWithinLimits && authorship.isValid(proof, provenBytes, creator)
  }

  /// Returns the rules, in a party whose host is the creator.
  func rules(creator: Participant.ID) -> PartyRules {
    var rules = PartyRules(creator: creator)
    rules.control = control
    rules.lifetime = lifetime
    rules.waiting = waiting
    rules.coHosts = Set(coHosts)
    rules.removed = Set(removed)
    rules.admitted = admitted.map { Set($0) }
    return rules
  }

  var digest: UInt64 {
    var hash = SHA256()
    hash.update(data: provenBytes)
    hash.update(data: proof.publicKey + proof.signature)
    return UInt64(bigEndianBytes: Array(hash.finalize().prefix(8)))
  }

  private var isWithinLimits: Bool {
    coHosts.count <= PartyAmendment.memberLimit && removed.count <= Self.removedLimit
      && admitted?.count ?? 0 <= Self.memberLimit
  }

  private var provenBytes: [UInt8] {
    var writer = BinaryWriter()
    writeRules(to: &writer)
    return ProofPurpose.summary.label + writer.bytes
  }

  private func writeRules(to writer: inout BinaryWriter) {
    writer.number(number)
    writer.choice(control, of: PartyRules.Control.numbered)
    writer.choice(lifetime, of: PartyRules.Lifetime.numbered)
    writer.choice(waiting, of: PartyRules.Waiting.numbered)
    writer.list(coHosts)
    writer.list(removed)
    writer.flags(admitted != nil)
    if let admitted { writer.list(admitted) }
  }

  func write(to writer: inout BinaryWriter) {
    writeRules(to: &writer)
    writer.value(proof)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    number = try reader.number()
    control = try reader.choice(of: PartyRules.Control.numbered, "control rule")
    lifetime = try reader.choice(of: PartyRules.Lifetime.numbered, "lifetime rule")
    waiting = try reader.choice(of: PartyRules.Waiting.numbered, "waiting rule")
    coHosts = try reader.list(limit: PartyAmendment.memberLimit)
    removed = try reader.list(limit: Self.removedLimit)
    if try reader.flag() { admitted = try reader.list(limit: Self.memberLimit) }
    proof = try reader.value()
  }
}
