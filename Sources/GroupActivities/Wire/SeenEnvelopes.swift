import DequeModule

/// The latest sealed messages that were opened, to recognize a repeated one before any cryptography.
///
/// Only authentic messages are recorded, so that a participant can't make another's message look repeated.
struct SeenEnvelopes: Sendable {
  private var order = Deque<Fingerprint>()
  private var fingerprints: Set<Fingerprint> = []

  /// The number of messages that are recorded: some minutes of a party's traffic.
  static let capacity = 8192

  func contains(_ fingerprint: Fingerprint) -> Bool { fingerprints.contains(fingerprint) }

  mutating func insert(_ fingerprint: Fingerprint) {
    guard fingerprints.insert(fingerprint).inserted else { return }
    order.append(fingerprint)
    if order.count > Self.capacity { fingerprints.remove(order.removeFirst()) }
  }

  /// A hash of a sealed message with this process's own key, which prevents prepared collisions. For a long
  /// message it covers the beginning and the end, with the nonce and the authentication tag.
  struct Fingerprint: Hashable, Sendable {
    private let hash: Int

    init(of sealed: [UInt8], from subject: String) {
      var hasher = Hasher()
      hasher.combine(subject)
      hasher.combine(sealed.count)
      for part in [sealed.prefix(512), sealed.dropFirst(512).suffix(512)] {
        part.withUnsafeBytes { hasher.combine(bytes: $0) }
      }
      hash = hasher.finalize()
    }
  }
}
