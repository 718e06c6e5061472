import Crypto

/// The subjects of a party's messages: opaque to the broker, which can compute them from the admission key,
/// so that a relay can confine each participant to its own party.
public struct PartySubjects: Hashable, Sendable {
  /// The first token of all of the party's subjects, without a dot at the end.
  public let prefix: String

  /// - Parameter admissionPublicKey: the 32 bytes of ``AdmissionKey/publicKey``.
  public init(admissionPublicKey: [UInt8]) {
    prefix = "matinee." + Self.token(of: Array("matinee subject v1".utf8) + admissionPublicKey)
  }

  /// Returns a token that is the beginning of a hash.
  private static func token(of bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).prefix(16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  /// The subject of messages to all participants.
  public var everyone: String { prefix + ".all" }

  /// The subject of messages to any one of the participants that subscribe to it in the group ``members``.
  public var anyone: String { prefix + ".ask" }

  /// The queue group (NATS) of the participants that answer for the party.
  public static let members = "members"

  /// The pattern of all topics' subjects.
  public var topics: String { prefix + ".topic.>" }

  /// Returns the subject of messages to the subscribers of a topic. The broker can't tell the topic from it.
  package func topic(_ name: [UInt8]) -> String {
    prefix + ".topic." + Self.token(of: Array("matinee topic v1".utf8) + name)
  }

  /// Returns the subject of messages to one participant.
  package func only(_ participant: Participant.ID) -> String {
    prefix + ".to." + participant.description
  }
}
