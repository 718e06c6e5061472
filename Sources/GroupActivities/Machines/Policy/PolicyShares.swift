/// The space of a policy log that its authors have used. The whole log fits one message, and co-hosts leave
/// room for the host.
struct PolicyShares: Hashable, Sendable {
  private struct Share: Hashable {
    var links = 0
    var bytes = 0

    func isWithin(_ limit: Share) -> Bool { links <= limit.links && bytes <= limit.bytes }

    mutating func add(_ size: Int) {
      links += 1
      bytes += size
    }
  }

  private var all = Share()
  private var coHosts = Share()
  private var byCoHost: [Participant.ID: Share] = [:]

  private static let limit = Share(links: PolicyLog.linkLimit, bytes: 40 << 10)
  /// The limits of all co-hosts together, and of each of them. The rest is the host's.
  private static let coHostsLimit = Share(links: PolicyLog.linkLimit / 2, bytes: 20 << 10)
  private static let coHostLimit = Share(links: PolicyLog.coHostLinkLimit, bytes: 10 << 10)
  /// The fill level from which on the creator begins another log: the co-hosts can't fill the rest of this
  /// one.
  private static let fullness = Share(links: PolicyLog.linkLimit / 2 - 1, bytes: 16 << 10)
  /// The fill level for a handover. A host that isn't the creator can't begin another log, so it takes over a
  /// log that has room.
  private static let handOverFullness = Share(links: 9, bytes: 4 << 10)
  /// The approximate size of a link without its amendment: the author and its proof, in bytes.
  private static let overhead = 240

  /// - Parameter bytes: the size of the amendment.
  /// - Returns: false if the author's part is used up.
  mutating func spend(bytes: Int, by author: Participant.ID, isHost: Bool) -> Bool {
    let size = bytes + Self.overhead
    var after = self
    after.all.add(size)
    guard after.all.isWithin(Self.limit) else { return false }
    if !isHost {
      after.coHosts.add(size)
      after.byCoHost[author, default: Share()].add(size)
      guard after.coHosts.isWithin(Self.coHostsLimit),
        after.byCoHost[author, default: Share()].isWithin(Self.coHostLimit)
      else { return false }
    }
    self = after
    return true
  }

  /// Returns whether the creator begins another log for this change.
  func needsSummary(before amendment: PartyAmendment) -> Bool {
    if case .handOver = amendment { return !all.isWithin(Self.handOverFullness) }
    return !all.isWithin(Self.fullness)
  }
}
