import GroupActivities
import Logging
import NIOCore
import Timekeeping

/// The relay's decisions: who is connected, who is admitted, who gets what, who has to go.
///
/// A value that reads no clock and touches no socket. Each method is one thing that happened;
/// afterwards ``takeEffects()`` says what must be written, delivered and closed, once per
/// destination however many messages it is.
///
/// Each party (admission key) has a subject space of its own, so that nothing crosses from one to
/// another, not even on `_INBOX`, which all clients use.
struct Broker: Sendable {
  /// What the shell has to do, in order.
  enum Effect: Sendable {
    /// Write the bytes, then close if `isLast`; answer with ``Broker/wrote(_:to:now:)``.
    case write(ByteBuffer, to: ConnectionID, isLast: Bool)
    /// Close without sending what is still queued.
    case cut(ConnectionID)
    /// Hand a message to an attachment.
    case deliver(subject: Subject, payload: ByteBuffer, to: ConnectionID)
    /// Tell an attachment what a client would read as -ERR.
    case warn(String, to: ConnectionID)
  }

  let admission: RelayConfiguration.Admission
  let limits: RelayConfiguration.Limits
  /// The port is known only once the relay listens.
  var server: ServerDescription
  private var random: any RandomNumberGenerator & Sendable

  private var connections: [ConnectionID: Connection] = [:]
  private var parties: [[UInt8]: Party] = [:]
  private var subscriptions: [SubscriptionID: Subscription] = [:]
  private var nextConnection = 1
  private var nextSubscription = 1
  private var isLameDuck = false

  /// Connections with output since the last call of ``takeEffects()``, in the order of the first.
  private var dirty: [ConnectionID] = []
  private var effects: [Effect] = []
  private var counts = RelayStatistics()

  init(
    configuration: RelayConfiguration, server: ServerDescription,
    random: any RandomNumberGenerator & Sendable
  ) {
    admission = configuration.admission
    limits = configuration.limits
    self.server = server
    self.random = random
  }

  var statistics: RelayStatistics {
    var statistics = counts
    statistics.connections = connections.count
    statistics.subscriptions = subscriptions.count
    statistics.parties = parties.count
    return statistics
  }

  /// Whether every reader has taken all that was written for it.
  var isDrained: Bool { connections.values.allSatisfy { $0.pendingBytes == 0 } }

  mutating func takeEffects() -> [Effect] {
    for id in dirty {
      guard connections[id] != nil, connections[id]!.output.readableBytes > 0 else { continue }
      let output = connections[id]!.takeOutput()
      effects.append(.write(output, to: id, isLast: false))
    }
    dirty.removeAll(keepingCapacity: true)
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }
}

// MARK: Connections

extension Broker {
  /// A socket was accepted.
  ///
  /// - Parameters:
  ///   - address: the client's, for INFO.
  ///   - nonce: fresh random text that the client has to sign.
  mutating func accepted(from address: String, nonce: String, now: HostTime) -> ConnectionID {
    let id = makeConnectionID()
    var connection = Connection(id: id, limits: limits, nonce: nonce, now: now)
    connection.output.writeString(
      server.info(id: id, address: address, nonce: nonce, isLameDuck: isLameDuck))
    let isFull = connections.count >= limits.connections && !makeRoom()
    connections[id] = connection
    dirty.append(id)
    if isFull {
      counts.connectionsRefused += 1
      end(id, saying: "maximum connections exceeded")
    }
    return id
  }

  /// The socket is gone, whoever closed it.
  mutating func closed(_ id: ConnectionID) { forget(id) }

  /// The socket took bytes that an effect asked to write.
  mutating func wrote(_ count: Int, to id: ConnectionID, now: HostTime) {
    connections[id]?.wrote(count, now: now)
  }

  /// The socket brought bytes.
  mutating func received(_ bytes: ByteBuffer, from id: ConnectionID, now: HostTime) {
    guard connections[id] != nil else { return }
    connections[id]!.lastHeard = now
    connections[id]!.pingsOutstanding = 0
    // Taken out while operations change the connections around it, so that it isn't copied.
    var parser = connections[id]!.takeParser()
    parser.append(bytes)
    do throws(ProtocolViolation) {
      while connections[id] != nil, let operation = try parser.next() {
        try perform(operation, by: id, &parser)
      }
      connections[id]?.parser = parser
    } catch {
      if error == .authorizationViolation {
        counts.authorizationFailures += 1
      } else {
        counts.protocolErrors += 1
      }
      end(id, saying: error.wording)
    }
  }

  /// Time went by: looks after those who don't prove their key, don't answer or don't read.
  mutating func tick(now: HostTime) {
    for id in Array(connections.keys) {
      guard let verdict = connections[id]!.check(limits, now: now) else { continue }
      switch verdict {
      case .ping:
        write("PING\r\n", to: id)
      case .authorizationTimeout:
        counts.authorizationFailures += 1
        end(id, saying: "Authentication Timeout")
      case .stale:
        counts.staleConnections += 1
        end(id, saying: "Stale Connection")
      case .stalled:
        cutSlowConsumer(id)
      }
    }
  }

  /// Tells all clients that the server is about to go, so that they look for another.
  mutating func announceShutdown() {
    isLameDuck = true
    for (id, connection) in connections where connection.party != nil && !connection.isAttachment {
      write(
        server.info(id: id, address: nil, nonce: connection.nonce, isLameDuck: true), to: id)
    }
  }

  private mutating func makeConnectionID() -> ConnectionID {
    defer { nextConnection += 1 }
    return ConnectionID(number: nextConnection)
  }

  /// Members are not kept out by strangers who sit on connections: the longest unproven one goes.
  private mutating func makeRoom() -> Bool {
    let strangers = connections.values.lazy.filter { $0.party == nil }
    guard let oldest = strangers.map(\.id).min(by: { $0.number < $1.number }) else { return false }
    counts.authorizationFailures += 1
    end(oldest, saying: "Authentication Timeout")
    return true
  }

  private mutating func forget(_ id: ConnectionID) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    guard let key = connection.party else { return }
    for subscription in connection.subscriptions.values {
      guard let removed = subscriptions.removeValue(forKey: subscription) else { continue }
      parties[key]!.index.remove(subscription, at: removed.subject, group: removed.group)
    }
    parties[key]!.members -= 1
    if parties[key]!.members == 0 { parties[key] = nil }
  }

  /// Ends a connection after it has been sent what is queued, and why.
  private mutating func end(_ id: ConnectionID, saying wording: String?) {
    guard connections[id] != nil else { return }
    if let wording { connections[id]!.output.writeString("-ERR '\(wording)'\r\n") }
    let output = connections[id]!.takeOutput()
    forget(id)
    effects.append(.write(output, to: id, isLast: true))
  }

  private mutating func cutSlowConsumer(_ id: ConnectionID) {
    counts.slowConsumersCut += 1
    forget(id)
    effects.append(.cut(id))
  }
}

// MARK: Attachments

extension Broker {
  /// A participant in the relay's own process, without a socket.
  ///
  /// - Returns: nil when its key isn't admitted or there are too many connections.
  mutating func attach(admissionPublicKey key: [UInt8], now: HostTime) -> ConnectionID? {
    guard admits(key) else {
      counts.authorizationFailures += 1
      return nil
    }
    guard connections.count < limits.connections || makeRoom() else {
      counts.connectionsRefused += 1
      return nil
    }
    let id = makeConnectionID()
    var connection = Connection(id: id, limits: limits, nonce: "", now: now)
    connection.isAttachment = true
    connection.options.echo = false
    connection.options.isVerbose = false
    connection.options.isPedantic = false
    connections[id] = connection
    join(id, party: key)
    return id
  }

  /// - Returns: what a client would have been told with -ERR, or nil.
  mutating func subscribe(
    _ id: ConnectionID, to subject: Subject, group: [UInt8]? = nil, sid: [UInt8]
  ) -> String? {
    guard connections[id] != nil else { return nil }
    return addSubscription(id, subject: subject, group: group, sid: sid)
  }

  mutating func publish(_ payload: ByteBuffer, to subject: Subject, from id: ConnectionID) {
    guard connections[id] != nil else { return }
    publish(ClientMessage(subject: subject, payload: payload), by: id)
  }
}

// MARK: Operations

extension Broker {
  private mutating func perform(
    _ operation: ClientOperation, by id: ConnectionID, _ parser: inout ProtocolParser
  ) throws(ProtocolViolation) {
    switch operation {
    case .simple(.ping): write("PONG\r\n", to: id)
    case .simple(.pong), .simple(.ok): break
    case .info(let json): guard ConnectOptions.isObject(json) else { throw .malformed }
    case .connect(let json): try connect(id, json, &parser)
    case .publish(let message): publish(message, by: id)
    case .unsubscribe(let arguments):
      unsubscribe(id, arguments)
      confirm(id)
    case .subscribe(let arguments):
      if let refusal = addSubscription(
        id, subject: arguments.subject, group: arguments.group, sid: arguments.sid)
      {
        write("-ERR '\(refusal)'\r\n", to: id)
      } else {
        confirm(id)
      }
    }
  }

  private mutating func connect(
    _ id: ConnectionID, _ json: ByteBuffer, _ parser: inout ProtocolParser
  ) throws(ProtocolViolation) {
    let previous = connections[id]!.options
    try connections[id]!.options.update(from: json)
    let options = connections[id]!.options
    let party = connections[id]!.party
    // The same proof again needs no second look: verifying is what costs here.
    if party == nil || (options.nkey, options.signature) != (previous.nkey, previous.signature) {
      guard let key = options.verifiedKey(nonce: connections[id]!.nonce), admits(key),
        party == nil || party == key
      else { throw .authorizationViolation }
      if party == nil { join(id, party: key) }
    }
    guard (0...1).contains(options.protocolVersion) else {
      counts.protocolErrors += 1
      return end(id, saying: "invalid client protocol")
    }
    guard options.headers || !options.noResponders else {
      counts.protocolErrors += 1
      return end(id, saying: "no responders requires headers support")
    }
    parser.isAwaitingAuthorization = false
    parser.allowsHeaders = options.headers
    confirm(id)
  }

  private func admits(_ key: [UInt8]) -> Bool {
    switch admission {
    case .only(let keys): keys.contains(key)
    case .anyKey: key.count == 32
    }
  }

  private mutating func join(_ id: ConnectionID, party key: [UInt8]) {
    connections[id]!.party = key
    parties[key, default: Party(admissionPublicKey: key)].members += 1
  }

  /// - Returns: the wording of the refusal, or nil.
  private mutating func addSubscription(
    _ id: ConnectionID, subject: Subject, group: [UInt8]?, sid: [UInt8]
  ) -> String? {
    let key = connections[id]!.party!
    guard parties[key]!.allows(subject) else {
      let queue = group.map { " using queue \(goQuoted($0))" } ?? ""
      return "Permissions Violation for Subscription to \(goQuoted(subject.bytes))\(queue)"
    }
    guard connections[id]!.subscriptions.count < limits.subscriptionsPerConnection else {
      return "maximum subscriptions exceeded"
    }
    guard connections[id]!.subscriptions[sid] == nil else { return nil }
    guard subject.isValidPattern, subject.tokens.count <= limits.subjectTokens else {
      return "Invalid Subject"
    }
    let subscription = SubscriptionID(number: nextSubscription)
    nextSubscription += 1
    subscriptions[subscription] = Subscription(
      connection: id, subject: subject, group: group, sid: sid)
    connections[id]!.subscriptions[sid] = subscription
    parties[key]!.index.insert(subscription, at: subject, group: group)
    return nil
  }

  private mutating func unsubscribe(_ id: ConnectionID, _ arguments: UnsubscribeArguments) {
    guard let subscription = connections[id]!.subscriptions[arguments.sid] else { return }
    if let maximum = arguments.maximum, maximum > subscriptions[subscription]!.delivered {
      subscriptions[subscription]!.maximum = maximum
    } else {
      remove(subscription)
    }
  }

  private mutating func remove(_ id: SubscriptionID) {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return }
    connections[subscription.connection]!.subscriptions[subscription.sid] = nil
    let key = connections[subscription.connection]!.party!
    parties[key]!.index.remove(id, at: subscription.subject, group: subscription.group)
  }
}

// MARK: Messages

extension Broker {
  private mutating func publish(_ message: ClientMessage, by id: ConnectionID) {
    let options = connections[id]!.options
    let key = connections[id]!.party!
    if options.isPedantic && !message.subject.isLiteral {
      write("-ERR 'Invalid Publish Subject'\r\n", to: id)
    }
    counts.messagesIn += 1
    counts.bytesIn += message.size
    guard parties[key]?.allows(message.subject) ?? false else {
      let refusal = "Permissions Violation for Publish to \(goQuoted(message.subject.bytes))"
      if connections[id]?.isAttachment == true {
        effects.append(.warn(refusal, to: id))
      } else {
        write("-ERR '\(refusal)'\r\n", to: id)
      }
      return
    }
    confirm(id)
    // Those answers may have been more than a publisher that doesn't read is allowed.
    guard connections[id] != nil else { return }
    let match = parties[key]!.index.match(message.subject)
    var isDelivered = false
    for subscription in match.plain {
      isDelivered = deliver(message, to: subscription, by: id, echo: options.echo) || isDelivered
    }
    for group in match.groups.values {
      isDelivered = deliver(message, toOneOf: group, by: id, echo: options.echo) || isDelivered
    }
    if !isDelivered, options.noResponders, let reply = message.reply {
      tellNobodyResponds(to: reply, by: id)
    }
  }

  /// Picks a member at random, and the next one after it when that one can't have the message.
  private mutating func deliver(
    _ message: ClientMessage, toOneOf group: [SubscriptionID], by id: ConnectionID, echo: Bool
  ) -> Bool {
    let start = Int.random(in: 0..<group.count, using: &random)
    for offset in 0..<group.count {
      let member = group[(start + offset) % group.count]
      if deliver(message, to: member, by: id, echo: echo) { return true }
    }
    return false
  }

  private mutating func deliver(
    _ message: ClientMessage, to id: SubscriptionID, by publisher: ConnectionID, echo: Bool
  ) -> Bool {
    // A slow reader that an earlier copy of this message ended is in the match still.
    guard let subscription = subscriptions[id] else { return false }
    let destination = subscription.connection
    guard echo || destination != publisher else { return false }

    subscriptions[id]!.delivered += 1
    counts.messagesOut += 1
    counts.bytesOut += message.size
    if connections[destination]!.isAttachment {
      effects.append(
        .deliver(subject: message.subject, payload: message.payload, to: destination))
    } else {
      markDirty(destination)
      connections[destination]!.append(message, sid: subscription.sid)
      if connections[destination]!.pendingBytes > limits.pendingBytes {
        cutSlowConsumer(destination)
        return true
      }
    }
    if subscriptions[id]!.isSpent { remove(id) }
    return true
  }

  /// A request that reached nobody is answered at once, so that the client need not wait: with an
  /// empty message of status 503, to the client's own subscription to the reply.
  private mutating func tellNobodyResponds(to reply: Subject, by id: ConnectionID) {
    let key = connections[id]!.party!
    let match = parties[key]!.index.match(reply)
    guard let own = match.plain.first(where: { subscriptions[$0]?.connection == id }) else {
      return
    }
    markDirty(id)
    let status = ClientMessage(
      subject: reply, headers: ByteBuffer(string: "NATS/1.0 503\r\n\r\n"), payload: ByteBuffer())
    connections[id]!.append(status, sid: subscriptions[own]!.sid)
  }

  private mutating func confirm(_ id: ConnectionID) {
    if connections[id]!.options.isVerbose { write("+OK\r\n", to: id) }
  }

  /// A reader that doesn't take answers is as slow as one that doesn't take messages.
  private mutating func write(_ text: StaticString, to id: ConnectionID) {
    guard connections[id] != nil else { return }
    markDirty(id)
    connections[id]!.output.writeStaticString(text)
    if connections[id]!.pendingBytes > limits.pendingBytes { cutSlowConsumer(id) }
  }

  private mutating func write(_ text: String, to id: ConnectionID) {
    guard connections[id] != nil else { return }
    markDirty(id)
    connections[id]!.output.writeString(text)
    if connections[id]!.pendingBytes > limits.pendingBytes { cutSlowConsumer(id) }
  }

  private mutating func markDirty(_ id: ConnectionID) {
    if connections[id]!.output.readableBytes == 0 { dirty.append(id) }
  }
}

extension ClientMessage {
  fileprivate var size: Int { payload.readableBytes + (headers?.readableBytes ?? 0) }
}
