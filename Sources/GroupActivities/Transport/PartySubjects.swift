import Crypto

/// The subjects under which a party's messages travel: opaque to the broker, and computable by it
/// from the admission key, so that a relay can confine each member to its own party.
public struct PartySubjects: Hashable, Sendable {
  /// All of the party's subjects begin with this, a token that ends without a dot.
  public let prefix: String

  /// - Parameter admissionPublicKey: the 32 bytes of ``AdmissionKey/publicKey``.
  public init(admissionPublicKey: [UInt8]) {
    var hash = SHA256()
    hash.update(data: Array("matinee subject v1".utf8))
    hash.update(data: admissionPublicKey)
    let token = hash.finalize().prefix(16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    prefix = "matinee." + token.joined()
  }

  /// What everybody receives.
  public var everyone: String { prefix + ".all" }

  /// What any one of the members receives who subscribe to it in the group ``members``.
  public var anyone: String { prefix + ".ask" }

  /// The queue group (NATS) of those who answer for the party.
  public static let members = "members"

  /// What one participant receives.
  func only(_ participant: Participant.ID) -> String { prefix + ".to." + participant.description }
}
