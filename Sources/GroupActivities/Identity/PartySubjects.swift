import Crypto

/// The subjects of a party's messages: opaque to the broker, which can compute them from the admission key,
/// so that a relay can confine each participant to its own party.
public struct PartySubjects: Hashable, Sendable {
  /// The first token of all of the party's subjects, without a dot at the end.
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

  /// The subject of messages to all participants.
  public var everyone: String { prefix + ".all" }

  /// The subject of messages to any one of the participants that subscribe to it in the group ``members``.
  public var anyone: String { prefix + ".ask" }

  /// The queue group (NATS) of the participants that answer for the party.
  public static let members = "members"

  /// Returns the subject of messages to one participant.
  package func only(_ participant: Participant.ID) -> String {
    prefix + ".to." + participant.description
  }
}
