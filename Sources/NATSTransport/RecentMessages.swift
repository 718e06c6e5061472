import Synchronization

/// The messages that came over one of two simultaneous connections. It recognizes their copies over
/// the other one, and messages that this client sent over the other one.
///
/// Sealed messages never repeat, so the same bytes are the same message.
final class RecentMessages: Sendable {
  /// The number of connections that are being replaced.
  private let watches = Atomic(0)
  private let seen = Mutex<Set<Int>>([])

  /// The messages of one second at ten times the rate that a party allows. Above the limit a
  /// duplicate is delivered twice: the session layer recognizes its events by number.
  private static let limit = 16384

  /// Begins to note messages, for as long as there are two connections.
  func begin() { watches.add(1, ordering: .acquiringAndReleasing) }

  func end() {
    guard watches.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    seen.withLock { $0 = [] }
  }

  /// - Returns: false if the message was noted before.
  func note(_ payload: [UInt8], of subject: String) -> Bool {
    guard watches.load(ordering: .acquiring) > 0 else { return true }
    var hasher = Hasher()
    hasher.combine(subject)
    payload.withUnsafeBytes { hasher.combine(bytes: $0) }
    let hash = hasher.finalize()
    return seen.withLock { seen in seen.count >= Self.limit || seen.insert(hash).inserted }
  }
}
