import Timekeeping

/// Counts who is here without knowing all of them: in a large party the roster is a sample, and this says of
/// how many.
///
/// It keeps the identities whose hash begins with so many zeros, more of them as there are more
/// (RFC 2762 describes the like for RTP), so that its size is bounded whoever comes.
struct Census: Hashable, Sendable {
  private var lastHeard: [UInt64: HostTime] = [:]
  /// How many leading zeros a hash must have.
  private var zeros = 0
  /// Nobody else can tell who will be kept.
  private let salt: UInt64

  static let limit = 1024

  init(salt: UInt64) { self.salt = salt }

  /// How many others were heard of late, about.
  var count: Int { lastHeard.count << zeros }

  mutating func heard(_ id: Participant.ID, at now: HostTime) {
    let hash = hash(id)
    guard hash.leadingZeroBitCount >= zeros else { return }
    lastHeard[hash] = now
    while lastHeard.count > Self.limit {
      zeros += 1
      lastHeard = lastHeard.filter { $0.key.leadingZeroBitCount >= zeros }
    }
  }

  mutating func left(_ id: Participant.ID) { lastHeard[hash(id)] = nil }

  /// Forgets who was silent for longer than `limit`.
  mutating func forget(silentSince limit: HostTime) {
    lastHeard = lastHeard.filter { $0.value >= limit }
    // Few are left: from now on more are kept, who count once they are heard.
    if zeros > 0, lastHeard.count < Self.limit / 8 { zeros -= 1 }
  }

  /// SplitMix64's finalizer: identities are hashes already, this only hides which are kept.
  private func hash(_ id: Participant.ID) -> UInt64 {
    var value = id.low ^ salt
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
