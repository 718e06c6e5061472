import Crypto
import Foundation

/// Seals secrets for single participants, by HPKE (RFC 9180) in base mode with X25519, HKDF-SHA-256 and
/// ChaCha20-Poly1305. The author of a secret is proven by a signature inside of the sealed message that carries it.
///
/// The key pair is new in each process: a later reader of a program's files can't open the secrets that were sealed for
/// it before.
package struct KeyExchange: Sendable {
  /// The public key, 32 bytes, which this participant's signed messages announce.
  package let publicKey: [UInt8]
  /// Seals a secret for the owner of a public key; nil if that isn't a key.
  ///
  /// In a party the context is the epoch and the recipient: in another context the secret can't be opened.
  package let seal:
    @Sendable (_ secret: [UInt8], _ publicKey: [UInt8], _ context: [UInt8]) -> [UInt8]?
  /// Opens a secret that was sealed for this participant.
  package let open: @Sendable (_ sealed: [UInt8], _ context: [UInt8]) -> [UInt8]?

  static let publicKeyByteCount = 32
  /// The bytes that sealing adds to a secret: the encapsulated key and the authentication tag.
  static let overhead = publicKeyByteCount + 16

  /// Creates a new key pair for a party.
  static func fresh(party: Participant.ID) -> KeyExchange {
    of(Curve25519.KeyAgreement.PrivateKey(), party: party)
  }

  /// Creates a new key pair for another purpose.
  ///
  /// - Parameter purpose: a name that no other purpose has.
  package static func fresh(for purpose: String) -> KeyExchange {
    of(Curve25519.KeyAgreement.PrivateKey(), label: Array(purpose.utf8))
  }

  static func of(
    _ privateKey: Curve25519.KeyAgreement.PrivateKey, party: Participant.ID
  ) -> KeyExchange {
    of(privateKey, label: Array("matinee epoch secret v1".utf8) + party.bytes)
  }

  private static func of(
    _ privateKey: Curve25519.KeyAgreement.PrivateKey, label: [UInt8]
  ) -> KeyExchange {
    let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    return KeyExchange(publicKey: Array(privateKey.publicKey.rawRepresentation)) {
      secret, publicKey, context in
      guard
        let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
        // RFC 9180 §7.1.4: with a point of small order anyone knows the outcome, which the library doesn't check.
        let agreement = try? privateKey.sharedSecretFromKeyAgreement(with: key),
        agreement.withUnsafeBytes({ bytes in bytes.contains { $0 != 0 } }),
        var sender = try? HPKE.Sender(
          recipientKey: key, ciphersuite: suite, info: Data(label + context)),
        let sealed = try? sender.seal(secret)
      else { return nil }
      return Array(sender.encapsulatedKey) + Array(sealed)
    } open: { sealed, context in
      guard sealed.count > overhead,
        var recipient = try? HPKE.Recipient(
          privateKey: privateKey, ciphersuite: suite, info: Data(label + context),
          encapsulatedKey: Data(sealed.prefix(publicKeyByteCount)))
      else { return nil }
      return (try? recipient.open(Data(sealed.dropFirst(publicKeyByteCount)))).map { Array($0) }
    }
  }

  /// An exchange that hides nothing, for simulations of whole groups in one process on virtual time.
  static func trusting(_ id: Participant.ID) -> KeyExchange {
    let key = id.bytes + [UInt8](repeating: 0, count: publicKeyByteCount - id.bytes.count)
    return KeyExchange(publicKey: key) { secret, publicKey, _ in
      publicKey + secret + [UInt8](repeating: 0, count: overhead - publicKeyByteCount)
    } open: { sealed, _ in
      guard sealed.count > overhead, Array(sealed.prefix(publicKeyByteCount)) == key else {
        return nil
      }
      return Array(sealed.dropFirst(publicKeyByteCount).dropLast(overhead - publicKeyByteCount))
    }
  }
}
