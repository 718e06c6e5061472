import Crypto
import GroupActivities

/// A link for one friend with a browser: the secret of one page, and the key of the space on the relay in which pages and
/// doors meet.
///
/// Each member of the party can derive every link's secret from its number, so that any member can keep the door. A link
/// reveals nothing of the party's secret, nor of another link.
package struct PageLink: Hashable, Sendable {
  /// The number of a link, which travels in the clear.
  package typealias Number = UInt64

  package let number: Number
  /// The secret of all pages of the party, 16 bytes: it opens the connection to the relay.
  private let pagesKey: [UInt8]
  /// The secret of this page, 16 bytes.
  private let secret: [UInt8]
  /// The key of the participant that the page's user is in the party. The page doesn't know it.
  private let participant: [UInt8]

  private static let version: UInt8 = 1
  /// The length of the pages key and of a link's secret, in bytes.
  private static let keyLength = 16

  /// Creates a new link to a party.
  package init(to invite: Invite) { self.init(.random(in: .min ... .max), to: invite) }

  /// Derives a link to a party from its number.
  package init(_ number: Number, to invite: Invite) {
    let digits = String(number, radix: 16)
    func key(_ purpose: String, _ count: Int) -> [UInt8] {
      invite.secret.derivedKey(for: purpose, in: invite.party, count: count)
    }
    self.number = number
    pagesKey = Self.pagesKey(invite.secret, invite.party)
    secret = key("page link \(digits)", Self.keyLength)
    participant = key("page participant \(digits)", 32)
  }

  /// Reads a link to a party.
  ///
  /// - Parameter text: ``text``.
  package init?(text: Substring, to invite: Invite) {
    let number = 1 + Self.keyLength..<1 + Self.keyLength + 8
    guard let bytes = Base64URL.decode(text), bytes.count >= number.upperBound else { return nil }
    self.init(bytes[number].reduce(0) { $0 << 8 | Number($1) }, to: invite)
    guard self.text == text else { return nil }
  }

  private static func pagesKey(_ secret: PartySecret, _ party: Participant.ID) -> [UInt8] {
    secret.derivedKey(for: "pages", in: party, count: keyLength)
  }

  /// The text of the link: URL-safe base64 without padding (RFC 4648 §5). It is a secret.
  package var text: String {
    Base64URL.encode([Self.version] + pagesKey + number.bigEndianBytes + secret)
  }

  /// Returns the text of the link and the addresses at which the page finds a relay.
  package func text(at addresses: [Invite.Address]) -> String {
    ([text] + [addresses.map(\.text).joined(separator: ",")]).filter { !$0.isEmpty }
      .joined(separator: "@")
  }

  /// The identity of the page's user in the party. It is the same at every door, so that a removal ends the link.
  package var identity: ParticipantIdentity {
    guard let identity = ParticipantIdentity(seed: participant) else {
      preconditionFailure("any 32 bytes are an Ed25519 seed")
    }
    return identity
  }

  /// Returns the key that admits a party's pages and doors to their space on a relay.
  package static func admission(_ secret: PartySecret, _ party: Participant.ID) -> AdmissionKey {
    AdmissionKey(
      seed: expanded(pagesKey(secret, party), salt: [], "matinee pages admission v1"))
  }

  func key(_ purpose: String, salt: [UInt8] = []) -> SymmetricKey {
    SymmetricKey(data: Self.expanded(secret, salt: salt, purpose))
  }

  private static func expanded(_ secret: [UInt8], salt: [UInt8], _ purpose: String) -> [UInt8] {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), salt: salt, info: Array(purpose.utf8),
      outputByteCount: 32
    ).withUnsafeBytes { Array($0) }
  }
}

extension PageLink: CustomStringConvertible, CustomDebugStringConvertible {
  package var description: String { "(page link)" }
  /// A placeholder. A log never shows the secret.
  package var debugDescription: String { description }
}
