/// A policy log on the wire: its changes with their authors' proofs, and the beginning on which they depend.
struct PolicyLogLinks: Hashable, Sendable {
  /// One change of the rules, signed by its author.
  struct Link: Hashable, Sendable {
    var amendment: PartyAmendment
    var author: Participant.ID
    var proof: Proof
  }

  var links: [Link]
  var summary: PolicySummary?
  var opening: PartyOpening?

  /// The largest number of links that fits one message.
  static let linkLimit = 100
}

extension PolicyLogLinks: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.flags(summary != nil, opening != nil)
    if let opening { writer.value(opening) }
    if let summary { writer.value(summary) }
    writer.list(links)
  }

  /// A rule that only newer programs know makes the whole log unreadable, since each change depends on all before it.
  init(from reader: inout BinaryReader) throws(WireError) {
    let has = try reader.flags(2)
    if has[1] { opening = try reader.value() }
    if has[0] { summary = try reader.value() }
    links = try reader.list(limit: Self.linkLimit)
  }
}

extension PolicyLogLinks.Link: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(author)
    writer.value(amendment)
    writer.value(proof)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    author = try reader.value()
    amendment = try reader.value()
    proof = try reader.value()
  }
}

extension PartyAmendment {
  /// The amendment as a policy log stores it: of a party with many participants, only the first are admitted;
  /// its hosts are admitted in any case.
  var withinLimits: PartyAmendment {
    guard case .close(let members) = self else { return self }
    return .close(admitting: Array(members.prefix(Self.memberLimit)))
  }
}
