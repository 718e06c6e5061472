import Timekeeping

/// The messages whose key this participant doesn't hold yet. Anyone can invent such messages, so their number, size
/// and time are limited; the oldest go first. An event that is lost with them is repaired.
struct UnopenedMessages: Hashable, Sendable {
  private struct Entry: Hashable {
    var message: SealedMessage
    var heldSince: HostTime
  }

  private var entries: [Entry] = []
  private var byteCount = 0
  /// The number of messages whose key never came.
  private(set) var discardedCount = 0

  static let limit = 128
  static let sizeLimit = 512 << 10
  /// The time for which a message waits for its key.
  static let patience = Duration.seconds(10)

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  /// The key of the newest message.
  var newestKey: ContentKeyID? { entries.last?.message.key }

  mutating func hold(_ message: SealedMessage, at now: HostTime) {
    guard message.payload.count <= Self.sizeLimit else { return }
    entries.append(Entry(message: message, heldSince: now))
    byteCount += message.payload.count
    while entries.count > Self.limit || byteCount > Self.sizeLimit {
      byteCount -= entries.removeFirst().message.payload.count
      discardedCount += 1
    }
  }

  /// Returns the messages under a key, in their order, and no longer holds them.
  mutating func take(_ key: ContentKeyID) -> [SealedMessage] {
    let taken = entries.filter { $0.message.key == key }.map(\.message)
    entries.removeAll { $0.message.key == key }
    byteCount -= taken.reduce(0) { $0 + $1.payload.count }
    return taken
  }

  mutating func forget(at now: HostTime) {
    while let oldest = entries.first, now >= oldest.heldSince + Self.patience {
      byteCount -= oldest.message.payload.count
      entries.removeFirst()
      discardedCount += 1
    }
  }

  var nextExpiry: HostTime? { entries.first.map { $0.heldSince + Self.patience } }
}

/// The events that this participant couldn't send yet, because it lacks the key of the epoch. The newest ones beyond
/// the limit aren't held: the others ask for them.
struct HeldEvents: Hashable, Sendable {
  struct Event: Hashable, Sendable {
    var message: EventMessage
    var sequence: UInt64
  }

  private(set) var events: [Event] = []

  static let limit = 64

  mutating func hold(_ event: Event) {
    guard events.count < Self.limit else { return }
    events.append(event)
  }

  mutating func take() -> [Event] {
    defer { events = [] }
    return events
  }
}
