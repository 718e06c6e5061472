import Concurrency
import OrderedCollections
import Timekeeping

/// The views of the roster.
extension Roster {
  /// The participants in the party, in the order in which they were first heard of.
  var present: some Sequence<PeerRecord> { values.lazy.filter { $0.isPresent } }

  /// The number of participants in the party.
  var presentCount: Int {
    var count = 0
    for peer in values where peer.isPresent { count += 1 }
    return count
  }

  /// The next time at which one has to be challenged again, or asked for missing events.
  var nextDeadline: HostTime? {
    var next: HostTime?
    for peer in values { next.bringForward(to: peer.deadline) }
    return next
  }

  // MARK: - Seniority

  func seniority(of peer: PeerRecord) -> Seniority? {
    peer.arrivedAt.map { Seniority($0, peer.id, creator: creator) }
  }

  /// The participants in the party, longest present first.
  var presentBySeniority: [PeerRecord] {
    present.compactMap { peer in seniority(of: peer).map { (rank: $0, peer: peer) } }
      .sorted { $0.rank < $1.rank }.map(\.peer)
  }

  /// The ranks that others report to newcomers, in no order. Participants that are away for a moment are included,
  /// since they return to their rank.
  var lastingRanks: [Seniority] {
    values.compactMap { $0.hasLeft || $0.clock.isDeposed ? nil : seniority(of: $0) }
  }

  /// The participants whose arrival this one didn't witness, and the arrivals that they claim.
  var unwitnessed: [(id: Participant.ID, claimed: GroupTime)] {
    values.compactMap { peer in
      peer.arrival?.isWitnessed == true ? nil : peer.beacon?.joinedAt.map { (peer.id, $0) }
    }
  }

  // MARK: - Names

  /// Returns a name that no participant in the party has: the wanted one, or the next free one.
  func uniqueName(for wanted: String) -> String {
    PartyText.uniqueName(wanted, taken: Set(present.compactMap(\.shown.key)))
  }

  // MARK: - Activity and silence

  /// Returns whether a participant is the reference, active, or quiet. The creator always counts as active.
  func standing(
    of peer: PeerRecord, reference: Participant.ID?, timing: PartyTiming, at now: HostTime
  ) -> PresenceSchedule.Standing {
    if peer.id == reference { return .reference }
    if peer.id == creator { return .active }
    if let beacon = peer.beacon, beacon.lastEvent > beacon.settled { return .active }
    guard let spokeAt = peer.spokeAt else { return .quiet }
    return now - spokeAt < timing.activity ? .active : .quiet
  }

  /// The number of active participants besides the reference.
  func activeCount(reference: Participant.ID?, timing: PartyTiming, at now: HostTime) -> Int {
    var active = 0
    for peer in values where peer.isPresent {
      if standing(of: peer, reference: reference, timing: timing, at: now) == .active {
        active += 1
      }
    }
    return active
  }

  /// Returns the time for which a participant may be silent.
  func silenceLimit(
    of peer: PeerRecord, reference: Participant.ID?, limits: SilenceLimits, at now: HostTime
  ) -> Duration {
    limits.limit(
      of: standing(of: peer, reference: reference, timing: limits.timing, at: now),
      after: peer.beacon)
  }

  /// Returns the participants that were silent for too long, and the time at which the next one may have been.
  func silent(reference: Participant.ID?, limits: SilenceLimits, at now: HostTime) -> (
    ids: [Participant.ID], next: HostTime?
  ) {
    var ids: [Participant.ID] = []
    var next: HostTime?
    for peer in values where peer.standing == .admitted {
      let limit = limits.silent(
        since: peer.lastHeard,
        after: silenceLimit(of: peer, reference: reference, limits: limits, at: now))
      if now >= limit {
        ids.append(peer.id)
      } else {
        next.bringForward(to: limit)
      }
    }
    return (ids, next)
  }

  // MARK: - Messages

  /// Returns whether a message with this heading was heard before: it would change nothing even if it is authentic.
  func hasHeard(_ heading: Envelope.Heading) -> Bool {
    guard let peer = self[heading.sender], peer.epoch == heading.epoch else { return false }
    switch heading.delivery {
    case .event: return peer.streams.inbound.map { heading.sequence < $0.next } ?? false
    case .beacon: return peer.beacon != nil && heading.sequence <= peer.beaconSource.sequence
    case .direct: return false
    case .loose: return peer.streams.loose.contains(heading.sequence)
    case .lane: return peer.streams.lane.contains(heading.sequence)
    }
  }

  /// Returns whether the sender's events have begun, in the process that sent this message.
  func isKnown(_ inbound: InboundMessage) -> Bool {
    guard let known = self[inbound.sender] else { return false }
    return known.epoch == inbound.epoch && known.streams.inbound != nil
  }

  /// Returns whether a passed-on beacon is newer than the known one, and of a participant that isn't in the party as
  /// far as this one knows.
  func isNews(_ inbound: InboundMessage) -> Bool {
    guard let known = self[inbound.sender] else { return true }
    // A participant that was met during its arrival isn't present yet.
    return known.epoch == inbound.epoch && !known.isPresent && !known.hasLeft
      && inbound.sequence > known.beaconSource.sequence
  }

  /// Returns whether a beacon is newer than the known one of its sender's process.
  func isNewest(_ inbound: InboundMessage) -> Bool {
    guard let known = self[inbound.sender], known.epoch == inbound.epoch else { return true }
    return inbound.sequence > known.beaconSource.sequence
  }

  /// Returns the number up to which this participant has another's events.
  func vectorEntry(of id: Participant.ID) -> EventVector.Entry? {
    guard let peer = self[id], let next = peer.streams.inbound?.next else { return nil }
    return EventVector.Entry(sender: id, epoch: peer.epoch, next: next)
  }

  /// Returns whether a request for events of an author includes the next one that is missing here.
  func lacks(_ request: ResendRequest, of author: Participant.ID) -> Bool {
    guard let next = self[author]?.streams.inbound?.next else { return false }
    return request.from <= next && request.through >= next
  }

  // MARK: - Comparison

  /// The hashes of the participants in the party.
  var presentHashes: [UInt32] { present.map { RosterComparison.hash($0.id) } }

  /// Returns the participants in the party that aren't among those of another participant.
  func present(notAmong hashes: Set<UInt32>) -> [PeerRecord] {
    present.filter { !hashes.contains(RosterComparison.hash($0.id)) }
  }

  /// Returns the digest of the participants in the party and this one; never 0.
  func digest(with me: Participant.ID) -> UInt32 {
    var sum = RosterComparison.hash(me)
    for peer in values where peer.isPresent { sum ^= RosterComparison.hash(peer.id) }
    return max(1, sum)
  }

  /// Returns the number of present participants that have reached another one's relay.
  func count(reaching owner: Participant.ID) -> Int {
    present.count { $0.id != owner && $0.hasReached(owner) }
  }
}
