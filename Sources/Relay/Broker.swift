import Crypto
import Foundation
import GroupActivities
import NIOCore
import NKeys

/// The relay's decisions: who is admitted, who is subscribed to what, and what goes to whom. Does no
/// I/O and knows no clock; one event loop owns it.
struct Broker: Sendable {
  typealias ConnectionID = UInt64

  enum Action: Hashable, Sendable {
    case send(ByteBuffer, to: ConnectionID)
    /// A message for a connection in this process.
    case deliver(subject: String, payload: ByteBuffer, to: ConnectionID)
    case close(ConnectionID)
    /// The connection is admitted: its authentication timer may stop.
    case admitted(ConnectionID)
  }

  private struct Connection: Sendable {
    var nonce: String
    /// Nil until admitted.
    var prefix: String?
    var isLocal = false
    var verbose = false
    var pedantic = false
    var echo = true
    var headers = false
    var noResponders = false
    var subscriptions: [String: Subscription] = [:]
  }

  private struct Subscription: Sendable {
    var subject: String
    var queue: String?
    var delivered = 0
    var max: Int?
  }

  private struct Route: Hashable, Sendable {
    var connection: ConnectionID
    var sid: String
  }

  private let configuration: RelayConfiguration
  private let serverID: String
  private var connections: [ConnectionID: Connection] = [:]
  private var index = SubjectIndex<Route>()
  private var nextID: ConnectionID = 1
  private(set) var statistics = RelayStatistics()
  private var isLameDuck = false

  init(configuration: RelayConfiguration, serverID: String) {
    self.configuration = configuration
    self.serverID = serverID
  }

  // MARK: - Connections

  /// - Returns: nil when there is no room.
  mutating func open(address: String, nonce: String) -> (id: ConnectionID, info: ByteBuffer)? {
    guard connections.count < configuration.connectionLimit else {
      statistics.refusedConnections += 1
      return nil
    }
    let id = nextID
    nextID += 1
    connections[id] = Connection(nonce: nonce)
    statistics.connections = connections.count
    return (id, info(id: id, address: address, nonce: nonce))
  }

  /// A connection of this process: no socket, no challenge, the same subjects.
  mutating func openLocal(prefix: String) -> ConnectionID {
    let id = nextID
    nextID += 1
    connections[id] = Connection(nonce: "", prefix: prefix, isLocal: true, echo: false)
    statistics.connections = connections.count
    return id
  }

  mutating func close(_ id: ConnectionID) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    for (sid, subscription) in connection.subscriptions {
      index.remove(Route(connection: id, sid: sid), subject: subscription.subject)
    }
    statistics.connections = connections.count
    statistics.subscriptions = index.count
  }

  mutating func slowConsumer(_ id: ConnectionID) -> [Action] {
    statistics.slowConsumers += 1
    return [.close(id)]
  }

  /// Tells everybody that the relay is about to go.
  mutating func lameDuck() -> [Action] {
    isLameDuck = true
    return connections.filter { !$0.value.isLocal }.map { id, connection in
      .send(info(id: id, address: "", nonce: connection.nonce), to: id)
    }
  }

  private func info(id: ConnectionID, address: String, nonce: String) -> ByteBuffer {
    struct Info: Encodable {
      var serverID: String
      var serverName = "matinee"
      var version = "2.9.10"
      var proto = 1
      var headers = true
      var maxPayload: Int
      var clientID: UInt64
      var clientIP: String
      var authRequired = true
      var nonce: String
      var ldm: Bool?

      enum CodingKeys: String, CodingKey {
        case serverID = "server_id"
        case serverName = "server_name"
        case version, proto, headers, nonce, ldm
        case maxPayload = "max_payload"
        case clientID = "client_id"
        case clientIP = "client_ip"
        case authRequired = "auth_required"
      }
    }
    let info = Info(
      serverID: serverID, maxPayload: configuration.payloadLimit, clientID: id, clientIP: address,
      nonce: nonce, ldm: isLameDuck ? true : nil)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(info) else {
      preconditionFailure("INFO can't be encoded")
    }
    var line = ByteBuffer(string: "INFO ")
    line.writeBytes(json)
    line.writeString(" \r\n")
    return line
  }

  // MARK: - Operations

  mutating func handle(_ operation: ClientOperation, from id: ConnectionID) -> [Action] {
    guard let connection = connections[id] else { return [] }
    guard connection.prefix != nil else {
      guard case .connect(let json) = operation else { return refuse(id) }
      return connect(json, from: id)
    }
    switch operation {
    case .connect(let json): return connect(json, from: id)
    case .ping: return [.send(ByteBuffer(string: "PONG\r\n"), to: id)]
    case .pong: return []
    case .subscribe(let subject, let queue, let sid):
      return subscribe(subject, queue: queue, sid: sid, from: id)
    case .unsubscribe(let sid, let max):
      return unsubscribe(sid, max: max, from: id) + acknowledge(id)
    case .publish(let subject, let reply, let headerLength, let payload):
      if headerLength != nil, !connection.headers {
        return [error("message headers not supported", to: id), .close(id)]
      }
      return publish(subject, reply: reply, headerLength: headerLength, payload: payload, from: id)
    }
  }

  func violation(_ violation: ProtocolViolation, from id: ConnectionID) -> [Action] {
    // Before it is admitted, nobody learns more than that it isn't.
    if connections[id]?.prefix == nil {
      return [error("Authorization Violation", to: id), .close(id)]
    }
    return (violation.message.map { [error($0, to: id)] } ?? []) + [.close(id)]
  }

  mutating func authenticationTimedOut(_ id: ConnectionID) -> [Action] {
    guard let connection = connections[id], connection.prefix == nil else { return [] }
    statistics.refusedConnections += 1
    return [error("Authentication Timeout", to: id), .close(id)]
  }

  func stale(_ id: ConnectionID) -> [Action] { [error("Stale Connection", to: id), .close(id)] }

  private mutating func connect(_ json: ByteBuffer, from id: ConnectionID) -> [Action] {
    struct Options: Decodable {
      var verbose: Bool?
      var pedantic: Bool?
      var echo: Bool?
      var headers: Bool?
      var noResponders: Bool?
      var nkey: String?
      var sig: String?

      enum CodingKeys: String, CodingKey {
        case verbose, pedantic, echo, headers, nkey, sig
        case noResponders = "no_responders"
      }
    }
    guard var connection = connections[id] else { return [] }
    guard let options = try? JSONDecoder().decode(Options.self, from: Data(json.readableBytesView))
    else { return connection.prefix == nil ? refuse(id) : [.close(id)] }
    if connection.prefix == nil {
      guard let text = options.nkey, let key = NKey.publicKey(userText: text),
        let signature = options.sig.flatMap(Self.decodeBase64), isAdmitted(key),
        let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: key),
        publicKey.isValidSignature(signature, for: Array(connection.nonce.utf8))
      else { return refuse(id) }
      connection.prefix = PartySubjects(admissionPublicKey: key).prefix
    }
    connection.verbose = options.verbose ?? true
    connection.pedantic = options.pedantic ?? true
    connection.echo = options.echo ?? true
    connection.headers = options.headers ?? false
    connection.noResponders = (options.noResponders ?? false) && connection.headers
    connections[id] = connection
    return [.admitted(id)] + acknowledge(id)
  }

  private func isAdmitted(_ key: [UInt8]) -> Bool {
    switch configuration.admission {
    case .anyKey: true
    case .only(let keys): keys.contains(key)
    }
  }

  /// Clients write the signature in either alphabet of base64, padded or not.
  private static func decodeBase64(_ text: String) -> Data? {
    let standard = text.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/").replacingOccurrences(of: "=", with: "")
    return Data(
      base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
  }

  private mutating func refuse(_ id: ConnectionID) -> [Action] {
    statistics.refusedConnections += 1
    return [error("Authorization Violation", to: id), .close(id)]
  }

  private mutating func subscribe(
    _ subject: String, queue: String?, sid: String, from id: ConnectionID
  ) -> [Action] {
    guard let connection = connections[id], let prefix = connection.prefix else { return [] }
    guard Subject.isValid(subject) else { return [error("Invalid Subject", to: id)] }
    guard Subject.isWithin(subject, prefix: prefix) else {
      let using = queue.map { " using queue \"\($0)\"" } ?? ""
      return [error("Permissions Violation for Subscription to \"\(subject)\"\(using)", to: id)]
    }
    guard connection.subscriptions[sid] == nil else { return acknowledge(id) }
    guard connection.subscriptions.count < configuration.subscriptionLimit else {
      return [error("maximum subscriptions exceeded", to: id)]
    }
    connections[id]?.subscriptions[sid] = Subscription(subject: subject, queue: queue)
    index.insert(Route(connection: id, sid: sid), subject: subject)
    statistics.subscriptions = index.count
    return acknowledge(id)
  }

  private mutating func unsubscribe(
    _ sid: String, max: Int?, from id: ConnectionID
  ) -> [Action] {
    guard let subscription = connections[id]?.subscriptions[sid] else { return [] }
    if let max, max > subscription.delivered {
      connections[id]?.subscriptions[sid]?.max = max
      return []
    }
    connections[id]?.subscriptions[sid] = nil
    index.remove(Route(connection: id, sid: sid), subject: subscription.subject)
    statistics.subscriptions = index.count
    return []
  }

  private mutating func publish(
    _ subject: String, reply: String?, headerLength: Int?, payload: ByteBuffer,
    from id: ConnectionID
  ) -> [Action] {
    guard let connection = connections[id], let prefix = connection.prefix else { return [] }
    statistics.messagesIn += 1
    statistics.bytesIn += payload.readableBytes
    if connection.pedantic, !Subject.isLiteral(subject) {
      return [error("Invalid Publish Subject", to: id)]
    }
    guard Subject.isWithin(subject, prefix: prefix) else {
      return [error("Permissions Violation for Publish to \"\(subject)\"", to: id)]
    }
    var actions = acknowledge(id)
    var queues: [String: [Route]] = [:]
    var isHeard = false
    for route in index.matches(subject) where route.connection != id || connection.echo {
      if let queue = connections[route.connection]?.subscriptions[route.sid]?.queue {
        queues[queue, default: []].append(route)
      } else {
        isHeard = true
        actions += send(subject, reply, headerLength, payload, to: route)
      }
    }
    for routes in queues.values {
      guard let route = routes.randomElement() else { continue }
      isHeard = true
      actions += send(subject, reply, headerLength, payload, to: route)
    }
    if !isHeard, let reply, connection.noResponders { actions += noResponders(reply, for: id) }
    return actions
  }

  private mutating func send(
    _ subject: String, _ reply: String?, _ headerLength: Int?, _ payload: ByteBuffer,
    to route: Route
  ) -> [Action] {
    guard let connection = connections[route.connection],
      var subscription = connection.subscriptions[route.sid]
    else { return [] }
    subscription.delivered += 1
    connections[route.connection]?.subscriptions[route.sid] = subscription
    statistics.messagesOut += 1
    statistics.bytesOut += payload.readableBytes
    defer {
      if let max = subscription.max, subscription.delivered >= max {
        _ = unsubscribe(route.sid, max: nil, from: route.connection)
      }
    }
    // Who can't read headers gets the message without them.
    var body = payload
    let headers = connection.headers ? headerLength : nil
    if let headerLength, headers == nil { body.moveReaderIndex(forwardBy: headerLength) }
    if connection.isLocal {
      return [.deliver(subject: subject, payload: body, to: route.connection)]
    }
    var line = ByteBuffer()
    line.reserveCapacity(minimumWritableBytes: subject.utf8.count + body.readableBytes + 64)
    line.writeString(headers == nil ? "MSG " : "HMSG ")
    line.writeString(subject)
    line.writeString(" \(route.sid) ")
    if let reply { line.writeString("\(reply) ") }
    if let headers { line.writeString("\(headers) ") }
    line.writeString("\(body.readableBytes)\r\n")
    line.writeImmutableBuffer(body)
    line.writeString("\r\n")
    return [.send(line, to: route.connection)]
  }

  /// A request that nobody hears is answered at once: status 503.
  private mutating func noResponders(_ reply: String, for id: ConnectionID) -> [Action] {
    let status = ByteBuffer(string: "NATS/1.0 503\r\n\r\n")
    guard let route = index.matches(reply).first(where: { $0.connection == id }) else { return [] }
    return send(reply, nil, status.readableBytes, status, to: route)
  }

  private func acknowledge(_ id: ConnectionID) -> [Action] {
    connections[id]?.verbose == true ? [.send(ByteBuffer(string: "+OK\r\n"), to: id)] : []
  }

  private func error(_ text: String, to id: ConnectionID) -> Action {
    .send(ByteBuffer(string: "-ERR '\(text)'\r\n"), to: id)
  }
}
