import Timekeeping

/// This participant's part in the party's relays.
struct StandbyState: Sendable {
  /// The addresses of the relay that this participant offers; empty for none.
  private var addresses: [Invite.Address] = []
  /// The owners of the relays that this participant has reached, with the addresses at that time.
  private var reached: [Participant.ID: [Invite.Address]] = [:]
  private var reach = RelayReach.nobody
  /// The time since which fewer participants have reached the relay than ``reach`` says.
  private var fewerSince: HostTime?
  /// A Boolean value that indicates whether ``relays`` may have changed since they were last reported.
  private var isStale = false
  /// The relays as they were last reported, best first.
  private(set) var relays: [RelayOffer] = []

  /// The time for which a relay keeps its rank although fewer participants reach it: newcomers need a moment to try.
  private static let patience = Duration.seconds(10)

  mutating func offer(_ addresses: [Invite.Address]) {
    self.addresses = Array(
      addresses.filter(StandbyReport.isOfferable).prefix(StandbyReport.addressLimit))
    isStale = true
  }

  mutating func reached(_ owner: Participant.ID, at addresses: [Invite.Address]) {
    reached[owner] = addresses
    isStale = true
  }

  /// A participant's report, or its presence, changed.
  mutating func changed() { isStale = true }

  func hasReached(_ owner: Participant.ID, at addresses: [Invite.Address]) -> Bool {
    reached[owner] == addresses
  }

  /// Counts the participants that have reached this participant's relay. Fewer count only after a while.
  ///
  /// - Parameters:
  ///   - count: the number of present participants that have reached it.
  ///   - others: the number of present participants that say which relays they have reached.
  mutating func counted(_ count: Int, of others: Int, at now: HostTime) {
    let counted = RelayReach(count: count, of: others)
    guard counted.rawValue < reach.rawValue else {
      fewerSince = nil
      if counted != reach { isStale = true }
      reach = counted
      return
    }
    // Alone, it can't know.
    guard others > 0 else { return fewerSince = nil }
    let since = fewerSince ?? now
    fewerSince = since
    guard now - since >= Self.patience else { return }
    fewerSince = nil
    reach = counted
    isStale = true
  }

  /// The report that follows this participant's beacons; nil if there is nothing to say.
  ///
  /// - Parameter owners: the owners of relays now.
  func report(of owners: some Sequence<Participant.ID>) -> StandbyReport? {
    let report = StandbyReport(
      addresses: addresses, reach: reach,
      reached: Array(
        owners.filter { reached[$0] != nil }.prefix(StandbyReport.reachedLimit)
          .map(RosterComparison.hash)))
    return report.isEmpty && relays.isEmpty ? nil : report
  }

  /// Returns the relays, best first, if they may have changed; nil if they haven't.
  mutating func takeNews(_ offers: () -> [RelayOffer]) -> [RelayOffer]? {
    guard isStale else { return nil }
    isStale = false
    let new = RelayRanking.ranked(offers())
    guard new != relays else { return nil }
    relays = new
    reached = reached.filter { entry in new.contains { $0.owner == entry.key } }
    return new
  }

  /// This participant's relay as an offer to itself; nil for none.
  func own(
    _ id: Participant.ID, isCreators: Bool, joinedAt: Int64, reachedBy: Int
  ) -> RelayOffer? {
    guard !addresses.isEmpty else { return nil }
    return RelayOffer(
      owner: id, addresses: addresses, isCreators: isCreators, isPresent: true,
      reachedBy: reachedBy, isReached: true, reach: reach, joinedAt: joinedAt)
  }
}
