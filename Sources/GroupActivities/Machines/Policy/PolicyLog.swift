import Crypto
import Foundation

/// A party's policy log: its rules with their history. Each change is signed by its author and depends on all
/// before it, so that a newcomer can verify them, whichever participant passes them on.
struct PolicyLog: Hashable, Sendable {
  typealias Link = PolicyLogLinks.Link

  /// The rules on which the links depend; nil for those of a new party.
  private(set) var summary: PolicySummary?
  private(set) var links: [Link] = []
  private(set) var rules: PartyRules
  /// The newest known opening; nil for the party's first one. It isn't part of the history.
  private(set) var opening: PartyOpening?
  /// A hash of the history alone; 0 for an empty one.
  private var historyDigest: UInt64 = 0
  private var shares = PolicyShares()
  private let creator: Participant.ID

  static let linkLimit = PolicyLogLinks.linkLimit
  /// The largest number of one co-host's changes in a log.
  static let coHostLinkLimit = 20
  static let memberLimit = PartyAmendment.memberLimit

  init(creator: Participant.ID) {
    self.creator = creator
    rules = PartyRules(creator: creator)
  }

  /// Reads a log and verifies it.
  ///
  /// - Parameter known: a log whose proofs are verified already. The beginning that both share isn't verified again.
  /// - Returns: nil unless the author of every link was permitted to make it at that point.
  init?(
    creator: Participant.ID, _ message: PolicyLogLinks, authorship: Authorship,
    known: PolicyLog? = nil
  ) {
    guard message.links.count <= Self.linkLimit else { return nil }
    self.init(creator: creator)
    if let opening = message.opening {
      guard opening == known?.opening || opening.isValid(by: creator, authorship: authorship)
      else { return nil }
      self.opening = opening
    }
    if let summary = message.summary {
      guard summary == known?.summary || summary.isValid(by: creator, authorship: authorship)
      else { return nil }
      begin(with: summary)
    }
    let verified =
      known.map { known in
        known.summary == message.summary
          ? zip(known.links, message.links).prefix { $0 == $1 }.count : 0
      } ?? 0
    for (index, link) in message.links.enumerated() {
      guard
        index < verified
          || authorship.isValid(link.proof, signedBytes(link.amendment), link.author),
        append(link)
      else { return nil }
    }
  }

  /// The history with its proofs, for other participants.
  var message: PolicyLogLinks { PolicyLogLinks(links: links, summary: summary, opening: opening) }

  /// A hash of everything that other participants should have; 0 for nothing.
  var digest: UInt64 {
    guard let opening else { return historyDigest }
    return max(1, historyDigest ^ (opening.number &* 0x9e37_79b9_7f4a_7c15))
  }

  /// Numbers that change whenever the party is closed or opened, by its hosts or by its creator.
  var round: [UInt64] {
    let doors = links.count {
      switch $0.amendment {
      case .close, .open: true
      case .control, .lifetime, .waiting, .appointCoHost, .dismissCoHost, .handOver, .remove: false
      }
    }
    return [opening?.number ?? 0, summary?.number ?? 0, UInt64(doors)]
  }

  /// - Returns: false if this participant may not make the change, or has changed the rules too often.
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

  /// Opens the party again, as its creator.
  ///
  /// - Parameter number: the wall clock's time. The opening's number is at least this, and greater than any
  ///   before.
  mutating func open(number: UInt64, authorship: Authorship) {
    let next = opening.map { $0.number == .max ? .max : $0.number + 1 } ?? 1
    opening = PartyOpening(number: max(next, number), authorship: authorship)
  }

  /// Returns the prevailing history of two, with the newest opening of both.
  func merged(with other: PolicyLog) -> PolicyLog {
    var merged = other.prevails(over: self) ? other : self
    merged.opening = [opening, other.opening].compactMap { $0 }.max { $0.number < $1.number }
    return merged
  }

  /// Returns whether a message may change this log, before anything in it is verified: what was said before, or has been
  /// replaced, costs nothing.
  func mayChange(by message: PolicyLogLinks) -> Bool {
    if let number = message.opening?.number, number > opening?.number ?? 0 { return true }
    guard message.summary == summary else {
      return (message.summary?.number ?? 0) >= (summary?.number ?? 0)
    }
    return !links.starts(with: message.links)
  }

  func hasHistory(of other: PolicyLog) -> Bool { historyDigest == other.historyDigest }

  /// Returns whether all participants should hold this log instead of `other`: it is the longer one, or,
  /// where they diverge, the author with the higher role made its change. A log that the creator began later
  /// prevails in any case. All participants that compare the two get the same result.
  func prevails(over other: PolicyLog) -> Bool {
    func rank(_ summary: PolicySummary?) -> (UInt64, UInt64) {
      summary.map { ($0.number, $0.digest) } ?? (0, 0)
    }
    guard summary == other.summary else { return rank(summary) > rank(other.summary) }
    let common = zip(links, other.links).prefix { $0 == $1 }.count
    guard common < links.count else { return false }
    guard common < other.links.count else { return true }
    var before = PolicyLog(creator: creator)
    if let summary { before.begin(with: summary) }
    for link in links[..<common] { _ = before.append(link) }
    func rank(_ link: Link) -> (Int, UInt64) {
      var after = before
      _ = after.append(link)
      return (before.rules.role(of: link.author) == .host ? 1 : 0, after.historyDigest)
    }
    return rank(links[common]) > rank(other.links[common])
  }

  /// Begins another history with the current rules.
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
    let encoded = link.amendment.binary
    guard shares.spend(bytes: encoded.count, by: link.author, isHost: isHost) else { return false }
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
    var writer = BinaryWriter()
    writer.count(links.count)
    writer.word(historyDigest)
    writer.value(amendment)
    return ProofPurpose.rules.label + writer.bytes
  }
}

extension PolicyLog {
  /// Encodes the log for storage, with every proof, so that it can be verified when it is read again.
  func encoded() -> Data { Data(message.binary) }

  /// Reads a stored log and verifies it.
  ///
  /// - Returns: nil unless `data` is the result of ``encoded()`` in this party.
  init?(decoding data: Data, creator: Participant.ID, authorship: Authorship) {
    guard let read = try? PolicyLogLinks(binary: data) else { return nil }
    self.init(creator: creator, read, authorship: authorship)
  }
}
