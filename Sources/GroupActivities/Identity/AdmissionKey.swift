import Crypto

/// The key that admits a party's participants to a broker: an Ed25519 key derived from the invite's secret,
/// so that no secret crosses the wire.
///
/// It only opens the connection to the broker. The content keys have other labels (``PartyKeys``), so a
/// broker that knows this key's public half can't read any message.
public struct AdmissionKey: Sendable {
  private let privateKey: Curve25519.Signing.PrivateKey

  /// The public key, 32 bytes.
  public var publicKey: [UInt8] { Array(privateKey.publicKey.rawRepresentation) }

  /// Creates the key for a space of its own on the broker, which an application opens beside a party.
  ///
  /// - Parameter seed: 32 bytes, an Ed25519 private key (RFC 8032); fewer or more are a programming error.
  public init(seed: [UInt8]) {
    do {
      privateKey = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    } catch {
      preconditionFailure("any 32 bytes are an Ed25519 seed: \(error)")
    }
  }

  /// A fresh key that belongs to no party, for brokers' tests and benchmarks.
  public init() { privateKey = Curve25519.Signing.PrivateKey() }

  /// Signs a broker's challenge. The signature has 64 bytes.
  public func signature(for nonce: [UInt8]) throws -> [UInt8] {
    Array(try privateKey.signature(for: nonce))
  }
}
