import Timekeeping

/// Estimates the number of participants without knowing all of them. In a large party the roster is only a
/// sample.
///
/// It stores the identities whose hash begins with a number of zeros, which grows with the number of
/// participants (RFC 2762 describes a similar method for RTP). Its size is therefore bounded.
struct PopulationEstimate: Hashable, Sendable {
  private var lastHeard: [UInt64: HostTime] = [:]
  /// The number of leading zeros that a stored hash must have.
  private var zeros = 0
  /// A random number, so that other participants can't predict which identities are stored.
  private let salt: UInt64

  static let limit = 1024

  init(salt: UInt64) { self.salt = salt }

  /// The approximate number of other participants that were heard recently.
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

  /// Forgets the participants that were silent for longer than `limit`.
  mutating func forget(silentSince limit: HostTime) {
    lastHeard = lastHeard.filter { $0.value >= limit }
    // Few are left, so from now on more are stored. They count once they are heard.
    if zeros > 0, lastHeard.count < Self.limit / 8 { zeros -= 1 }
  }

  /// SplitMix64's finalizer. Identities are hashes already; this only hides which of them are stored.
  private func hash(_ id: Participant.ID) -> UInt64 {
    var value = id.low ^ salt
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
