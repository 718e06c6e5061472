/// What a newcomer to a large party hears between its welcome and its own arrival, of those whom nobody has
/// shown to it yet: a broker keeps the order, so whoever isn't in the welcome is heard here.
struct HeldOnArrival: Hashable, Sendable {
  private(set) var messages: [InboundMessage] = []
  private var baselines: [Participant.ID: UInt64] = [:]

  static let limit = 512

  /// - Parameter inbound: a beacon, or an event.
  /// - Returns: false when there is no room for it.
  mutating func hold(_ inbound: InboundMessage) -> Bool {
    guard messages.count < Self.limit else { return false }
    messages.append(inbound)
    guard baselines[inbound.sender] == nil else { return true }
    if case .beacon(let beacon) = inbound.message {
      baselines[inbound.sender] = beacon.lastEvent
    } else if inbound.sequence > 0 {
      baselines[inbound.sender] = inbound.sequence - 1
    }
    return true
  }

  /// Somebody's last event from before this participant listened; nil if it wasn't heard.
  func baseline(of id: Participant.ID) -> UInt64? { baselines[id] }
}
