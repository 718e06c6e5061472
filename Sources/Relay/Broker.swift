import NATSProtocol
import Timekeeping

/// The relay's decisions on connections, admission, delivery, throttling and removal.
///
/// A value that reads no clock and touches no socket. Each method is one event. Afterwards ``takeEffects(now:)``
/// returns what must be written, delivered and closed, once per destination, however many messages it is.
///
/// Each party (admission key) has a subject space of its own, so that no message crosses from one party to another, not
/// even on `_INBOX`, which all clients use.
struct Broker: Sendable {
  /// An action for the shell. Actions are performed in order.
  enum Effect: Sendable {
    /// Write the bytes, then close if `isLast`; answer with ``Broker/wrote(_:to:now:)``. Until all has been taken, no
    /// other write to the same connection follows, except its last one.
    case write([UInt8], to: ConnectionID, isLast: Bool)
    /// Close without sending what is still queued.
    case cut(ConnectionID)
    /// Read nothing from it for that duration, then call ``Broker/resume(_:now:)``.
    case pause(ConnectionID, for: Duration)
    /// Read nothing from it until a ``resume(_:)``.
    case hold(ConnectionID)
    /// Read from it again.
    case resume(ConnectionID)
    /// Hand a message to an attachment.
    case deliver(subject: Subject, payload: ArraySlice<UInt8>, to: ConnectionID)
    /// Report to an attachment the text that a client would read as -ERR.
    case warn(String, to: ConnectionID)
  }

  let admission: RelayConfiguration.Admission
  let limits: RelayConfiguration.Limits
  /// The server's description. Its port is known only once the relay listens.
  var server: ServerInfo
  var random: any RandomNumberGenerator & Sendable

  var connections = Slots<Connection>()
  var subscriptions = Slots<Subscription>()
  var parties: [[UInt8]: PartySpace] = [:]
  private(set) var strangers = ConnectionsByOrigin()
  /// Connections that have proved a key and have no subscription.
  var idle = ConnectionsByOrigin()
  /// The connections that have proved a key: their number by origin, and in total.
  private(set) var provenByOrigin: [Origin: Int] = [:]
  private(set) var provenCount = 0
  /// The sum of ``Connection/heldBytes`` of all connections.
  private(set) var heldBytes = 0
  private(set) var isLameDuck = false

  /// The keys of the parties that wait for their turn, the next one first.
  var turns: [[UInt8]] = []
  /// Connections with output since the last call of ``takeEffects(now:)``, in the order of the first.
  private(set) var dirty: [ConnectionID] = []
  var effects: [Effect] = []
  var counts = RelayStatistics()

  init(
    configuration: RelayConfiguration, server: ServerInfo,
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
    statistics.unprovenConnections = strangers.count
    statistics.subscriptions = subscriptions.count
    statistics.parties = parties.count
    statistics.heldBytes = heldBytes
    return statistics
  }

  /// A Boolean value that indicates whether every reader has taken all that was written for it and, during the
  /// shutdown, has confirmed that.
  var isDrained: Bool {
    connections.ids.allSatisfy {
      connections[$0].pendingBytes == 0 && !connections[$0].owesLastPong
    }
  }

  mutating func takeEffects(now: HostTime) -> [Effect] {
    // The shell has performed all earlier effects: it doesn't know ended connections any more.
    connections.recycle()
    for id in dirty where connections.contains(id) {
      connections[id].isDirty = false
      // While the socket hasn't taken the previous bytes, output collects in one buffer, not in one for each message.
      guard connections[id].bytesInFlight == 0, !connections[id].output.isEmpty else {
        continue
      }
      effects.append(.write(connections[id].takeOutput(now: now), to: id, isLast: false))
      account(id)
    }
    dirty.removeAll(keepingCapacity: true)
    let taken = effects
    effects = []
    return taken
  }
}

// MARK: Connections

extension Broker {
  /// A socket was accepted. Its client is greeted once it is known to speak this protocol.
  ///
  /// - Parameters:
  ///   - address: the client's.
  ///   - nonce: fresh random text that the client has to sign.
  mutating func accepted(from address: String, nonce: String, now: HostTime) -> ConnectionID {
    let origin = Origin(address)
    let isFull = connections.count >= limits.connections && !endStranger() && !endIdle(at: now)
    if strangers.count(of: origin) >= limits.unprovenConnectionsPerAddress,
      let oldest = strangers.oldest(of: origin)
    {
      end(unproven: oldest)
    }
    while strangers.count >= limits.unprovenConnections {
      guard endStranger() else { break }
    }
    let id = connections.insert { [limits] in
      Connection(id: $0, origin: origin, limits: limits, nonce: nonce, now: now)
    }
    counts.totalConnections += 1
    strangers.add(id, of: origin)
    if isFull {
      greet(id, at: address)
      counts.connectionsRefused += 1
      end(id, saying: "maximum connections exceeded")
    }
    return id
  }

  /// Introduces the relay to a client.
  ///
  /// - Parameters:
  ///   - address: the client's, for INFO.
  ///   - requiresTLS: whether the client has to begin TLS before it answers.
  mutating func greet(_ id: ConnectionID, at address: String, requiresTLS: Bool = false) {
    guard connections.contains(id) else { return }
    write(introduction(to: id, at: address, requiresTLS: requiresTLS), to: id)
  }

  /// The frames of a WebSocket arrived, whose bytes follow.
  mutating func framesReceived(_ count: Int, from id: ConnectionID) {
    guard connections.contains(id) else { return }
    spend(operations: Double(count), by: id)
    if connections[id].isOverRate, !connections[id].isPaused { pause(id) }
  }

  /// The socket receives no more bytes.
  ///
  /// - Returns: a Boolean value that indicates whether everything has been processed; if not, a ``Effect/resume(_:)``
  ///   follows when it has.
  mutating func inputEnded(_ id: ConnectionID) -> Bool {
    hold(id)
    return !connections[id].isPaused && connections[id].turn == .none
  }

  /// The socket was closed, by either side.
  mutating func closed(_ id: ConnectionID) { forget(id) }

  /// The socket took bytes of a write effect.
  mutating func wrote(_ count: Int, to id: ConnectionID, now: HostTime) {
    guard connections.contains(id) else { return }
    connections[id].wrote(count, now: now)
    account(id)
    if connections[id].bytesInFlight == 0, !connections[id].output.isEmpty {
      markDirty(id)
    }
  }

  /// The socket received bytes.
  mutating func received(_ bytes: [UInt8], from id: ConnectionID, now: HostTime) {
    guard connections.contains(id) else { return }
    connections[id].heard(at: now)
    connections[id].refill(limits, at: now)
    spend(bytes: Double(bytes.count), by: id)
    connections[id].parser.append(bytes)
    if connections[id].turn != .none {
      hold(id)
    } else if !connections[id].isPaused {
      processInTurn(id, now: now)
    }
    account(id)
  }

  /// A pause ended.
  mutating func resume(_ id: ConnectionID, now: HostTime) {
    guard connections.contains(id), connections[id].isPaused else { return }
    connections[id].refill(limits, at: now)
    connections[id].heard(at: now)
    connections[id].isPaused = false
    processInTurn(id, now: now)
    account(id)
    if connections.contains(id), !connections[id].isPaused { effects.append(.resume(id)) }
  }

  /// Performs the received operations, as far as the connection's rate and its party's work allow.
  mutating func process(_ id: ConnectionID) {
    // Taken out while operations change the connections, so that it isn't copied.
    var parser = connections[id].takeParser()
    do throws(ProtocolViolation) {
      while connections.contains(id), !connections[id].isOverRate, mayWork(id),
        let operation = try parser.next()
      {
        spend(operations: 1, by: id)
        try perform(operation, by: id, &parser)
      }
      guard connections.contains(id) else { return }
      parser.compact()
      connections[id].parser = parser
      if connections[id].isOverRate {
        pause(id)
      } else if !mayWork(id) {
        endTurn(of: id)
      }
    } catch {
      if error == .authorizationViolation {
        counts.authorizationFailures += 1
      } else {
        counts.protocolErrors += 1
      }
      end(id, saying: error.wording)
    }
  }

  /// Stops reading from a connection until it is within its rate again.
  private mutating func pause(_ id: ConnectionID) {
    connections[id].isPaused = true
    counts.throttles += 1
    effects.append(.pause(id, for: connections[id].wait(limits)))
  }

  /// Checks all connections after time has passed: for clients that don't prove their key, don't answer or don't read.
  mutating func tick(now: HostTime) {
    // Writing to one connection may end it, or the one that holds most.
    for id in connections.ids where connections.contains(id) {
      guard let verdict = connections[id].check(limits, now: now) else { continue }
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

  /// - Parameter address: the client's address; nil omits it.
  private func introduction(
    to id: ConnectionID, at address: String? = nil, requiresTLS: Bool = false
  ) -> String {
    var info = server
    info.requiresTLS = requiresTLS
    info.clientID = UInt64(id.number)
    info.clientAddress = address
    info.nonce = connections[id].nonce
    info.isLameDuck = isLameDuck
    return info.line
  }

  /// Announces to all clients that the server is about to end, so that they look for another one. Asks for a pong as
  /// the sign that they have read so far: a client may discard what it hasn't read when its connection ends.
  mutating func announceShutdown() {
    isLameDuck = true
    // Writing to one connection may end it, or the one that holds most.
    for id in connections.ids where connections.contains(id) {
      let connection = connections[id]
      guard connection.party != nil, !connection.isAttachment else { continue }
      connections[id].owesLastPong = true
      write(introduction(to: id), to: id)
      write("PING\r\n", to: id)
    }
  }

  /// Ends one connection that hasn't proved a key, so that strangers don't keep members out.
  ///
  /// - Returns: false if there is none.
  private mutating func endStranger() -> Bool {
    guard let stranger = strangers.dispensable else { return false }
    end(unproven: stranger)
    return true
  }

  /// Ends a connection that is old enough and has proved a key but has no subscription; a participant subscribes at once.
  ///
  /// - Parameter origin: the only origin whose connections count; nil for all.
  /// - Returns: false if there is none.
  private mutating func endIdle(of origin: Origin? = nil, at now: HostTime) -> Bool {
    let oldest = if let origin { idle.oldest(of: origin) } else { idle.dispensable }
    guard let id = oldest, now - connections[id].openedAt >= limits.idleTimeout else {
      return false
    }
    counts.connectionsRefused += 1
    end(id, saying: "maximum connections exceeded")
    return true
  }

  private mutating func end(unproven id: ConnectionID) {
    counts.authorizationFailures += 1
    end(id, saying: "Authentication Timeout")
  }

  mutating func forget(_ id: ConnectionID) {
    guard let connection = connections.retire(id) else { return }
    heldBytes -= connection.accounted
    guard let key = connection.party else {
      if let origin = connection.origin { strangers.remove(id, of: origin) }
      return
    }
    for subscription in connection.subscriptions.values {
      guard let removed = subscriptions.remove(subscription) else { continue }
      parties[key]!.index.remove(subscription, at: removed.subject, group: removed.group)
    }
    provenCount -= 1
    if let origin = connection.origin {
      idle.remove(id, of: origin)
      let rest = provenByOrigin[origin]! - 1
      provenByOrigin[origin] = rest == 0 ? nil : rest
    }
    parties[key]!.members -= 1
    if parties[key]!.members == 0 { parties[key] = nil }
  }

  /// Ends a connection, after it has been sent its queued output and the reason.
  mutating func end(_ id: ConnectionID, saying wording: String) {
    guard connections.contains(id) else { return }
    let output = connections[id].output + "-ERR '\(wording)'\r\n".utf8
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
  /// Attaches a participant in the relay's own process, without a socket.
  ///
  /// - Returns: nil if its key isn't admitted or there are too many connections.
  mutating func attach(admissionPublicKey key: [UInt8], now: HostTime) -> ConnectionID? {
    guard admits(key) else {
      counts.authorizationFailures += 1
      return nil
    }
    guard hasRoom(inPartyOf: key),
      connections.count < limits.connections || endStranger() || endIdle(at: now)
    else {
      counts.connectionsRefused += 1
      return nil
    }
    let id = connections.insert { [limits] in
      Connection(id: $0, origin: nil, limits: limits, nonce: "", now: now)
    }
    counts.totalConnections += 1
    connections[id].isAttachment = true
    connections[id].wantsEcho = false
    join(id, party: key, at: now)
    return id
  }

  /// - Returns: the text that a client would have received with -ERR, or nil.
  mutating func subscribe(
    _ id: ConnectionID, to subject: Subject, group: [UInt8]? = nil, sid: [UInt8]
  ) -> String? {
    guard connections.contains(id) else { return nil }
    return addSubscription(id, subject: subject, group: group, sid: sid)
  }

  mutating func unsubscribe(_ id: ConnectionID, sid: [UInt8]) {
    guard connections.contains(id), let subscription = connections[id].subscriptions[sid] else {
      return
    }
    remove(subscription)
  }

  mutating func publish(_ payload: ArraySlice<UInt8>, to subject: Subject, from id: ConnectionID) {
    guard connections.contains(id) else { return }
    publish(ClientMessage(subject: subject, payload: payload), by: id)
  }

  func admits(_ key: [UInt8]) -> Bool {
    switch admission {
    case .only(let keys): keys.contains(key)
    case .anyKey: key.count == 32
    }
  }

  func hasRoom(inPartyOf key: [UInt8]) -> Bool {
    guard let limit = limits.connectionsPerParty else { return true }
    return parties[key].map { $0.members < limit } ?? true
  }

  mutating func join(_ id: ConnectionID, party key: [UInt8], at now: HostTime) {
    let work = TokenBucket(limits.promptWork, at: now)
    parties[key, default: PartySpace(admissionPublicKey: key, work: work)].members += 1
    // The party's own copy of its key serves all of its connections.
    connections[id].party = parties[key]!.key
    provenCount += 1
    if let origin = connections[id].origin {
      strangers.remove(id, of: origin)
      idle.add(id, of: origin)
      provenByOrigin[origin, default: 0] += 1
    }
  }

  /// Returns the wording of the refusal of one more connection that has proved a key; nil to accept it. An idle
  /// connection makes room.
  mutating func refusal(
    ofMemberFrom origin: Origin?, party key: [UInt8], at now: HostTime
  ) -> String? {
    guard hasRoom(inPartyOf: key) else { return "maximum account active connections exceeded" }
    if let limit = limits.connectionsPerAddress, let origin,
      provenByOrigin[origin, default: 0] >= limit, !endIdle(of: origin, at: now)
    {
      return "maximum connections of one address exceeded"
    }
    let isKnown = parties[key] != nil
    let kept = min(limits.connectionsForKnownParties, limits.connections / 4)
    guard isKnown || provenCount < limits.connections - kept || endIdle(at: now) else {
      return "maximum connections exceeded"
    }
    return nil
  }
}

// MARK: Output and memory

extension Broker {
  mutating func write(_ text: String, to id: ConnectionID) {
    guard connections.contains(id) else { return }
    connections[id].output += text.utf8
    hasWritten(to: id)
  }

  /// A reader that doesn't take answers is as slow as one that doesn't take messages.
  mutating func hasWritten(to id: ConnectionID) {
    markDirty(id)
    if connections[id].pendingBytes > limits.pendingBytes {
      cutSlowConsumer(id)
    } else {
      account(id)
    }
  }

  private mutating func markDirty(_ id: ConnectionID) {
    guard !connections[id].isDirty else { return }
    connections[id].isDirty = true
    dirty.append(id)
  }

  /// Updates the sum of the held bytes after a change of one connection. If the sum is too large, the connection that
  /// holds most is cut off, which need not be the changed one.
  mutating func account(_ id: ConnectionID) {
    guard connections.contains(id) else { return }
    let held = connections[id].heldBytes
    heldBytes += held - connections[id].accounted
    connections[id].accounted = held
    while heldBytes > limits.heldBytes {
      let sockets = connections.ids.lazy.filter { [connections] in !connections[$0].isAttachment }
      guard
        let greediest = sockets.max(by: { [connections] in
          connections[$0].accounted < connections[$1].accounted
        })
      else { return }
      counts.memoryCuts += 1
      forget(greediest)
      effects.append(.cut(greediest))
    }
  }
}
