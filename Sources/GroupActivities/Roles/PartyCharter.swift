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

  private(set) var links: [Link] = []
  private(set) var rules: PartyRules
  /// Of the whole history; 0 for none.
  private(set) var digest: UInt64 = 0
  private let creator: Participant.ID

  /// What fits one message.
  static let linkLimit = 100
  static let memberLimit = 64

  init(creator: Participant.ID) {
    self.creator = creator
    rules = PartyRules(creator: creator)
  }

  /// - Returns: nil unless every link was made by somebody who might make it then.
  init?(creator: Participant.ID, links: [Link], authorship: Authorship) {
    guard links.count <= Self.linkLimit else { return nil }
    self.init(creator: creator)
    for link in links {
      guard authorship.isValid(link.proof, signedBytes(link.amendment), link.author), append(link)
      else { return nil }
    }
  }

  /// - Returns: false if this participant may not change the rules so, or they changed too often.
  mutating func amend(
    _ amendment: PartyAmendment, by author: Participant.ID, authorship: Authorship
  ) -> Bool {
    guard links.count < Self.linkLimit else { return false }
    return append(
      Link(
        amendment: amendment, author: author, proof: authorship.sign(signedBytes(amendment))))
  }

  /// Whether everybody should hold this one rather than `other`: it is the longer one, or, where they part,
  /// was made by the higher role. The same for all who compare them.
  func prevails(over other: PartyCharter) -> Bool {
    let common = zip(links, other.links).prefix { $0 == $1 }.count
    guard common < links.count else { return false }
    guard common < other.links.count else { return true }
    var before = PartyCharter(creator: creator)
    for link in links[..<common] { _ = before.append(link) }
    func rank(_ link: Link) -> (Int, UInt64) {
      var after = before
      _ = after.append(link)
      return (before.rules.role(of: link.author) == .host ? 1 : 0, after.digest)
    }
    return rank(links[common]) > rank(other.links[common])
  }

  private mutating func append(_ link: Link) -> Bool {
    if case .close(let members) = link.amendment, members.count > Self.memberLimit { return false }
    guard let rules = rules.applying(link.amendment, by: link.author) else { return false }
    var hash = SHA256()
    hash.update(data: digest.bigEndianBytes)
    hash.update(data: encoded(link.amendment))
    hash.update(data: link.proof.publicKey + link.proof.signature)
    digest = UInt64(bigEndianBytes: Array(hash.finalize().prefix(8)))
    links.append(link)
    self.rules = rules
    return true
  }

  private func signedBytes(_ amendment: PartyAmendment) -> [UInt8] {
    ProofPurpose.rules.label + UInt64(links.count).bigEndianBytes + digest.bigEndianBytes
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
      return try JSONEncoder().encode(CharterLinks(links: links))
    } catch {
      preconditionFailure("a policy log of ours can't be encoded: \(error)")
    }
  }

  /// - Throws: ``PartyError/damagedPolicyLog`` unless `data` is what ``encoded()`` gave in this party.
  init(
    decoding data: Data, creator: Participant.ID, authorship: Authorship
  ) throws(PartyError) {
    guard let read = try? JSONDecoder().decode(CharterLinks.self, from: data),
      let charter = PartyCharter(creator: creator, links: read.links, authorship: authorship)
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
}

/// Asks for the charter.
struct CharterRequest: Hashable, Sendable, Codable {}
