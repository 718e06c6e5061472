import DequeModule

/// The latest sealed messages that were opened, to recognize one that comes again before any cryptography.
///
/// Only what was authentic is remembered, so that nobody can have another's message taken for an old one.
struct SeenEnvelopes: Sendable {
  private var order = Deque<Fingerprint>()
  private var fingerprints: Set<Fingerprint> = []

  /// Minutes of what a party says.
  static let capacity = 8192

  func contains(_ fingerprint: Fingerprint) -> Bool { fingerprints.contains(fingerprint) }

  mutating func insert(_ fingerprint: Fingerprint) {
    guard fingerprints.insert(fingerprint).inserted else { return }
    order.append(fingerprint)
    if order.count > Self.capacity { fingerprints.remove(order.removeFirst()) }
  }

  /// A hash of a sealed message with this process's own key, for which collisions can't be prepared; of a long message
  /// its beginning and its end, with the nonce and the authentication tag.
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
