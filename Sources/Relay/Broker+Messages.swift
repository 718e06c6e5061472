import NATSProtocol

/// The delivery of messages, from their publisher to the subscribers.
extension Broker {
  /// The share of an operation, and of the message's bytes, that each copy costs the publisher:
  /// most of the relay's work is to send copies.
  private static let copyCost = 0.25

  mutating func publish(_ message: ClientMessage, by id: ConnectionID) {
    let key = connections[id].party!
    connections[id].messages.spend(
      message.payload.count >= RelayConfiguration.Limits.largeMessage
        ? RelayConfiguration.Limits.largeMessageCost : 1)
    counts.messagesIn += 1
    counts.bytesIn += message.payload.count
    guard parties[key]?.allowsPublishing(to: message.subject) ?? false else {
      refusePublishing(message.subject, by: id)
      return
    }
    let match = parties[key]!.index.match(message.subject)
    let copies = match.isEmpty ? 0 : deliver(message, to: match, by: id)
    guard copies > 0, connections.contains(id) else { return }
    spend(
      operations: Double(copies) * Self.copyCost,
      bytes: Double(copies * message.payload.count) * Self.copyCost, by: id)
  }

  private mutating func refusePublishing(_ subject: Subject, by id: ConnectionID) {
    let refusal = "Permissions Violation for Publish to \(subject.quoted)"
    if connections[id].isAttachment {
      effects.append(.warn(refusal, to: id))
    } else {
      write("-ERR '\(refusal)'\r\n", to: id)
    }
  }

  /// - Returns: the number of subscriptions that received the message.
  private mutating func deliver(
    _ message: ClientMessage, to match: SubjectIndex.Match, by id: ConnectionID
  ) -> Int {
    let (outgoing, echo) = (OutgoingMessage(message), connections[id].wantsEcho)
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

    counts.messagesOut += 1
    counts.bytesOut += message.payload.count
    if connections[destination].isAttachment {
      effects.append(
        .deliver(subject: message.subject, payload: message.payload, to: destination))
    } else {
      outgoing.write(to: &connections[destination].output, sid: subscriptions[id].sid)
      hasWritten(to: destination)
    }
    return true
  }
}
