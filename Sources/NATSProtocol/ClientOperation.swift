/// One operation of a client, as the parser understood it.
package enum ClientOperation: Hashable, Sendable {
  case ping, pong
  /// The JSON of CONNECT, not parsed yet.
  case connect(ArraySlice<UInt8>)
  case publish(ClientMessage)
  /// `SUB subject [group] sid`.
  case subscribe(Subject, group: [UInt8]?, sid: [UInt8])
  case unsubscribe(sid: [UInt8])

  /// The operation as a client sends it.
  package var bytes: [UInt8] {
    switch self {
    case .ping: Array("PING\r\n".utf8)
    case .pong: Array("PONG\r\n".utf8)
    case .connect(let json): Array("CONNECT ".utf8) + json + "\r\n".utf8
    case .publish(let message): message.bytes
    case .subscribe(let subject, let group, let sid):
      Array("SUB ".utf8) + subject.bytes + (group.map { " ".utf8 + $0 } ?? []) + " ".utf8 + sid
        + "\r\n".utf8
    case .unsubscribe(let sid): Array("UNSUB ".utf8) + sid + "\r\n".utf8
    }
  }
}

/// A message with its subject.
package struct ClientMessage: Hashable, Sendable {
  package var subject: Subject
  package var payload: ArraySlice<UInt8>

  package init(subject: Subject, payload: ArraySlice<UInt8>) {
    self.subject = subject
    self.payload = payload
  }

  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(subject.bytes.count + payload.count + 18)
    bytes += "PUB ".utf8
    bytes += subject.bytes
    bytes.append(UInt8(ascii: " "))
    bytes.append(decimal: payload.count)
    bytes += "\r\n".utf8
    bytes += payload
    bytes += "\r\n".utf8
    return bytes
  }
}

/// A violation of the protocol, which ends the connection.
package enum ProtocolViolation: Error, Hashable, Sendable {
  case unknownOperation, controlLineExceeded, payloadExceeded, authorizationViolation
  /// Wrong number or form of arguments.
  case malformed

  /// The error text for the client; `nats-server` words it in the same way.
  package var wording: String {
    switch self {
    case .unknownOperation: "Unknown Protocol Operation"
    case .controlLineExceeded: "maximum control line exceeded"
    case .payloadExceeded: "Maximum Payload Violation"
    case .authorizationViolation: "Authorization Violation"
    case .malformed: "Parser Error"
    }
  }
}
