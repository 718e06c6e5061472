import Synchronization

/// The queue between the transport and the party's actor, for one consumer: see ``InboundLanes``.
final class PartyInbox: Sendable {
  private typealias Consumer = CheckedContinuation<InboundLanes.Turn?, Never>

  private struct State {
    var lanes = InboundLanes()
    var consumer: Consumer?
    var isFinished = false
  }

  private let state = Mutex(State())

  /// - Returns: false if the queue has ended.
  func put(_ item: InboundItem) -> Bool {
    var due: (consumer: Consumer, turn: InboundLanes.Turn)?
    let isOpen = state.withLock { state in
      guard !state.isFinished else { return false }
      state.lanes.put(item)
      if let consumer = state.consumer, let turn = state.lanes.take() {
        state.consumer = nil
        due = (consumer, turn)
      }
      return true
    }
    if let due { due.consumer.resume(returning: due.turn) }
    return isOpen
  }

  /// - Returns: nil at the end of the queue.
  func next() async -> InboundLanes.Turn? {
    await withCheckedContinuation { continuation in
      let ready: InboundLanes.Turn?? = state.withLock { state in
        if let turn = state.lanes.take() { return .some(turn) }
        if state.isFinished { return .some(nil) }
        precondition(state.consumer == nil, "a party's inbox has one consumer")
        state.consumer = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// Ends the queue. Idempotent.
  ///
  /// - Parameter isDiscarding: whether the waiting messages are discarded.
  func finish(discarding isDiscarding: Bool) {
    let consumer = state.withLock { state in
      state.isFinished = true
      if isDiscarding { state.lanes = InboundLanes() }
      return state.consumer.take()
    }
    consumer?.resume(returning: nil)
  }
}

/// Decrypts messages and chooses their lanes. That is little work for each, and is done for all that have arrived
/// before any of them is verified.
struct MessageSorter: Sendable {
  let sealer: EnvelopeSealer
  /// The latest messages, so that a replayed one costs next to nothing.
  private var seen = SeenEnvelopes()

  init(sealer: EnvelopeSealer) { self.sealer = sealer }

  mutating func sort(_ event: TransportEvent) -> InboundItem {
    guard case .received(let message) = event else { return .event(event) }
    return sort(message)
  }

  mutating func sort(_ message: TransportMessage) -> InboundItem {
    let fingerprint = SeenEnvelopes.Fingerprint(of: message.payload, from: message.subject)
    guard !seen.contains(fingerprint) else { return .refused(.repeated) }
    do {
      let original = try sealer.unseal(message.payload, from: message.subject)
      guard let (heading, payload) = sealer.claims(of: original) else {
        return .refused(.garbage)
      }
      seen.insert(fingerprint)
      return .message(
        OpenedMessage(
          heading: heading, lane: Self.lane(of: heading, payload: payload), original: original,
          subject: message.subject, receivedAt: message.receivedAt,
          size: message.payload.count))
    } catch {
      guard case .unknownKey(let key) = error else { return .refused(error) }
      return .sealed(
        SealedMessage(
          key: key, subject: message.subject, payload: message.payload,
          receivedAt: message.receivedAt))
    }
  }

  private static func lane(
    of heading: Envelope.Heading, payload: ArraySlice<UInt8>
  ) -> OpenedMessage.Lane {
    switch heading.delivery {
    case .event: EventMessage.isUrgent(encoded: payload) ? .urgent : .ordinary
    case .lane: .bulk
    case .beacon, .direct, .loose: .ordinary
    }
  }
}
