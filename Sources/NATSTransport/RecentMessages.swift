import Synchronization

/// The messages that came over one of two simultaneous connections, and those that this client sent last. It recognizes
/// the former's copies over the other connection, and the latter when a server returns them over the other one.
///
/// Sealed messages never repeat, so the same bytes are the same message.
final class RecentMessages: Sendable {
  /// The number of connections that are being replaced.
  private let watches = Atomic(0)
  private let received = Mutex<Set<Int>>([])
  /// Noted even while there is one connection: a message that was sent before the second one began may reach the second
  /// one's server after its subscriptions.
  private let sent = Mutex(LastHashes())

  /// The messages of one second at ten times the rate that a party allows. Above the limit a
  /// duplicate is delivered twice: the session layer recognizes its events by number.
  private static let limit = 16384

  /// Begins to note the messages that arrive, for as long as there are two connections.
  func begin() { watches.add(1, ordering: .acquiringAndReleasing) }

  func end() {
    guard watches.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    received.withLock { $0 = [] }
  }

  /// Notes a message before it is sent.
  func noteSent(_ payload: [UInt8], to subject: String) {
    let hash = Self.hash(payload, subject)
    sent.withLock { $0.insert(hash) }
  }

  /// Notes a message that has arrived.
  ///
  /// - Returns: false if it had arrived before, or is this client's own.
  func noteReceived(_ payload: [UInt8], of subject: String) -> Bool {
    guard watches.load(ordering: .acquiring) > 0 else { return true }
    let hash = Self.hash(payload, subject)
    guard !sent.withLock({ $0.contains(hash) }) else { return false }
    return received.withLock { received in
      received.count >= Self.limit || received.insert(hash).inserted
    }
  }

  private static func hash(_ payload: [UInt8], _ subject: String) -> Int {
    var hasher = Hasher()
    hasher.combine(subject)
    payload.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}

/// The hashes of the last messages: at least ``limit`` of them, and at most twice as many.
private struct LastHashes {
  /// More than can wait to be sent (``Publisher``), and as many again on their way.
  static let limit = 4096

  private var older: Set<Int> = []
  private var newer: Set<Int> = []

  mutating func insert(_ hash: Int) {
    if newer.count >= Self.limit {
      swap(&older, &newer)
      newer.removeAll(keepingCapacity: true)
    }
    newer.insert(hash)
  }

  func contains(_ hash: Int) -> Bool { newer.contains(hash) || older.contains(hash) }
}
