import Crypto
import Foundation

/// A party's rules with their history: each change is signed by its author and rests on all before it, so
/// that a newcomer can check them whoever passes them on.
struct PartyCharter: Hashable, Sendable {
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

  /// The rules on which the links rest; nil for those of a new party.
  private(set) var summary: PolicySummary?
  private(set) var links: [Link] = []
  private(set) var rules: PartyRules
  /// The newest known opening; nil for the party's first one. It isn't part of the history.
  private(set) var opening: PartyOpening?
  /// A hash of the history alone; 0 for none.
  private var historyDigest: UInt64 = 0
  private var shares = PolicyShares()
  private let creator: Participant.ID

  /// What fits one message.
  static let linkLimit = 100
  /// The changes of one co-host in a log.
  static let coHostLinkLimit = 20
  static let memberLimit = 64

  init(creator: Participant.ID) {
    self.creator = creator
    rules = PartyRules(creator: creator)
  }

  /// - Returns: nil unless every link was made by somebody who might make it then.
  init?(creator: Participant.ID, _ message: CharterLinks, authorship: Authorship) {
    guard message.links.count <= Self.linkLimit else { return nil }
    self.init(creator: creator)
    if let summary = message.summary {
      guard summary.isValid(by: creator, authorship: authorship) else { return nil }
      begin(with: summary)
    }
    for link in message.links {
      guard authorship.isValid(link.proof, signedBytes(link.amendment), link.author), append(link)
      else { return nil }
    }
    if let opening = message.opening {
      guard opening.isValid(by: creator, authorship: authorship) else { return nil }
      self.opening = opening
    }
  }

  init?(creator: Participant.ID, links: [Link], authorship: Authorship) {
    self.init(creator: creator, CharterLinks(links: links), authorship: authorship)
  }

  /// The history with its proofs, for others.
  var message: CharterLinks { CharterLinks(links: links, summary: summary, opening: opening) }

  /// A hash of everything that others should have; 0 for nothing.
  var digest: UInt64 {
    guard let opening else { return historyDigest }
    return max(1, historyDigest ^ (opening.number &* 0x9e37_79b9_7f4a_7c15))
  }

  /// - Returns: false if this participant may not change the rules so, or changed them too often.
  mutating func amend(
    _ amendment: PartyAmendment, by author: Participant.ID, authorship: Authorship
  ) -> Bool {
    var new = self
    if author == creator, rules.host == creator, shares.needsSummary(before: amendment) {
      new.summarize(authorship)
    }
    let link = Link(
      amendment: amendment, author: author, proof: authorship.sign(new.signedBytes(amendment)))
    guard new.append(link) else { return false }
    self = new
    return true
  }

  /// The creator opens the party again.
  ///
  /// - Parameter number: more than any before, by the wall clock.
  mutating func open(number: UInt64, authorship: Authorship) {
    let next = opening.map { $0.number == .max ? .max : $0.number + 1 } ?? 1
    opening = PartyOpening(number: max(next, number), authorship: authorship)
  }

  /// Returns the prevailing history of two, with the newest opening of both.
  func merged(with other: PartyCharter) -> PartyCharter {
    var merged = other.prevails(over: self) ? other : self
    merged.opening = [opening, other.opening].compactMap { $0 }.max { $0.number < $1.number }
    return merged
  }

  func hasHistory(of other: PartyCharter) -> Bool { historyDigest == other.historyDigest }

  /// Whether everybody should hold this one rather than `other`: it is the longer one, or, where they part,
  /// was made by the higher role. One that the creator began later prevails in any case. The same for all who compare
  /// them.
  func prevails(over other: PartyCharter) -> Bool {
    func rank(_ summary: PolicySummary?) -> (UInt64, UInt64) {
      summary.map { ($0.number, $0.digest) } ?? (0, 0)
    }
    guard summary == other.summary else { return rank(summary) > rank(other.summary) }
    let common = zip(links, other.links).prefix { $0 == $1 }.count
    guard common < links.count else { return false }
    guard common < other.links.count else { return true }
    var before = PartyCharter(creator: creator)
    if let summary { before.begin(with: summary) }
    for link in links[..<common] { _ = before.append(link) }
    func rank(_ link: Link) -> (Int, UInt64) {
      var after = before
      _ = after.append(link)
      return (before.rules.role(of: link.author) == .host ? 1 : 0, after.historyDigest)
    }
    return rank(links[common]) > rank(other.links[common])
  }

  /// Begins another history with the rules as they are.
  private mutating func summarize(_ authorship: Authorship) {
    var removed = summary?.removed ?? []
    for link in links {
      if case .remove(let id) = link.amendment, !removed.contains(id) { removed.append(id) }
    }
    let number = summary?.number ?? 0
    guard number < .max,
      let next = PolicySummary(
        number: number + 1, of: rules, removed: removed, authorship: authorship)
    else { return }
    begin(with: next)
  }

  private mutating func begin(with summary: PolicySummary) {
    self.summary = summary
    links = []
    rules = summary.rules(creator: creator)
    historyDigest = summary.digest
    shares = PolicyShares()
  }

  private mutating func append(_ link: Link) -> Bool {
    if case .close(let members) = link.amendment, members.count > Self.memberLimit { return false }
    let isHost = self.rules.role(of: link.author) == .host
    guard let rules = rules.applying(link.amendment, by: link.author) else { return false }
    let encoded = encoded(link.amendment)
    guard shares.take(bytes: encoded.count, by: link.author, isHost: isHost) else { return false }
    var hash = SHA256()
    hash.update(data: historyDigest.bigEndianBytes)
    hash.update(data: encoded)
    hash.update(data: link.proof.publicKey + link.proof.signature)
    historyDigest = UInt64(bigEndianBytes: Array(hash.finalize().prefix(8)))
    links.append(link)
    self.rules = rules
    return true
  }

  /// The bytes that the author of the next link signs.
  func signedBytes(_ amendment: PartyAmendment) -> [UInt8] {
    ProofPurpose.rules.label + UInt64(links.count).bigEndianBytes + historyDigest.bigEndianBytes
      + encoded(amendment)
  }

  private func encoded(_ amendment: PartyAmendment) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return Array(try encoder.encode(amendment))
    } catch {
      preconditionFailure("an amendment can't be encoded: \(error)")
    }
  }
}

extension PartyCharter {
  /// The log, for keeping: with every proof, so that it can be checked when it is read again.
  func encoded() -> Data {
    do {
      return try JSONEncoder().encode(message)
    } catch {
      preconditionFailure("a policy log of ours can't be encoded: \(error)")
    }
  }

  /// - Throws: ``PartyError/damagedPolicyLog`` unless `data` is what ``encoded()`` gave in this party.
  init(
    decoding data: Data, creator: Participant.ID, authorship: Authorship
  ) throws(PartyError) {
    guard let read = try? JSONDecoder().decode(CharterLinks.self, from: data),
      let charter = PartyCharter(creator: creator, read, authorship: authorship)
    else { throw .damagedPolicyLog }
    self = charter
  }
}

extension PartyAmendment {
  /// The amendment as a charter holds it: of a party with many participants the first ones are admitted, and its hosts
  /// in any case.
  var withinLimits: PartyAmendment {
    guard case .close(let members) = self else { return self }
    return .close(admitting: Array(members.prefix(PartyCharter.memberLimit)))
  }
}

/// A charter on the wire.
struct CharterLinks: Hashable, Sendable, Codable {
  var links: [PartyCharter.Link]
  var summary: PolicySummary?
  var opening: PartyOpening?
}

/// Asks for the charter.
struct CharterRequest: Hashable, Sendable, Codable {}
