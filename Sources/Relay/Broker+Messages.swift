/// The delivery of messages, from their publisher to the subscribers.
extension Broker {
  /// The share of an operation, and of the message's bytes, that each copy costs the publisher:
  /// most of the relay's work is to send copies.
  private static let copyCost = 0.25

  mutating func publish(_ message: ClientMessage, by id: ConnectionID) {
    let options = connections[id].options
    let key = connections[id].party!
    connections[id].messages.spend(
      message.size >= RelayConfiguration.Limits.largeMessage
        ? RelayConfiguration.Limits.largeMessageCost : 1)
    if options.isPedantic && !message.subject.isLiteral {
      write("-ERR 'Invalid Publish Subject'\r\n", to: id)
    }
    counts.messagesIn += 1
    counts.bytesIn += message.size
    guard parties[key]?.allowsPublishing(to: message.subject) ?? false else {
      refusePublishing(message.subject, by: id)
      return
    }
    // The answers written above may exceed the limit for a publisher that doesn't read.
    confirm(id)
    guard connections.contains(id) else { return }
    let match = parties[key]!.index.match(message.subject)
    let copies = match.isEmpty ? 0 : deliver(message, to: match, by: id, echo: options.echo)
    guard connections.contains(id) else { return }
    if copies == 0 {
      if options.noResponders, let reply = message.reply { reportNoResponders(to: reply, by: id) }
    } else {
      spend(
        operations: Double(copies) * Self.copyCost,
        bytes: Double(copies * message.size) * Self.copyCost, by: id)
    }
  }

  private mutating func refusePublishing(_ subject: Subject, by id: ConnectionID) {
    let refusal = "Permissions Violation for Publish to \(goQuoted(subject.bytes))"
    guard connections.contains(id) else { return }
    if connections[id].isAttachment {
      effects.append(.warn(refusal, to: id))
    } else {
      write("-ERR '\(refusal)'\r\n", to: id)
    }
  }

  /// - Returns: the number of subscriptions that received the message.
  private mutating func deliver(
    _ message: ClientMessage, to match: SubjectIndex.Match, by id: ConnectionID, echo: Bool
  ) -> Int {
    let outgoing = OutgoingMessage(message)
    var copies = 0
    for subscription in match.plain
    where deliver(message, outgoing, to: subscription, by: id, echo: echo) { copies += 1 }
    for group in match.groups.values
    where deliver(message, outgoing, toOneOf: group, by: id, echo: echo) { copies += 1 }
    return copies
  }

  /// Delivers to a random member of the group, or to the next member that can have the message.
  private mutating func deliver(
    _ message: ClientMessage, _ outgoing: OutgoingMessage, toOneOf group: [SubscriptionID],
    by id: ConnectionID, echo: Bool
  ) -> Bool {
    let start = Int.random(in: 0..<group.count, using: &random)
    for offset in 0..<group.count {
      let member = group[(start + offset) % group.count]
      if deliver(message, outgoing, to: member, by: id, echo: echo) { return true }
    }
    return false
  }

  private mutating func deliver(
    _ message: ClientMessage, _ outgoing: OutgoingMessage, to id: SubscriptionID,
    by publisher: ConnectionID, echo: Bool
  ) -> Bool {
    // This subscription may be gone: an earlier copy of the message may have ended a slow reader.
    guard subscriptions.contains(id) else { return false }
    let destination = subscriptions[id].connection
    guard echo || destination != publisher else { return false }

    subscriptions[id].delivered += 1
    counts.messagesOut += 1
    counts.bytesOut += message.size
    if connections[destination].isAttachment {
      effects.append(
        .deliver(subject: message.subject, payload: message.payload, to: destination))
    } else {
      let readsHeaders = connections[destination].options.headers
      outgoing.write(
        to: &connections[destination].output, sid: subscriptions[id].sid,
        readsHeaders: readsHeaders)
      hasWritten(to: destination)
    }
    if subscriptions.contains(id), subscriptions[id].isSpent { remove(id) }
    return true
  }

  /// Answers a request that reached no subscription at once, so that the client need not wait:
  /// sends an empty message of status 503 to the client's own subscription to the reply.
  private mutating func reportNoResponders(to reply: Subject, by id: ConnectionID) {
    let key = connections[id].party!
    let match = parties[key]!.index.match(reply)
    guard let own = match.plain.first(where: { subscriptions[$0].connection == id }) else {
      return
    }
    let status = ClientMessage(
      subject: reply, headers: ArraySlice("NATS/1.0 503\r\n\r\n".utf8), payload: [])
    OutgoingMessage(status).write(
      to: &connections[id].output, sid: subscriptions[own].sid, readsHeaders: true)
    hasWritten(to: id)
  }
}

extension ClientMessage {
  fileprivate var size: Int { payload.count + (headers?.count ?? 0) }
}
