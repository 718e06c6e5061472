import Crypto

/// A participant's key pair for one party: what proves that its messages are its own.
struct ParticipantIdentity: Sendable {
  private let privateKey: Curve25519.Signing.PrivateKey
  let id: Participant.ID

  init() {
    privateKey = Curve25519.Signing.PrivateKey()
    id = Participant.ID(publicKey: Array(privateKey.publicKey.rawRepresentation))
  }

  /// 32 bytes.
  var publicKey: [UInt8] { Array(privateKey.publicKey.rawRepresentation) }

  /// 64 bytes.
  func signature(for bytes: [UInt8]) throws -> [UInt8] {
    Array(try privateKey.signature(for: bytes))
  }
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
