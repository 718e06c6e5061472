import OrderedCollections
import Timekeeping

/// The probes that this participant sent and that aren't answered yet.
struct SentProbes: Sendable {
  struct Probe: Hashable {
    var peer: Participant.ID
    var sentAt: HostTime
  }

  /// The probes by their nonces, oldest first.
  private(set) var pending: OrderedDictionary<UInt64, Probe> = [:]

  /// The number of probes. One more displaces the oldest.
  static let limit = 256

  mutating func add(_ nonce: UInt64, to peer: Participant.ID, at now: HostTime) {
    if pending.count >= Self.limit { pending.removeFirst() }
    pending[nonce] = Probe(peer: peer, sentAt: now)
  }

  func contains(_ nonce: UInt64, to peer: Participant.ID) -> Bool { pending[nonce]?.peer == peer }

  /// Removes a probe that was answered.
  ///
  /// - Returns: the time at which the probe was sent; nil if none with this nonce was sent to the participant, or if it
  ///   was answered before.
  mutating func answered(_ nonce: UInt64, by peer: Participant.ID) -> HostTime? {
    guard let probe = pending[nonce], probe.peer == peer else { return nil }
    pending[nonce] = nil
    return probe.sentAt
  }

  /// Forgets the probes that are older than `age`.
  mutating func forget(olderThan age: Duration, at now: HostTime) {
    while let (nonce, oldest) = pending.elements.first, now - oldest.sentAt > age {
      pending[nonce] = nil
    }
  }
}
