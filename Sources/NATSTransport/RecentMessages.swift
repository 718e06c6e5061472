import Synchronization

/// While there are two connections at once, tells what came over one of them from what is new, and what we
/// sent ourselves over the other.
///
/// Sealed messages never repeat, so the same bytes are the same message.
final class RecentMessages: Sendable {
  /// How many connections there are on the way out.
  private let watches = Atomic(0)
  private let seen = Mutex<Set<Int>>([])

  /// A second's worth of ten times what a party may say. Beyond it, what comes twice is taken twice: the
  /// session layer knows its events by number.
  private static let limit = 16384

  /// From here on, for as long as there are two.
  func begin() { watches.add(1, ordering: .acquiringAndReleasing) }

  func end() {
    guard watches.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    seen.withLock { $0 = [] }
  }

  /// - Returns: false for what has been noted before.
  func note(_ payload: [UInt8], of subject: String) -> Bool {
    guard watches.load(ordering: .acquiring) > 0 else { return true }
    var hasher = Hasher()
    hasher.combine(subject)
    payload.withUnsafeBytes { hasher.combine(bytes: $0) }
    let hash = hasher.finalize()
    return seen.withLock { seen in seen.count >= Self.limit || seen.insert(hash).inserted }
  }
}
