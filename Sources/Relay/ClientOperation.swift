/// One operation of a client, as the parser understood it.
enum ClientOperation: Hashable, Sendable {
  enum Simple: Hashable, Sendable { case ping, pong, ok }

  case simple(Simple)
  /// The JSON of CONNECT, not parsed yet.
  case connect(ArraySlice<UInt8>)
  case publish(ClientMessage)
  case subscribe(SubscribeArguments)
  case unsubscribe(UnsubscribeArguments)
  /// The JSON of an INFO. An INFO from a client has no meaning, but its JSON must be valid.
  case info(ArraySlice<UInt8>)
}

/// A message with its envelope.
struct ClientMessage: Hashable, Sendable {
  var subject: Subject
  var reply: Subject?
  /// Nil for PUB; opaque otherwise.
  var headers: ArraySlice<UInt8>?
  var payload: ArraySlice<UInt8>
}

/// `PUB subject [reply] size`, or `HPUB subject [reply] headerSize size`.
struct MessageHead: Hashable, Sendable {
  let subject: Subject
  let reply: Subject?
  let headerSize: Int?
  /// Bytes of the payload and the headers together.
  let size: Int

  init(_ line: ArraySlice<UInt8>, hasHeaders: Bool) throws(ProtocolViolation) {
    let arguments = line.arguments
    let sizes = hasHeaders ? 2 : 1
    guard (sizes + 1...sizes + 2).contains(arguments.count) else { throw .malformed }
    subject = Subject(arguments[0])
    reply = arguments.count == sizes + 2 ? Subject(arguments[1]) : nil
    guard let size = Int(argument: arguments.last!) else { throw .malformed }
    self.size = size
    if hasHeaders {
      guard let headerSize = Int(argument: arguments[arguments.count - 2]), headerSize <= size
      else { throw .malformed }
      self.headerSize = headerSize
    } else {
      headerSize = nil
    }
  }
}

/// `SUB subject [group] sid`.
struct SubscribeArguments: Hashable, Sendable {
  let subject: Subject
  let group: [UInt8]?
  let sid: [UInt8]

  init(_ line: ArraySlice<UInt8>) throws(ProtocolViolation) {
    let arguments = line.arguments
    guard (2...3).contains(arguments.count) else { throw .malformed }
    subject = Subject(arguments[0])
    group = arguments.count == 3 ? Array(arguments[1]) : nil
    sid = Array(arguments.last!)
  }
}

/// `UNSUB sid [maximum]`.
struct UnsubscribeArguments: Hashable, Sendable {
  let sid: [UInt8]
  /// The total number of messages that the subscription may receive; nil or 0 ends it now. An
  /// argument that isn't a number counts as none, as with `nats-server`.
  let maximum: Int?

  init(_ line: ArraySlice<UInt8>) throws(ProtocolViolation) {
    let arguments = line.arguments
    guard (1...2).contains(arguments.count) else { throw .malformed }
    sid = Array(arguments[0])
    maximum = arguments.count == 2 ? Int(argument: arguments[1]) : nil
  }
}

/// A violation of the protocol, which ends the connection. ``wording`` is the error text for the
/// client, or nil where `nats-server` closes without one.
enum ProtocolViolation: Error, Hashable, Sendable {
  case unknownOperation, controlLineExceeded, payloadExceeded, authorizationViolation
  /// Wrong number or form of arguments.
  case malformed
  /// The client sent -ERR.
  case clientError

  var wording: String? {
    switch self {
    case .unknownOperation: "Unknown Protocol Operation"
    case .controlLineExceeded: "maximum control line exceeded"
    case .payloadExceeded: "Maximum Payload Violation"
    case .authorizationViolation: "Authorization Violation"
    case .malformed, .clientError: nil
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var arguments: [ArraySlice<UInt8>] {
    split { byte in
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
  }
}

extension Int {
  /// At most nine digits and nothing else, which fits and can't overflow.
  fileprivate init?(argument: some Collection<UInt8>) {
    guard (1...9).contains(argument.count) else { return nil }
    var value = 0
    for byte in argument {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    self = value
  }
}
