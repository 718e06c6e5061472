import Crypto

/// A participant's key pair for one party: what proves that its messages are its own.
///
/// Whoever keeps it comes back to that party as the same participant. It is of no use in another one, and used there
/// it would tell both that they know one person.
public struct ParticipantIdentity: Sendable {
  private let privateKey: Curve25519.Signing.PrivateKey
  /// What the others know this participant by.
  public let id: Participant.ID

  /// A new one.
  public init() { self.init(Curve25519.Signing.PrivateKey()) }

  /// One that was kept.
  ///
  /// - Parameter seed: what ``seed`` gave.
  /// - Returns: nil unless it is 32 bytes.
  public init?(seed: [UInt8]) {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return nil }
    self.init(key)
  }

  private init(_ key: Curve25519.Signing.PrivateKey) {
    privateKey = key
    id = Participant.ID(publicKey: Array(key.publicKey.rawRepresentation))
  }

  /// The private key, 32 bytes (RFC 8032, 5.1.5): a secret.
  public var seed: [UInt8] { Array(privateKey.rawRepresentation) }

  /// 32 bytes.
  var publicKey: [UInt8] { Array(privateKey.publicKey.rawRepresentation) }

  /// 64 bytes.
  func signature(for bytes: [UInt8]) throws -> [UInt8] {
    Array(try privateKey.signature(for: bytes))
  }
}

extension ParticipantIdentity: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "(identity)" }
  public var debugDescription: String { description }
}

extension Participant.ID {
  init(publicKey: [UInt8]) {
    let words = Array(SHA256.hash(data: publicKey).prefix(16))
    self.init(high: UInt64(bigEndianBytes: words[..<8]), low: UInt64(bigEndianBytes: words[8...]))
  }
}

extension UInt64 {
  init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}
