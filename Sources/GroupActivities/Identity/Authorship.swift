import Crypto
import Foundation

/// A proof of the author of a piece of shared state, whichever participant passes it on.
public struct Proof: Hashable, Sendable, Codable {
  /// The author's public key, 32 bytes. Its hash is the author's id.
  public internal(set) var publicKey: Data
  /// An Ed25519 signature, 64 bytes.
  public internal(set) var signature: Data

  private enum CodingKeys: String, CodingKey {
    case publicKey = "k"
    case signature = "s"
  }

  /// A proof that proves nothing.
  package static let empty = Proof(
    publicKey: Data(count: 32), signature: Data(count: 64))
}

/// The kinds of statement that participants prove.
enum ProofPurpose: String, Sendable, CaseIterable {
  /// A change of the party's rules.
  case rules = "policy change"
  /// All rules of the party, in place of their history.
  case summary = "policy summary"
  /// An opening of the party.
  case opening = "opening"
  /// A session with its activity.
  case session = "session"
  /// A statement on a lane of a session.
  case lane = "lane"
  /// The position and rate of an item in a session.
  case state = "state"
  /// The secret of an epoch of content keys.
  case contentKey = "content key"

  /// The beginning of the signed bytes. No label is the beginning of another one, so that a proof for one purpose
  /// proves nothing for another.
  var label: [UInt8] { Array(rawValue.utf8) }
}

/// Signs this participant's statements, and verifies those of others.
struct Authorship: Sendable {
  var sign: @Sendable (_ bytes: [UInt8]) -> Proof
  var isValid: @Sendable (_ proof: Proof?, _ bytes: [UInt8], _ author: Participant.ID) -> Bool

  /// - Parameter party: the party. A proof in one party is not valid in another.
  static func of(_ identity: ParticipantIdentity, party: Participant.ID) -> Authorship {
    Authorship { bytes in
      do {
        return Proof(
          publicKey: Data(identity.publicKey),
          signature: Data(try identity.signature(for: label(party) + bytes)))
      } catch {
        preconditionFailure("signing bytes of ours can't fail: \(error)")
      }
    } isValid: { proof, bytes, author in
      guard let proof, proof.publicKey.count == 32,
        Participant.ID(publicKey: Array(proof.publicKey)) == author,
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: proof.publicKey)
      else { return false }
      return key.isValidSignature(proof.signature, for: label(party) + bytes)
    }
  }

  /// An authorship that proves nothing, for simulations of whole groups of honest participants in one process
  /// on virtual time.
  static let trusting = Authorship { _ in
    .empty
  } isValid: { _, _, _ in
    true
  }

  private static func label(_ party: Participant.ID) -> [UInt8] {
    Array("matinee authorship v2".utf8) + party.bytes
  }
}
