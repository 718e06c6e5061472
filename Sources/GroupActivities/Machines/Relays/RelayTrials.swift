import Timekeeping

/// Decides when this program connects to addresses that others claim for their relays, and that it has never reached.
///
/// Any member may name the address of a stranger. Each address is tried once, then after pauses that double, and all
/// together cost no more than a budget.
package struct RelayTrials: Hashable, Sendable {
  /// The first addresses of all relays that count at once, then one address in five seconds.
  private var budget = RateAllowance(
    perSecond: 0.2, burst: Double(RelayRanking.limit), at: HostTime(nanoseconds: 0))
  private var tried: [Invite.Address: Trial] = [:]

  private struct Trial: Hashable, Sendable {
    var nextAt: HostTime
    var pause: Duration
  }

  private static let firstPause = Duration.seconds(10)
  /// The largest number of addresses in ``tried``: twice as many as count.
  private static let limit = 2 * RelayRanking.limit * StandbyReport.addressLimit

  package init() {}

  /// Returns the addresses to try now, which then count as tried.
  ///
  /// - Parameter relays: the addresses of each relay that were never reached, best first.
  package mutating func due(_ relays: [[Invite.Address]], at now: HostTime) -> [Invite.Address] {
    // The first address of each relay, then the second of each.
    let turns = relays.map(\.count).max() ?? 0
    let all = (0..<turns).flatMap { turn in
      relays.compactMap { $0.indices.contains(turn) ? $0[turn] : nil }
    }
    if tried.count > Self.limit { tried = tried.filter { all.contains($0.key) } }
    var due: [Invite.Address] = []
    for address in all where !due.contains(address) {
      let before = tried[address]
      guard before.map({ now >= $0.nextAt }) ?? true, budget.spend(at: now) else { continue }
      let pause = before.map { $0.pause * 2 } ?? Self.firstPause
      tried[address] = Trial(nextAt: now + pause, pause: pause)
      due.append(address)
    }
    return due
  }
}
