/// What a newcomer to a large party hears between its welcome and its own arrival, of those whom nobody has
/// shown to it yet: a broker keeps the order, so whoever isn't in the welcome is heard here.
struct HeldOnArrival: Hashable, Sendable {
  private(set) var messages: [InboundMessage] = []
  private var baselines: [Participant.ID: UInt64] = [:]
  private var sizes: [Participant.ID: Int] = [:]
  /// The memory of the messages, in bytes, about.
  private(set) var heldBytes = 0

  static let limit = 512
  /// Bytes of all messages, and of one sender's.
  static let sizeLimit = 2 << 20
  static let senderSizeLimit = 128 << 10

  /// - Parameter inbound: a beacon, or an event.
  /// - Returns: false when that cost an older message of the same sender, or there is no room for it.
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

  /// Somebody's last event from before this participant listened; nil if it wasn't heard.
  func baseline(of id: Participant.ID) -> UInt64? { baselines[id] }
}
