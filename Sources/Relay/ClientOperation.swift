import NIOCore

/// One operation of a NATS client.
///
/// Source: NATS client protocol, docs.nats.io/reference/reference-protocols/nats-protocol.
enum ClientOperation: Hashable, Sendable {
  /// The JSON after `CONNECT`.
  case connect(ByteBuffer)
  case ping
  case pong
  case subscribe(subject: String, queue: String?, sid: String)
  /// - Parameter max: end after so many messages in all; nil for at once.
  case unsubscribe(sid: String, max: Int?)
  /// - Parameter headerLength: nil for `PUB`; for `HPUB` the part of `payload` that is headers.
  case publish(subject: String, reply: String?, headerLength: Int?, payload: ByteBuffer)
}

/// Why a connection's bytes can't be read on. The raw value is what nats-server says; nil: it says nothing.
enum ProtocolViolation: Error, Hashable, Sendable {
  case unknownOperation
  case controlLineTooLong
  case payloadTooLarge
  /// Arguments that make no sense: nats-server closes without a word.
  case malformedArguments

  var message: String? {
    switch self {
    case .unknownOperation: "Unknown Protocol Operation"
    case .controlLineTooLong: "maximum control line exceeded"
    case .payloadTooLarge: "Maximum Payload Violation"
    case .malformedArguments: nil
    }
  }
}
