import Timekeeping

/// This participant's part in the party's relays.
struct StandbyState: Sendable {
  /// The addresses of the relay that this participant offers; empty for none.
  private var addresses: [Invite.Address] = []
  /// The owners of the relays that this participant has reached, with the addresses at which it did.
  private var reached: [Participant.ID: Invite.Address] = [:]
  /// The address of the relay in use, if it is known.
  private var link: Invite.Address?
  var doubts = RelayDoubts()
  private var reach = RelayReach.nobody
  /// The time since which fewer participants have reached the relay than ``reach`` says.
  private var fewerSince: HostTime?
  /// A Boolean value that indicates whether ``relays`` may have changed since they were last reported.
  private(set) var isStale = false
  /// The last report that others have heard, and the number of beacons since then.
  private var told = StandbyReport()
  private var beaconsSince = 0
  /// A Boolean value that indicates whether the next beacon has a report.
  private var isDue = false
  /// The relays as they were last reported, best first.
  private(set) var relays: [RelayOffer] = []

  /// The time for which a relay keeps its rank although fewer participants reach it: newcomers need a moment to try.
  private static let patience = Duration.seconds(10)
  /// A report is in one of so many beacons, if nothing changed.
  private static let beaconsPerReport = 4

  mutating func offer(_ addresses: [Invite.Address]) {
    self.addresses = Array(
      addresses.filter(StandbyReport.isOfferable).prefix(StandbyReport.addressLimit))
    isStale = true
  }

  mutating func reached(_ owner: Participant.ID, at address: Invite.Address) {
    reached[owner] = address
    isStale = true
  }

  /// The link leads to a relay, which so is reached.
  mutating func linkLeads(to address: Invite.Address?) {
    link = address
    doubts.linkLeads(to: address)
    isStale = true
  }

  /// A participant's report, or its presence, changed.
  mutating func changed() { isStale = true }

  /// - Parameter isAlone: whether no other participant is heard, although some should be.
  mutating func looked(isAlone: Bool, at now: HostTime) {
    if doubts.looked(isAlone: isAlone, at: now) { isStale = true }
  }

  /// Returns the address among those of an offer at which this participant has reached the relay.
  func reachedAddress(of owner: Participant.ID, among addresses: [Invite.Address]) -> Invite
    .Address?
  {
    [reached[owner], link].compactMap { $0 }.first(where: addresses.contains)
  }

  /// Counts the participants that have reached this participant's relay, before each of its beacons. Fewer count only
  /// after a while.
  ///
  /// - Parameters:
  ///   - count: the number of present participants that have reached it.
  ///   - others: the number of present participants that say which relays they have reached.
  mutating func counted(_ count: Int, of others: Int, at now: HostTime) {
    countReach(count, of: others, at: now)
    let report = report
    beaconsSince += 1
    isDue = report != told || beaconsSince >= Self.beaconsPerReport && !isIdle
    guard isDue else { return }
    told = report
    beaconsSince = 0
  }

  /// A Boolean value that indicates whether this participant offers a relay.
  var isOffered: Bool { !addresses.isEmpty }

  /// A Boolean value that indicates whether the party has no relays, as far as this participant knows.
  private var isIdle: Bool { !isOffered && relays.isEmpty }

  /// A participant arrived, which hasn't heard the report: the next beacon has it.
  mutating func arrived() {
    if !isIdle { beaconsSince = Self.beaconsPerReport }
  }

  private mutating func countReach(_ count: Int, of others: Int, at now: HostTime) {
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

  /// The report that follows this participant's next beacon; nil if the last one still holds.
  var dueReport: StandbyReport? { isDue ? report : nil }

  var report: StandbyReport {
    StandbyReport(
      addresses: addresses, reach: reach,
      reached: Array(
        relays.map(\.owner).filter { reached[$0] != nil }.prefix(StandbyReport.reachedLimit)
          .map(RosterComparison.hash)))
  }

  /// Returns the relays, best first; nil if they haven't changed.
  ///
  /// - Parameters:
  ///   - offers: the relays of all participants.
  ///   - me: this participant.
  mutating func takeNews(_ offers: [RelayOffer], to me: Participant.ID) -> [RelayOffer]? {
    isStale = false
    let new = RelayRanking.ranked(offers) { offer in
      offer.owner != me && offer.addresses.contains(where: doubts.isDoubted)
    }
    guard new != relays else { return nil }
    relays = new
    reached = [:]
    for offer in new where offer.owner != me { reached[offer.owner] = offer.reached.first }
    return new
  }

  /// This participant's relay as an offer to itself; nil for none.
  func own(
    _ id: Participant.ID, isCreators: Bool, joinedAt: Int64
  ) -> RelayOffer? {
    guard !addresses.isEmpty else { return nil }
    return RelayOffer(
      owner: id, addresses: addresses, isCreators: isCreators, isPresent: true, isKept: false,
      reached: addresses, reach: reach, joinedAt: joinedAt)
  }
}
