import Crypto

/// A participant's key pair for one party, which proves that its messages are its own.
///
/// A participant that keeps it returns to that party as the same participant. It has no use in another party,
/// and there it would show both parties that the two participants are one person.
public struct ParticipantIdentity: Sendable {
  private let privateKey: Curve25519.Signing.PrivateKey
  /// The participant's id, by which the others know it.
  public let id: Participant.ID

  /// Creates a new identity.
  public init() { self.init(Curve25519.Signing.PrivateKey()) }

  /// Restores an identity.
  ///
  /// - Parameter seed: a value of ``seed``.
  /// - Returns: nil unless it is 32 bytes.
  public init?(seed: [UInt8]) {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return nil }
    self.init(key)
  }

  private init(_ key: Curve25519.Signing.PrivateKey) {
    privateKey = key
    id = Participant.ID(publicKey: Array(key.publicKey.rawRepresentation))
  }

  /// The private key, 32 bytes (RFC 8032, 5.1.5). It is a secret.
  public var seed: [UInt8] { Array(privateKey.rawRepresentation) }

  /// The public key, 32 bytes.
  var publicKey: [UInt8] { Array(privateKey.publicKey.rawRepresentation) }

  /// Returns a signature, 64 bytes.
  func signature(for bytes: [UInt8]) throws -> [UInt8] {
    Array(try privateKey.signature(for: bytes))
  }
}

extension ParticipantIdentity: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "(identity)" }
  /// A placeholder. A log never shows the private key.
  public var debugDescription: String { description }
}

extension Participant.ID {
  init(publicKey: [UInt8]) {
    let words = Array(SHA256.hash(data: publicKey).prefix(16))
    self.init(high: UInt64(bigEndianBytes: words[..<8]), low: UInt64(bigEndianBytes: words[8...]))
  }
}
