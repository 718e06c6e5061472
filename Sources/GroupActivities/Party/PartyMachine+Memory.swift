import Timekeeping

/// The memory that other participants can fill: partial or early messages, and those sent before a challenge
/// was answered.
extension PartyMachine {
  /// The limit of the memory of all other participants' messages, in bytes.
  static let heldLimit = 16 << 20
  /// The limit of the memory for participants that haven't answered a challenge, in bytes.
  static let strangersHeldLimit = 2 << 20

  var heldBytes: Int { peers.values.reduce(ownArrival.held.heldBytes) { $0 + $1.heldBytes } }

  /// Bounds the memory after a participant's use of it has grown.
  mutating func boundMemory(of sender: Participant.ID, at now: HostTime) {
    peers[sender]?.trim()
    if peers[sender]?.standing != .admitted {
      bound(to: Self.strangersHeldLimit, at: now) { $0.standing != .admitted }
    }
    bound(to: Self.heldLimit, at: now) { _ in true }
  }

  /// Drops everything that is held for the participant that uses the most memory, then for the next, until
  /// the rest is within the limit.
  private mutating func bound(
    to limit: Int, at now: HostTime, among isMeant: (PeerRecord) -> Bool
  ) {
    var sum = peers.values.reduce(0) { isMeant($1) ? $0 + $1.heldBytes : $0 }
    while sum > limit {
      // Among equals the first one counts, which was heard of first.
      var greediest: (id: Participant.ID, size: Int)?
      for peer in peers.values where isMeant(peer) && peer.heldBytes > greediest?.size ?? 0 {
        greediest = (peer.id, peer.heldBytes)
      }
      guard let greediest else { return }
      misconduct.rejections.stale += peers[greediest.id]?.held.count ?? 0
      peers[greediest.id]?.dropHeld(at: now)
      sum -= greediest.size
    }
  }
}
