import NATSProtocol

/// The clients' operations.
extension Broker {
  /// The cost, in operations, of work that takes more than a line: verifying a signature, changing the index.
  private static let verificationCost = 200.0
  private static let subscriptionCost = 3.0

  mutating func perform(
    _ operation: ClientOperation, by id: ConnectionID, _ parser: inout ClientOperationParser
  ) throws(ProtocolViolation) {
    switch operation {
    case .ping: write("PONG\r\n", to: id)
    case .pong: connections[id].owesLastPong = false
    case .connect(let json): try connect(id, json, &parser)
    case .publish(let message): publish(message, by: id)
    case .unsubscribe(let sid):
      spend(operations: Self.subscriptionCost, by: id)
      if let subscription = connections[id].subscriptions[sid] { remove(subscription) }
    case .subscribe(let subject, let group, let sid):
      spend(operations: Self.subscriptionCost, by: id)
      if let refusal = addSubscription(id, subject: subject, group: group, sid: sid) {
        write("-ERR '\(refusal)'\r\n", to: id)
      }
    }
  }

  /// Admits the client if it proves that it holds the key that it claims.
  private mutating func connect(
    _ id: ConnectionID, _ json: ArraySlice<UInt8>, _ parser: inout ClientOperationParser
  ) throws(ProtocolViolation) {
    spend(operations: Self.verificationCost, by: id)
    guard connections[id].party == nil else { throw .malformed }
    let options = try ConnectOptions(json: json)
    // Looking up whether the key is admitted costs less than verifying that the client holds it.
    guard let key = options.claimedKey, admits(key),
      options.proves(key, nonce: connections[id].nonce)
    else { throw .authorizationViolation }
    let (origin, now) = (connections[id].origin, connections[id].lastHeard)
    if let refusal = refusal(ofMemberFrom: origin, party: key, at: now) {
      counts.connectionsRefused += 1
      return end(id, saying: refusal)
    }
    join(id, party: key, at: now)
    connections[id].wantsEcho = options.echo ?? true
    parser.isAwaitingAuthorization = false
  }

  /// - Returns: the wording of the refusal, or nil.
  mutating func addSubscription(
    _ id: ConnectionID, subject: Subject, group: [UInt8]?, sid: [UInt8]
  ) -> String? {
    let key = connections[id].party!
    guard parties[key]!.allowsSubscribing(to: subject) else {
      return "Permissions Violation for Subscription to \(subject.quoted)"
    }
    guard connections[id].subscriptions.count < limits.subscriptionsPerConnection else {
      return "maximum subscriptions exceeded"
    }
    guard connections[id].subscriptions[sid] == nil else { return nil }
    guard subject.isValidPattern, subject.tokens.count <= limits.subjectTokens else {
      return "Invalid Subject"
    }
    let subscription = Subscription(connection: id, subject: subject, group: group, sid: sid)
    let number = subscriptions.insert { _ in subscription }
    if let origin = connections[id].origin, connections[id].subscriptions.isEmpty {
      idle.remove(id, of: origin)
    }
    connections[id].subscriptions[sid] = number
    connections[id].subscriptionBytes += subscription.cost
    parties[key]!.index.insert(number, at: subject, group: group)
    account(id)
    return nil
  }

  mutating func remove(_ id: SubscriptionID) {
    guard let subscription = subscriptions.remove(id) else { return }
    let connection = subscription.connection
    connections[connection].subscriptions[subscription.sid] = nil
    connections[connection].subscriptionBytes -= subscription.cost
    if let origin = connections[connection].origin, connections[connection].subscriptions.isEmpty {
      idle.add(connection, of: origin)
    }
    let key = connections[connection].party!
    parties[key]!.index.remove(id, at: subscription.subject, group: subscription.group)
    account(connection)
  }
}
