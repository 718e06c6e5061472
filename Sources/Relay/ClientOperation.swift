/// One operation of a client, as the parser understood it.
enum ClientOperation: Hashable, Sendable {
  case ping, pong
  /// The JSON of CONNECT, not parsed yet.
  case connect(ArraySlice<UInt8>)
  case publish(ClientMessage)
  /// `SUB subject [group] sid`.
  case subscribe(Subject, group: [UInt8]?, sid: [UInt8])
  case unsubscribe(sid: [UInt8])
}

/// A message with its subject.
struct ClientMessage: Hashable, Sendable {
  var subject: Subject
  var payload: ArraySlice<UInt8>
}

/// A violation of the protocol, which ends the connection.
enum ProtocolViolation: Error, Hashable, Sendable {
  case unknownOperation, controlLineExceeded, payloadExceeded, authorizationViolation
  /// Wrong number or form of arguments.
  case malformed

  /// The error text for the client; `nats-server` words it in the same way.
  var wording: String {
    switch self {
    case .unknownOperation: "Unknown Protocol Operation"
    case .controlLineExceeded: "maximum control line exceeded"
    case .payloadExceeded: "Maximum Payload Violation"
    case .authorizationViolation: "Authorization Violation"
    case .malformed: "Parser Error"
    }
  }
}
