import Crypto
import Foundation

/// The 128 random bits that admit to a party. They allow reading all of its messages until a participant is removed, so
/// they appear only in the invite: not in a log, not on the wire.
public struct PartySecret: Sendable, Hashable {
  /// The secret's 16 bytes.
  let bytes: [UInt8]

  /// A new secret from the system's random source.
  public init() {
    var random = SystemRandomNumberGenerator()
    bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// - Returns: nil unless `text` has the format of ``text``: 22 characters of URL-safe base64.
  init?(text: Substring) {
    guard text.utf8.count == 22, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount,
      Base64URL.encode(bytes) == text
    else { return nil }
    self.bytes = bytes
  }

  var text: String { Base64URL.encode(bytes) }

  /// Returns a key for an application, which every participant of the party can derive, and which reveals nothing about the
  /// party's other keys: HKDF-SHA-256 (RFC 5869) of the secret, salted with the party's id.
  ///
  /// - Parameters:
  ///   - purpose: the label of the key, which is used for nothing else.
  ///   - party: the party's id.
  ///   - count: the number of bytes, up to 8,160.
  public func derivedKey(for purpose: String, in party: Participant.ID, count: Int) -> [UInt8] {
    derive("matinee application v1 \(purpose)", party, count).withUnsafeBytes { Array($0) }
  }

  func derive(_ label: String, _ party: Participant.ID, _ count: Int = 32) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), salt: Array(party.description.utf8),
      info: Array(label.utf8), outputByteCount: count)
  }

  private static let byteCount = 16
}

extension PartySecret: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "(secret)" }
  /// A placeholder. A log never shows the secret.
  public var debugDescription: String { description }
}

/// The keys that follow from a party's secret, by HKDF-SHA-256 (RFC 5869) under different labels and salted
/// with the party's id, so that none of them reveals anything about another.
public struct PartyKeys: Sendable {
  /// The key that admits to the broker.
  public let admission: AdmissionKey
  /// The subjects that the party uses.
  public let subjects: PartySubjects
  /// The key that seals every message until a participant is removed or the party is closed (``KeyEpoch``).
  let content: SymmetricKey

  /// Derives a party's keys.
  ///
  /// - Parameters:
  ///   - secret: the party's secret, from its invite.
  ///   - party: the creator's id.
  public init(secret: PartySecret, party: Participant.ID) {
    content = secret.derive("matinee content v1", party)
    admission = AdmissionKey(
      seed: secret.derive("matinee admission v1", party).withUnsafeBytes { Array($0) })
    subjects = PartySubjects(admissionPublicKey: admission.publicKey)
  }
}

/// Base64 with the URL-safe alphabet and no padding: RFC 4648 §5.
package enum Base64URL {
  package static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  package static func decode(_ text: Substring) -> [UInt8]? {
    guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
    let standard = text.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    return Data(base64Encoded: standard + padding).map { Array($0) }
  }
}
