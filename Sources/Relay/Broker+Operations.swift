/// The clients' operations.
extension Broker {
  /// The cost, in operations, of work that takes more than a line: verifying a signature, changing the index.
  private static let verificationCost = 200.0
  private static let subscriptionCost = 3.0

  mutating func perform(
    _ operation: ClientOperation, by id: ConnectionID, _ parser: inout ProtocolParser
  ) throws(ProtocolViolation) {
    switch operation {
    case .simple(.ping): write("PONG\r\n", to: id)
    case .simple(.pong): connections[id].owesLastPong = false
    case .simple(.ok): break
    case .info(let json): guard ConnectOptions.isObject(json) else { throw .malformed }
    case .connect(let json): try connect(id, json, &parser)
    case .publish(let message): publish(message, by: id)
    case .unsubscribe(let arguments):
      spend(operations: Self.subscriptionCost, by: id)
      unsubscribe(id, arguments)
      confirm(id)
    case .subscribe(let arguments):
      spend(operations: Self.subscriptionCost, by: id)
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
    _ id: ConnectionID, _ json: ArraySlice<UInt8>, _ parser: inout ProtocolParser
  ) throws(ProtocolViolation) {
    spend(operations: Self.verificationCost, by: id)
    try connections[id].options.update(from: json)
    try admit(id)
    guard connections.contains(id) else { return }
    let options = connections[id].options
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

  /// Verifies the key that CONNECT claims, unless that was done before and CONNECT claims nothing new.
  private mutating func admit(_ id: ConnectionID) throws(ProtocolViolation) {
    let options = connections[id].options
    let party = connections[id].party
    var hasher = Hasher()
    hasher.combine(options.nkey)
    hasher.combine(options.signature)
    let proof = hasher.finalize()
    let isRepeated =
      options.nkey.isEmpty && options.signature.isEmpty || proof == connections[id].proof
    if party == nil || !isRepeated {
      // Looking up whether the key is admitted costs less than verifying that the client holds it.
      guard let key = options.claimedKey, admits(key), party == nil || party == key,
        options.proves(key, nonce: connections[id].nonce)
      else { throw .authorizationViolation }
      if party == nil {
        let (origin, now) = (connections[id].origin, connections[id].lastHeard)
        if let refusal = refusal(ofMemberFrom: origin, party: key, at: now) {
          counts.connectionsRefused += 1
          return end(id, saying: refusal)
        }
        join(id, party: key, at: now)
      }
      connections[id].proof = proof
    }
    connections[id].options.nkey = ""
    connections[id].options.signature = ""
  }

  /// - Returns: the wording of the refusal, or nil.
  mutating func addSubscription(
    _ id: ConnectionID, subject: Subject, group: [UInt8]?, sid: [UInt8]
  ) -> String? {
    let key = connections[id].party!
    guard parties[key]!.allowsSubscribing(to: subject) else {
      let queue = group.map { " using queue \(goQuoted($0))" } ?? ""
      return "Permissions Violation for Subscription to \(goQuoted(subject.bytes))\(queue)"
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

  private mutating func unsubscribe(_ id: ConnectionID, _ arguments: UnsubscribeArguments) {
    guard let subscription = connections[id].subscriptions[arguments.sid] else { return }
    if let maximum = arguments.maximum, maximum > subscriptions[subscription].delivered {
      subscriptions[subscription].maximum = maximum
    } else {
      remove(subscription)
    }
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
