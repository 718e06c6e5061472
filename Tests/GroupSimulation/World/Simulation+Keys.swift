import Timekeeping

@testable import GroupActivities

/// What each participant could read: the keys of which it obtained the secret, and the messages that wait for theirs.
///
/// Everything that was ever sealed for a participant counts, whether or not it arrived, and also after its removal.
struct SimulatedSeals {
  private var keys: [Participant.ID: Set<ContentKeyID>] = [:]
  private var waiting: [UInt64: Simulation.Delivery] = [:]
  private var count: UInt64 = 0
  /// The events that a planted bug forgot: neither sent nor sent again.
  var forgotten: Set<Event> = []

  struct Event: Hashable {
    var sender: Participant.ID
    var sequence: UInt64
  }

  /// Returns whether a participant holds a key, or could.
  func knows(_ id: Participant.ID, _ key: ContentKeyID) -> Bool {
    key == .invite || keys[id]?.contains(key) == true
  }

  mutating func add(_ key: ContentKeyID, to id: Participant.ID) {
    keys[id, default: []].insert(key)
  }

  /// Notes for whom secrets are sealed.
  mutating func note(_ shares: KeyShares) {
    for share in shares.shares {
      let exchange = KeyExchange.trusting(share.recipient)
      guard let bytes = exchange.open(share.sealed, []),
        let secret = EpochSecret(epoch: shares.epoch, bytes: bytes)
      else { continue }
      add(secret.id, to: share.recipient)
    }
  }

  mutating func hold(_ delivery: Simulation.Delivery, receivedAt: HostTime) -> SealedMessage {
    count += 1
    waiting[count] = delivery
    return SealedMessage(
      key: delivery.key, subject: "", payload: count.bigEndianBytes, receivedAt: receivedAt)
  }

  mutating func take(_ message: SealedMessage) -> Simulation.Delivery? {
    waiting.removeValue(forKey: UInt64(bigEndianBytes: message.payload))
  }
}

extension Simulation {
  /// Sends a message under the key that the sender's machine chooses for it, as ``Party`` does.
  func seal(
    _ message: WireMessage, _ sequence: UInt64, from sender: SimulatedParticipant,
    to recipient: PartyAction.Recipient
  ) {
    let isEvent = message.delivery == .event
    let event = SimulatedSeals.Event(sender: sender.id, sequence: sequence)
    var key = sender.party.key(toSend: message, sequence: sequence, to: recipient)
    mutation.key(&key, message, sender)
    guard let key else {
      if mutation.forgetsHeldEvents, isEvent { seals.forgotten.insert(event) }
      return
    }
    guard !isEvent || !seals.forgotten.contains(event) else { return }
    if case .direct(.keyShares(let shares)) = message { seals.note(shares) }
    let (keys, removed) = sender.inParty {
      ($0.policy.keys.secrets.entries.map(\.id), $0.rules.removed)
    }
    for id in keys { seals.add(id, to: sender.id) }
    if !removed.isEmpty { note(.sealed(message, under: key), at: sender) }
    send(message, sequence, from: sender, to: recipient, under: key)
  }

  /// Lets a message wait at its receiver for its key.
  func hold(_ delivery: Delivery, receivedAt: HostTime, by receiver: SimulatedParticipant) {
    let sealed = seals.hold(delivery, receivedAt: receivedAt)
    act(receiver) { $0.received(sealed, at: $1) }
  }
}
