import GroupActivities
import NATSProtocol

/// The reason why a connection couldn't be made, or why it ended.
enum NATSError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No address of the host accepts a connection.
  case unreachable
  /// The host's name has no address.
  case unknownHost
  /// The server accepts connections, but doesn't answer in time.
  case silent
  /// The connection was lost, or the server ended it without a reason.
  case lost
  /// The server fell silent.
  case stale
  /// The server doesn't read what this client sends.
  case notReading
  /// The server's own reason.
  case server(ServerError)
  /// The server broke the protocol, or a limit.
  case violation
  /// The server sends too many lines that aren't messages.
  case flood
  /// The server's challenge can't be signed.
  case unsigned
  /// The server begins TLS after its introduction, and the client had sent a byte before it.
  case spokeTooSoon
  /// TLS is required, and the server offers none.
  case noTLS
  /// The server's certificate doesn't prove its identity.
  case certificate(CertificateFault)
  /// TLS failed for another reason.
  case tls(String)
  /// The server doesn't speak WebSocket.
  case noWebSocket
  /// This side closed the connection.
  case closed

  /// The limit for a server's text, in characters.
  static let textLimit = 400

  var description: String {
    switch self {
    case .unreachable: "nothing answers"
    case .unknownHost: "the host's name is unknown"
    case .silent: "it accepts connections, but doesn't answer"
    case .lost: "the connection was lost"
    case .stale: "Stale Connection"
    case .notReading: "the server doesn't read"
    case .server(let error): PartyText.clean(error.text, limit: Self.textLimit)
    case .violation: "the server broke the NATS protocol, or its own limit for messages"
    case .flood: "the server sends too many lines"
    case .unsigned: "the server's challenge can't be signed"
    case .spokeTooSoon: "the server begins TLS"
    case .noTLS: "the server offers no TLS"
    case .certificate(let fault): "\(fault)"
    case .tls(let text): "TLS failed: \(PartyText.clean(text, limit: Self.textLimit))"
    case .noWebSocket: "it doesn't speak WebSocket"
    case .closed: "the connection was closed"
    }
  }
}

/// The fault of a certificate.
enum CertificateFault: String, Hashable, Sendable, CustomStringConvertible {
  case notValidYet = "the certificate isn't valid yet"
  case expired = "the certificate has expired"
  case unknownSigner = "the signer of its certificate isn't trusted here"
  case otherName = "the certificate isn't valid for this name"

  var description: String { rawValue }
}
