import BrokerTesting
import Timekeeping

@testable import GroupActivities
@testable import NATSProtocol
@testable import NATSTransport
@testable import Relay

extension FuzzTarget {
  static let relay = [
    protocolParser, serverOperations, broker, webSocket, nkey, serverAddress,
  ]

  private static let session = """
    PING\r\nSUB a.b.* 1\r\nSUB a.> q 2\r\nPUB a.b.c 5\r\nhello\r\nUNSUB 1\r\nPONG\r\n
    """

  private static let protocolParser = FuzzTarget(
    "relay-protocol",
    texts: [
      session, "CONNECT {\"echo\":false}\r\n" + session, "PUB a 65537\r\n",
      "PUB a 18446744073709551615\r\n",
    ]
  ) { bytes in
    let whole = try operations(of: [bytes[...]])
    let half = bytes.count / 2
    try hold(
      try operations(of: [bytes[..<half], bytes[half...]]) == whole,
      "cut in two it is something else: \(whole)")
  }

  /// - Returns: the operations as text, then the violation if any.
  private static func operations(of pieces: [ArraySlice<UInt8>]) throws -> [String] {
    var parser = ClientOperationParser(
      lineLimit: 256, payloadLimit: 1024, isAwaitingAuthorization: false)
    var result: [String] = []
    for piece in pieces {
      parser.append(Array(piece))
      do throws(ProtocolViolation) {
        while let operation = try parser.next() { result.append("\(operation)") }
      } catch {
        return result + ["\(error)"]
      }
      // A control line or a message, depending on the state, and the word before it.
      try hold(parser.bufferedBytes <= 256 + 1024 + 64, "keeps \(parser.bufferedBytes) bytes")
    }
    return result
  }

  private static let serverOperations = FuzzTarget(
    "server-protocol",
    texts: [
      "INFO {\"max_payload\":64,\"connect_urls\":[\"[::1]:1\"]}\r\nPONG\r\nMSG a.b 1 5\r\nhello\r\nPING\r\n",
      "+OK\r\n-ERR 'Permissions Violation for Subscription to \"a\"'\r\nMSG a 1 2147483647\r\n",
    ]
  ) { bytes in
    let whole = try serverOperations(in: [bytes[...]])
    try hold(
      try serverOperations(in: bytes.indices.map { bytes[$0...$0] }) == whole,
      "byte by byte it is something else: \(whole)")
  }

  /// - Returns: the operations as text, then the violation if any.
  private static func serverOperations(in pieces: [ArraySlice<UInt8>]) throws -> [String] {
    var parser = ServerOperationParser()
    var result: [String] = []
    for piece in pieces {
      parser.append(Array(piece))
      do throws(ProtocolViolation) {
        while let operation = try parser.next() { result.append("\(operation)") }
      } catch {
        return result + ["\(error)"]
      }
    }
    return result
  }

  /// A stranger and two members of one party, who take turns as the input says: a byte for the
  /// client, one for the number of its bytes, then those; 255 for a second that passes.
  private static let broker = FuzzTarget(
    "relay-broker",
    seeds: [
      [1, UInt8(session.utf8.count)] + Array(session.utf8) + [2, 23]
        + Array("SUB > 9\r\nPUB x.y 1\r\na\r\n".utf8) + [255, 255, 0, 6] + Array("PING\r\n".utf8),
      [0, 12] + Array("CONNECT {}\r\n".utf8) + [255, 255, 255],
    ]
  ) { bytes in
    let greeting = brokerGreeting
    var configuration = RelayConfiguration(admission: .only([greeting.key.publicKey]))
    configuration.limits.connections = 4
    configuration.limits.subscriptionsPerConnection = 8
    configuration.limits.pendingBytes = 16_384
    var broker = Broker(
      configuration: configuration,
      server: ServerInfo(
        identifier: "N", host: "h", port: 1, maximumPayload: configuration.limits.payload),
      random: RandomSource.seeded(1))
    var now = HostTime(nanoseconds: 0)
    var members: [ConnectionID] = []
    for index in 0..<3 {
      let id = broker.accepted(from: "127.0.0.1", nonce: "nonce", now: now)
      members.append(id)
      guard index > 0 else { continue }
      broker.received(Array(try greeting.line(nonce: "nonce").utf8), from: id, now: now)
    }
    _ = broker.takeEffects(now: now)
    var rest = bytes[...]
    while let first = rest.popFirst() {
      if first == 255 {
        now = now + .seconds(1)
        broker.tick(now: now)
      } else if let count = rest.popFirst() {
        let said = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        broker.received(Array(said), from: members[Int(first % 3)], now: now)
      }
      if broker.hasTurns { broker.takeTurn(now: now) }
      for effect in broker.takeEffects(now: now) {
        switch effect {
        // The stranger's socket accepts no byte.
        case .write(let bytes, let id, _) where id != members[0]:
          broker.wrote(bytes.count, to: id, now: now)
        case .pause(let id, let duration):
          now = now + duration
          broker.resume(id, now: now)
        case .write, .cut, .hold, .resume, .deliver, .warn: break
        }
      }
      let statistics = broker.statistics
      try hold(statistics.connections <= 4, "\(statistics.connections) connections")
      try hold(statistics.subscriptions <= 3 * 8, "\(statistics.subscriptions) subscriptions")
    }
  }

  private static let webSocket = FuzzTarget(
    "relay-websocket",
    seeds: [
      [0x82, 0x85, 1, 2, 3, 4] + Array("hello".utf8) + [0x89, 0x80, 0, 0, 0, 0]
        + [0x88, 0x82, 0, 0, 0, 0, 3, 0xe8],
      [0x02, 0xfe, 0, 200, 9, 8, 7, 6] + [UInt8](repeating: 1, count: 200)
        + [0x80, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 2],
    ]
  ) { bytes in
    let whole = try webSocketEvents(in: [bytes[...]])
    try hold(
      try webSocketEvents(in: bytes.indices.map { bytes[$0...$0] }) == whole,
      "byte by byte it is something else: \(whole)")
  }

  /// - Returns: the events, with all parts of the stream joined between the others.
  private static func webSocketEvents(
    in pieces: [ArraySlice<UInt8>]
  ) throws -> [WebSocketDecoder.Event] {
    var decoder = WebSocketDecoder()
    var result: [WebSocketDecoder.Event] = []
    for piece in pieces {
      let events = decoder.append(Array(piece))
      try hold(events.count <= piece.count, "\(events.count) events of \(piece.count) bytes")
      for event in events {
        if case .bytes(let more) = event, case .bytes(let before)? = result.last {
          result[result.count - 1] = .bytes(before + more)
        } else {
          result.append(event)
        }
      }
    }
    return result
  }

  private static let brokerGreeting = Greeting(key: AdmissionKey())

  private static let nkey = FuzzTarget(
    "nkey", texts: [NKey.text(of: [UInt8](repeating: 7, count: 32), role: .user)]
  ) { bytes in
    guard let key = NKey.publicKey(from: bytes, role: .user) else { return }
    try hold(NKey.text(of: key, role: .user).utf8.elementsEqual(bytes), "two spellings of a key")
  }

  private static let serverAddress = FuzzTarget(
    "server-address",
    texts: [
      "127.0.0.1:4222", "nats://[::1]:4222", "tls://user:secret@host/", "nats://h:0", "a@b@c:1",
    ]
  ) { bytes in
    guard let address = try? ServerAddress(String(decoding: bytes, as: UTF8.self)) else { return }
    try hold(try ServerAddress(address.url) == address, "\(address.url) is another address")
    try hold(!address.description.contains("@"), "shows what may be a password")
  }
}
