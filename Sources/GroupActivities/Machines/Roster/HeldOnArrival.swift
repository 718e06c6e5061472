/// The messages of unknown participants that a newcomer to a large party receives between its welcome and its
/// own arrival. A broker keeps the order, so every participant that isn't in the welcome is heard here.
struct HeldOnArrival: Hashable, Sendable {
  private(set) var messages: [InboundMessage] = []
  private var baselines: [Participant.ID: UInt64] = [:]
  private var sizes: [Participant.ID: Int] = [:]
  /// The approximate memory of the messages, in bytes.
  private(set) var heldBytes = 0

  static let limit = 512
  /// The limits of all messages, and of one sender's, in bytes.
  static let sizeLimit = 2 << 20
  static let senderSizeLimit = 128 << 10

  /// - Parameter inbound: a beacon, or an event.
  /// - Returns: false if an older message of the same sender was dropped, or there is no room for this one.
  mutating func hold(_ inbound: InboundMessage) -> Bool {
    guard inbound.heldBytes <= Self.senderSizeLimit else { return false }
    var isComplete = true
    while sizes[inbound.sender, default: 0] + inbound.heldBytes > Self.senderSizeLimit,
      let oldest = messages.firstIndex(where: { $0.sender == inbound.sender })
    {
      account(messages.remove(at: oldest), isAdded: false)
      isComplete = false
    }
    guard messages.count < Self.limit, heldBytes + inbound.heldBytes <= Self.sizeLimit else {
      return false
    }
    messages.append(inbound)
    account(inbound, isAdded: true)
    learnBaseline(from: inbound)
    return isComplete
  }

  private mutating func account(_ inbound: InboundMessage, isAdded: Bool) {
    let change = isAdded ? inbound.heldBytes : -inbound.heldBytes
    sizes[inbound.sender, default: 0] += change
    heldBytes += change
  }

  private mutating func learnBaseline(from inbound: InboundMessage) {
    guard baselines[inbound.sender] == nil else { return }
    if case .beacon(let beacon) = inbound.message {
      baselines[inbound.sender] = beacon.lastEvent
    } else if inbound.sequence > 0 {
      baselines[inbound.sender] = inbound.sequence - 1
    }
  }

  /// Returns a participant's last event from before this participant listened; nil if the participant wasn't
  /// heard.
  func baseline(of id: Participant.ID) -> UInt64? { baselines[id] }
}
