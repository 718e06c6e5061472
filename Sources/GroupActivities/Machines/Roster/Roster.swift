import OrderedCollections
import Timekeeping

/// The other participants, as this one knows them, in the order in which they were first heard of. It includes those
/// that aren't in the party, or not yet.
///
/// Each method is an event. What it means for the clock, the keys or the sessions is the caller's to decide.
struct Roster: Hashable, Sendable {
  private var records: OrderedDictionary<Participant.ID, Boxed<PeerRecord>> = [:]
  /// Counts the changes of names and of the order of arrival: until the next change, names stay the same.
  private var nameGeneration: UInt64 = 0
  /// The party's creator.
  let creator: Participant.ID

  /// The largest number of records.
  static let limit = 512
  /// The limit of the memory of all messages that are held for participants, in bytes.
  static let heldLimit = 16 << 20
  /// The limit of the memory for participants that haven't answered a challenge, in bytes.
  static let strangersHeldLimit = 2 << 20

  init(creator: Participant.ID) { self.creator = creator }

  var count: Int { records.count }
  var isEmpty: Bool { records.isEmpty }
  var hasRoom: Bool { records.count < Self.limit }
  var ids: OrderedSet<Participant.ID> { records.keys }
  var values: some BidirectionalCollection<PeerRecord> { records.values.lazy.map { $0.value } }

  subscript(id: Participant.ID) -> PeerRecord? {
    // Inline, so that who asks for one property doesn't copy the whole record.
    @inline(__always) get { records[id]?.value }
  }

  // MARK: - Admission

  /// The state of a participant when a message under its name arrives.
  enum Acquaintance: Hashable, Sendable {
    /// It is admitted, or a challenge is pending.
    case current
    /// It is absent.
    case absent
    case unknown
  }

  /// A message arrives under a name. The record of an absent participant is forgotten if another process of it speaks:
  /// no state of the old one applies.
  mutating func messageArrived(from id: Participant.ID, epoch: UInt64) -> Acquaintance {
    guard let known = records[id]?.value else { return .unknown }
    guard known.standing == .absent else { return .current }
    guard known.epoch == epoch else {
      records[id] = nil
      return .unknown
    }
    return .absent
  }

  /// An unknown participant is to be challenged. In a full roster it takes the place of the first one that isn't
  /// admitted.
  ///
  /// - Parameter baseline: the last of this participant's events that it need not request.
  /// - Returns: false if there is no room.
  mutating func met(_ id: Participant.ID, epoch: UInt64, baseline: UInt64, at now: HostTime) -> Bool
  {
    if !hasRoom {
      guard let forgettable = values.first(where: { $0.standing != .admitted }) else {
        return false
      }
      records[forgettable.id] = nil
    }
    records[id] = Boxed(PeerRecord(id: id, epoch: epoch, baseline: baseline, at: now))
    return true
  }

  /// A participant answered this one's question to the party. Another process of it is forgotten.
  mutating func welcomed(
    by id: Participant.ID, epoch: UInt64, baseline: UInt64, at now: HostTime
  ) {
    guard records[id]?.value.epoch != epoch else { return }
    records[id] = Boxed(PeerRecord(id: id, epoch: epoch, baseline: baseline, at: now))
  }

  /// - Parameter attempts: the number of challenges, this one included.
  mutating func challenged(_ id: Participant.ID, attempts: Int, nextAt: HostTime) {
    records[id]?.value.challenged(attempts: attempts, nextAt: nextAt)
  }

  /// Another process of a challenged participant is heard, and is to be challenged too.
  mutating func otherProcessHeard(of id: Participant.ID, epoch: UInt64) {
    records[id]?.value.otherProcessHeard(epoch: epoch)
  }

  /// Another process of a challenged participant answered. It takes the place of the one that was heard before.
  ///
  /// - Returns: the number of dropped messages.
  mutating func otherProcessAnswered(of id: Participant.ID, epoch: UInt64, at now: HostTime) -> Int
  {
    guard let earlier = records[id]?.value else { return 0 }
    records[id] = Boxed(PeerRecord(earlier, epoch: epoch, at: now))
    return earlier.held.count
  }

  /// A participant answered its challenge, and is admitted.
  ///
  /// - Parameter baseline: the last of its events that need not be requested, if none was received yet.
  /// - Returns: the messages that were held until now.
  mutating func introduced(
    _ id: Participant.ID, exchangeKey: [UInt8]?, baseline: UInt64, at now: HostTime
  ) -> [InboundMessage] {
    records[id]?.value.answered(exchangeKey: exchangeKey, baseline: baseline, at: now) ?? []
  }

  /// The participants whose answer is overdue, and the number of their challenges.
  func overdueChallenges(at now: HostTime) -> [(id: Participant.ID, attempts: Int)] {
    values.compactMap { peer in
      guard case .challenged(let attempts, let nextAt) = peer.standing, now >= nextAt else {
        return nil
      }
      return (peer.id, attempts)
    }
  }

  /// A participant didn't answer any challenge. If it never proved that it is alive, it was most likely an echo of old
  /// traffic, and is forgotten.
  ///
  /// - Returns: the number of dropped messages.
  mutating func challengesFailed(of id: Participant.ID) -> Int {
    guard let peer = records[id]?.value else { return 0 }
    if peer.streams.inbound == nil {
      records[id] = nil
    } else {
      records[id]?.value.challengeFailed()
    }
    return peer.held.count
  }

  /// A new participant's beacon admits it, in a large party.
  ///
  /// - Parameters:
  ///   - baseline: the last of this participant's events that the other need not request.
  ///   - lastEvent: the last of its events that need not be requested.
  mutating func admitted(
    _ inbound: InboundMessage, baseline: UInt64, lastEvent: UInt64, at now: HostTime
  ) {
    var peer = PeerRecord(
      id: inbound.sender, epoch: inbound.epoch, standing: .admitted, baseline: baseline, at: now)
    peer.beganEvents(after: lastEvent, original: inbound.original)
    records[inbound.sender] = Boxed(peer)
  }

  /// The beacon that was to admit a participant was refused, since its claims are impossible.
  mutating func admissionRefused(of id: Participant.ID) {
    records[id] = nil
  }

  /// A participant that had left, or hadn't answered, sent a beacon that admits it again.
  mutating func readmitted(_ id: Participant.ID, at now: HostTime) {
    records[id]?.value.returned(at: now)
  }

  /// Removes the quiet participant that came last, to make room for another one.
  ///
  /// - Returns: false if there is none.
  mutating func forgetLastQuiet(
    reference: Participant.ID?, timing: PartyTiming, at now: HostTime
  ) -> Bool {
    guard
      let quiet = values.reversed().first(where: {
        $0.isPresent && $0.id != creator
          && standing(of: $0, reference: reference, timing: timing, at: now) == .quiet
      })
    else { return false }
    records[quiet.id] = nil
    nameGeneration += 1
    return true
  }

  /// A participant announced its public key, for which secrets are sealed. The first one counts.
  mutating func exchangeKeyAnnounced(_ key: [UInt8], by id: Participant.ID) {
    records[id]?.value.exchangeKeyAnnounced(key)
  }

  // MARK: - Presence

  mutating func heard(_ id: Participant.ID, at now: HostTime) { records[id]?.value.heard(at: now) }

  /// The others weren't silent while the link was down: this participant couldn't hear them.
  mutating func linkReturned(at now: HostTime) {
    for index in records.values.indices { records.values[index].value.linkReturned(at: now) }
  }

  /// A participant left, was removed, or fell silent.
  ///
  /// - Returns: its record before that; nil for an unknown one.
  mutating func left(
    _ id: Participant.ID, announced: Bool, keepsRelay: Bool = false, at now: HostTime
  ) -> PeerRecord? {
    guard let peer = records[id]?.value else { return nil }
    records[id]?.value.left(announced: announced, keepsRelay: keepsRelay, at: now)
    if peer.isPresent { nameGeneration += 1 }
    return peer
  }

  /// The relay of a participant was lost. It counts as silent after `grace`, unless it is heard.
  mutating func relayLost(
    of id: Participant.ID, grace: Duration, reference: Participant.ID?, limits: SilenceLimits,
    at now: HostTime
  ) {
    guard let peer = records[id]?.value else { return }
    let limit = silenceLimit(of: peer, reference: reference, limits: limits, at: now)
    records[id]?.value.heardNoLater(than: now - limit + grace)
  }

  // MARK: - Beacons and names

  /// A beacon to be accepted.
  struct AcceptableBeacon {
    var beacon: Beacon
    var sequence: UInt64
    /// The cleaned name.
    var name: String
    var isIntroduction: Bool
    /// The arrival of a participant that is heard of for the first time.
    var arrival: PeerRecord.Arrival?
  }

  /// This participant's name and rank, which limit the names of participants that came later.
  struct Oneself {
    var name: String
    /// Nil until it joined.
    var seniority: Seniority?
  }

  /// A participant's beacon is accepted: ``PeerRecord/verdict(on:sequence:isIntroduction:)``.
  ///
  /// - Parameter patience: the time to wait before requesting the events that it mentions.
  /// - Returns: whether the participant is new at its place: it was introduced, or joined.
  mutating func beaconAccepted(
    _ new: AcceptableBeacon, of id: Participant.ID, besides me: Oneself, patience: Duration,
    at now: HostTime
  ) -> Bool {
    let before = records[id]?.value.beacon
    records[id]?.value.beaconAccepted(
      new.beacon, sequence: new.sequence, arrival: new.arrival, patience: patience, at: now)
    let isNew = new.isIntroduction || new.beacon.joinedAt != before?.joinedAt
    // Names that were chosen before no longer apply.
    if isNew { nameGeneration += 1 }
    guard let peer = records[id]?.value,
      peer.shown.generation != nameGeneration || new.name != before?.name
    else { return isNew }
    let name = shownName(new.name, of: peer, besides: me)
    if name != peer.name { nameGeneration += 1 }
    records[id]?.value.nameChosen(name, generation: nameGeneration)
    return isNew
  }

  /// Returns the name of a participant for display: its own, unless a senior participant has that name. It
  /// will notice that and choose another one; a dishonest peer that doesn't still gets its own name here.
  private func shownName(_ claimed: String, of peer: PeerRecord, besides me: Oneself) -> String {
    guard let rank = seniority(of: peer) else { return claimed }
    var taken: Set<String> = []
    for other in values where other.id != peer.id && other.isPresent {
      if let key = other.shown.key, let senior = seniority(of: other), senior < rank {
        taken.insert(key)
      }
    }
    if let mine = me.seniority, mine < rank { taken.insert(PartyText.nameKey(me.name)) }
    return PartyText.uniqueName(claimed, taken: taken)
  }

  /// This participant has another name, or joined. Names that were chosen before no longer apply.
  mutating func ownNameChanged() { nameGeneration += 1 }

  /// The newest beacon of a participant came from itself, signed.
  mutating func beaconSigned(by id: Participant.ID, as original: [UInt8]) {
    records[id]?.value.beaconSigned(as: original)
  }

  /// - Returns: whether the report differs from the known one.
  mutating func standbyReported(_ report: StandbyReport, by id: Participant.ID) -> Bool {
    guard records[id]?.value.beaconSource.standby != report else { return false }
    records[id]?.value.standbyReported(report)
    return true
  }

  mutating func arrivalDecided(_ arrival: PeerRecord.Arrival, of id: Participant.ID) {
    records[id]?.value.arrivalDecided(arrival)
  }

  // MARK: - Time

  /// Group time is another participant's clock now.
  mutating func referenceChanged() {
    for index in records.values.indices { records.values[index].value.clock.referenceChanged() }
  }

  /// The reference's answer contradicts the known time, or agrees with it.
  ///
  /// - Returns: true if this and the answers before it depose the reference.
  mutating func timeAnswered(by id: Participant.ID, isContradiction: Bool) -> Bool {
    records[id]?.value.clock.answered(isContradiction: isContradiction) ?? false
  }

  /// A participant's beacon shows another time than this participant's, or the same.
  mutating func timeCompared(of id: Participant.ID, isApart: Bool) {
    records[id]?.value.clock.compared(isApart: isApart)
  }

  // MARK: - Messages

  /// - Returns: false if the sender sends more than it may.
  mutating func spend(for inbound: InboundMessage, at now: HostTime) -> Bool {
    if inbound.delivery == .lane {
      return records[inbound.sender]?.value.spendForLane(at: now) ?? false
    }
    return spend(by: inbound.sender, at: now)
  }

  mutating func spend(_ cost: Int = 1, by id: Participant.ID, at now: HostTime) -> Bool {
    records[id]?.value.spend(cost, at: now) ?? false
  }

  /// - Parameter size: the size of an answer to a participant, in KiB.
  mutating func spend(forAnswer size: Int, to id: Participant.ID, at now: HostTime) -> Bool {
    records[id]?.value.spendForAnswer(size, at: now) ?? false
  }

  /// - Returns: false if the participant got enough answers about keys.
  mutating func spend(forKeysTo id: Participant.ID, at now: HostTime) -> Bool {
    records[id]?.value.spendForKeys(at: now) ?? false
  }

  /// Holds a message of a participant that hasn't answered a challenge.
  ///
  /// - Returns: the number of dropped messages.
  mutating func hold(_ inbound: InboundMessage) -> Int {
    records[inbound.sender]?.value.hold(inbound) ?? 0
  }

  /// A new event came from its author.
  mutating func spoke(_ id: Participant.ID, isOwnWord: Bool, at now: HostTime) {
    records[id]?.value.spoke(isOwnWord: isOwnWord, at: now)
  }

  /// - Returns: false if the loose message was received before, or is too old to decide.
  mutating func looseReceived(_ sequence: UInt64, from id: Participant.ID) -> Bool {
    records[id]?.value.streams.looseReceived(sequence) ?? false
  }

  /// - Returns: false if the message on a lane was received before, or is too old to decide.
  mutating func laneReceived(_ sequence: UInt64, from id: Participant.ID) -> Bool {
    records[id]?.value.streams.laneReceived(sequence) ?? false
  }

  /// - Returns: the whole message after its last part.
  mutating func partReceived(_ message: AppMessage, from id: Participant.ID, isLoose: Bool)
    -> AppMessage?
  {
    records[id]?.value.streams.partReceived(message, isLoose: isLoose)
  }

  /// - Returns: false if the known report is as new.
  mutating func coordinationReported(_ report: CoordinationReport, by id: Participant.ID) -> Bool {
    records[id]?.value.coordinationReported(report) ?? false
  }

  /// - Parameter event: nil for one that this program can't read.
  /// - Returns: the events that can be delivered now, in order; nil if the event is an old one.
  mutating func eventReceived(
    _ event: EventMessage?, sequence: UInt64, size: Int = 300, from id: Participant.ID,
    patience: Duration, at now: HostTime
  ) -> [EventMessage]? {
    records[id]?.value.streams.eventReceived(
      event, sequence: sequence, size: size, at: now, patience: patience)
  }

  /// The admitted participants of which missing events are to be requested now.
  func overdueAuthors(at now: HostTime) -> [Participant.ID] {
    values.compactMap { peer in
      guard peer.standing == .admitted, let due = peer.deadline, now >= due else { return nil }
      return peer.id
    }
  }

  /// - Returns: the request for missing events of a participant; nil if none is due.
  mutating func requestMissing(from id: Participant.ID, at now: HostTime)
    -> InboundSequence.Request?
  {
    guard records[id]?.value.standing == .admitted else { return nil }
    return records[id]?.value.streams.requestMissing(at: now)
  }

  /// Another participant requested the missing events of an author.
  mutating func requestPostponed(from id: Participant.ID, until due: HostTime) {
    records[id]?.value.streams.requestPostponed(until: due)
  }

  /// A participant no longer has its events up to a number.
  mutating func resendRefused(
    through sequence: UInt64, by id: Participant.ID, at now: HostTime
  ) -> InboundSequence.Request? {
    records[id]?.value.streams.resendRefused(through: sequence, at: now)
  }

  // MARK: - Memory

  /// Returns the memory that a participant fills, in bytes: ``PeerRecord/heldBytes``.
  func heldBytes(of id: Participant.ID) -> Int { records[id]?.value.heldBytes ?? 0 }

  /// Bounds the memory after a participant's use of it has grown.
  ///
  /// - Returns: the number of dropped messages.
  mutating func boundMemory(of sender: Participant.ID, at now: HostTime) -> Int {
    records[sender]?.value.trim()
    var dropped = 0
    if records[sender]?.value.standing != .admitted {
      dropped += bound(to: Self.strangersHeldLimit, at: now) { $0.standing != .admitted }
    }
    return dropped + bound(to: Self.heldLimit, at: now) { _ in true }
  }

  /// Drops everything that is held for the participant that uses the most memory, then for the next, until
  /// the rest is within the limit.
  private mutating func bound(
    to limit: Int, at now: HostTime, among isMeant: (PeerRecord) -> Bool
  ) -> Int {
    var sum = values.reduce(0) { isMeant($1) ? $0 + $1.heldBytes : $0 }
    var dropped = 0
    while sum > limit {
      // Among equals the first one counts, which was heard of first.
      var greediest: (id: Participant.ID, size: Int)?
      for peer in values where isMeant(peer) && peer.heldBytes > greediest?.size ?? 0 {
        greediest = (peer.id, peer.heldBytes)
      }
      guard let greediest else { break }
      dropped += records[greediest.id]?.value.held.count ?? 0
      records[greediest.id]?.value.dropHeld(at: now)
      sum -= greediest.size
    }
    return dropped
  }
}
