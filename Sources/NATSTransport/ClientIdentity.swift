import GroupActivities
import NATSProtocol

/// The identity of this client for a server that authenticates it.
enum ClientIdentity: Sendable {
  /// A member of a party, by the key that comes with its invite.
  case party(AdmissionKey)
  /// The user that the cluster's operator issued credentials for.
  case credentials(BrokerCredentials)

  /// The public key's text, for CONNECT; nil if a JWT names it.
  var nkey: String? {
    switch self {
    case .party(let key): NKey.text(of: key.publicKey, role: .user)
    case .credentials(let credentials): credentials.jwt == nil ? credentials.nkey : nil
    }
  }

  var jwt: String? {
    switch self {
    case .party: nil
    case .credentials(let credentials): credentials.jwt
    }
  }

  /// Returns the signature of the nonce: 64 bytes.
  func signature(for nonce: [UInt8]) throws -> [UInt8] {
    switch self {
    case .party(let key): try key.signature(for: nonce)
    case .credentials(let credentials): try credentials.signature(for: nonce)
    }
  }
}
