import DequeModule

/// The latest sealed messages that were opened, to recognize one that comes again before any cryptography.
///
/// Only what was authentic is remembered, so that nobody can have another's message taken for an old one.
struct SeenEnvelopes: Sendable {
  private var order = Deque<Int>()
  private var fingerprints: Set<Int> = []

  /// Minutes of what a party says.
  static let capacity = 8192

  func contains(_ sealed: [UInt8], from subject: String) -> Bool {
    fingerprints.contains(Self.fingerprint(of: sealed, subject))
  }

  mutating func insert(_ sealed: [UInt8], from subject: String) {
    let fingerprint = Self.fingerprint(of: sealed, subject)
    guard fingerprints.insert(fingerprint).inserted else { return }
    order.append(fingerprint)
    if order.count > Self.capacity { fingerprints.remove(order.removeFirst()) }
  }

  /// Returns a hash with this process's own key, for which collisions can't be prepared; of a long message its
  /// beginning and its end, with the nonce and the authentication tag.
  private static func fingerprint(of sealed: [UInt8], _ subject: String) -> Int {
    var hasher = Hasher()
    hasher.combine(subject)
    hasher.combine(sealed.count)
    for part in [sealed.prefix(512), sealed.dropFirst(512).suffix(512)] {
      part.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }
}
