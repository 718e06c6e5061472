import Timekeeping

/// The state of one other participant, as this one knows it.
///
/// The ``Roster`` owns the records; others see copies.
struct PeerRecord: Hashable, Sendable {
  /// The proof of the participant's freshness.
  ///
  /// `challenged` → `admitted` when it answers; `admitted` → `absent` when it leaves or falls silent;
  /// `absent` → `challenged` when a message under its name arrives again.
  enum Standing: Hashable, Sendable {
    /// A challenge is pending. The participant's messages have no effect yet and are held.
    case challenged(attempts: Int, nextAt: HostTime)
    case admitted
    case absent
  }

  let id: Participant.ID
  let epoch: UInt64
  private(set) var standing: Standing
  private(set) var process = Process()
  /// The messages held while challenged, bounded (``hold(_:)``).
  private(set) var held: [InboundMessage] = []
  /// A Boolean value that indicates whether it announced its departure. Older beacons of it are meaningless
  /// then.
  private(set) var hasLeft = false
  /// A Boolean value that indicates whether it left its relay behind.
  private(set) var keepsRelay = false
  /// The newest beacon, and its number.
  private(set) var beacon: Beacon?
  private(set) var beaconSource = BeaconSource()
  /// The arrival as the participant claims it, but not before the others could have noticed it. Nil until it
  /// joined.
  private(set) var arrival: Arrival?
  /// The findings about its time.
  var clock = PeerClock()
  /// The beginning of its present absence, and the sum of all earlier ones.
  private(set) var absentSince: HostTime?
  private(set) var absence = Duration.zero
  /// The time of its last event from its user.
  private(set) var spokeAt: HostTime?
  /// The last report of its playback coordinator.
  private(set) var coordination: CoordinationReport?
  private(set) var shown = ShownName()
  /// The last of our events that it need not request: the events before we knew of it.
  let baseline: UInt64
  var streams = PeerStreams()
  private(set) var lastHeard: HostTime
  private var allowance: RateAllowance
  private var sideAllowances = SideAllowances()

  init(
    id: Participant.ID, epoch: UInt64, standing: Standing = .absent, baseline: UInt64,
    at now: HostTime
  ) {
    self.id = id
    self.epoch = epoch
    self.standing = standing
    self.baseline = baseline
    lastHeard = now
    allowance = .inbound(at: now)
  }

  /// The record of another process with the same key, which takes the place of an earlier one's. It gets no new
  /// allowance for messages, lanes and keys.
  init(_ earlier: PeerRecord, epoch: UInt64, at now: HostTime) {
    self.init(
      id: earlier.id, epoch: epoch, standing: earlier.standing, baseline: earlier.baseline, at: now)
    allowance = earlier.allowance
    sideAllowances.lane = earlier.sideAllowances.lane
    sideAllowances.keys = earlier.sideAllowances.keys
  }

  /// The allowances besides that of its messages.
  private struct SideAllowances: Hashable {
    /// The allowance of its lanes, so that a file transfer doesn't use up the allowance of other messages.
    var lane = RateAllowance.lane(at: HostTime(nanoseconds: 0))
    /// Its allowance for answers that are larger than its questions, in KiB.
    var answers = RateAllowance.answers(at: HostTime(nanoseconds: 0))
    /// Its allowance for answers about keys.
    var keys = RateAllowance.keyAnswers(at: HostTime(nanoseconds: 0))
  }

  /// The process that speaks for it.
  struct Process: Hashable, Sendable {
    /// The epoch of another process with the same key that was heard while this one was challenged.
    fileprivate(set) var candidate: UInt64?
    /// Its ``KeyExchange/publicKey``, for which secrets of epochs are sealed; nil until it announced one.
    fileprivate(set) var exchangeKey: [UInt8]?
  }

  /// The form in which the newest beacon came.
  struct BeaconSource: Hashable, Sendable {
    fileprivate(set) var sequence: UInt64 = 0
    /// The beacon as it was signed, for newcomers to a large party.
    fileprivate(set) var original: [UInt8] = []
    /// The participant's part in the party's relays, as its newest beacon says.
    fileprivate(set) var standby: StandbyReport?
    /// The door through which its user came in, as a beacon of its own says.
    fileprivate(set) var door: Participant.Door?
  }

  /// The participant's displayed name.
  struct ShownName: Hashable, Sendable {
    /// The name; nil until the participant's first beacon.
    fileprivate(set) var name: String?
    /// ``PartyText/nameKey(_:)`` of ``name``.
    fileprivate(set) var key: String?
    /// The generation of the party's names for which ``name`` was chosen.
    fileprivate(set) var generation: UInt64 = 0
  }

  static let heldLimit = 32
  /// The limit of ``held``, in bytes.
  static let heldSizeLimit = 64 << 10
  /// The limit of ``heldBytes``, in bytes: two whole messages of an application.
  static let sizeLimit = 1 << 20

  var name: String? { shown.name }

  /// A Boolean value that indicates whether it is in the party, as far as we know: fresh, and arrived.
  var isPresent: Bool { standing == .admitted && beacon?.joinedAt != nil }

  /// The time at which it has to be challenged again, or asked for missing events.
  var deadline: HostTime? {
    switch standing {
    case .challenged(_, let due): due
    case .admitted: streams.inbound?.requestAt
    case .absent: nil
    }
  }

  // MARK: - Admission

  /// - Parameter attempts: the number of challenges, this one included.
  mutating func challenged(attempts: Int, nextAt: HostTime) {
    standing = .challenged(attempts: attempts, nextAt: nextAt)
  }

  mutating func otherProcessHeard(epoch: UInt64) { process.candidate = epoch }

  /// It didn't answer its challenges.
  mutating func challengeFailed() {
    held = []
    standing = .absent
  }

  /// It answered a challenge.
  ///
  /// - Parameter baseline: the last of its events that need not be requested, if none was received yet.
  /// - Returns: the messages that were held until now.
  mutating func answered(exchangeKey: [UInt8]?, baseline: UInt64, at now: HostTime)
    -> [InboundMessage]
  {
    lastHeard = now
    if let exchangeKey { process.exchangeKey = exchangeKey }
    streams.begin(after: baseline)
    let messages = held
    admit(at: now)
    return messages
  }

  /// Admits it, and drops the messages that were held until now. Events that were requested while it couldn't be
  /// reached are requested again.
  mutating func admit(at now: HostTime) {
    standing = .admitted
    held = []
    streams.linkReturned(at: now)
  }

  /// Starts the event stream of a participant that was admitted by its beacon.
  mutating func beganEvents(after baseline: UInt64, original: [UInt8]) {
    streams.begin(after: baseline)
    beaconSource.original = original
  }

  mutating func returned(at now: HostTime) {
    (hasLeft, keepsRelay) = (false, false)
    admit(at: now)
  }

  /// It left, or fell silent.
  mutating func left(announced: Bool, keepsRelay: Bool, at now: HostTime) {
    standing = .absent
    absentSince = now
    hasLeft = announced
    self.keepsRelay = keepsRelay
  }

  mutating func exchangeKeyAnnounced(_ key: [UInt8]) {
    if process.exchangeKey == nil { process.exchangeKey = key }
  }

  // MARK: - Signs of life

  mutating func heard(at now: HostTime) { lastHeard = now }

  /// It counts as silent from `now` on, unless it was silent for longer.
  mutating func heardNoLater(than now: HostTime) { lastHeard = min(lastHeard, now) }

  mutating func linkReturned(at now: HostTime) {
    lastHeard = now
    streams.linkReturned(at: now)
  }

  // MARK: - Beacons

  enum BeaconVerdict: Hashable, Sendable {
    /// - Parameter name: the cleaned name.
    case acceptable(name: String)
    case repeated
    /// The beacon breaks a rule, or contradicts an earlier one.
    case impossible
  }

  /// Compares a beacon with its own claims and with earlier ones.
  ///
  /// - Parameter isIntroduction: an introduction repeats the newest beacon's number.
  func verdict(on beacon: Beacon, sequence: UInt64, isIntroduction: Bool) -> BeaconVerdict {
    let newest = beaconSource.sequence
    guard sequence > newest || (isIntroduction && sequence == newest) else { return .repeated }
    guard let name = PartyText.name(beacon.name), beacon.sessions.count <= PartySessions.limit
    else { return .impossible }
    // The time of joining never changes, and a participant announces its departure.
    if let joinedAt = self.beacon?.joinedAt, beacon.joinedAt != joinedAt { return .impossible }
    return .acceptable(name: name)
  }

  /// - Parameters:
  ///   - arrival: its arrival, if it is heard of for the first time.
  ///   - patience: the time to wait before requesting the events that the beacon mentions.
  mutating func beaconAccepted(
    _ beacon: Beacon, sequence: UInt64, arrival: Arrival?, patience: Duration, at now: HostTime
  ) {
    lastHeard = now
    self.beacon = beacon
    beaconSource.sequence = sequence
    // A beacon within an introduction says nothing of it.
    if let door = beacon.door { beaconSource.door = door }
    if let arrival { self.arrival = arrival }
    clock.reported(by: beacon, at: now)
    if let since = absentSince, standing == .admitted {
      absence += max(.zero, now - since)
      absentSince = nil
    }
    streams.eventReported(newest: beacon.lastEvent, at: now, patience: patience)
  }

  mutating func beaconSigned(as original: [UInt8]) { beaconSource.original = original }

  /// Returns whether the participant says that it has reached a participant's relay.
  func hasReached(_ owner: Participant.ID) -> Bool {
    beaconSource.standby?.reached.contains(RosterComparison.hash(owner)) == true
  }

  mutating func standbyReported(_ report: StandbyReport) { beaconSource.standby = report }

  mutating func nameChosen(_ name: String, generation: UInt64) {
    if name != shown.name { shown.key = PartyText.nameKey(name) }
    shown.name = name
    shown.generation = generation
  }

  /// An arrival as this participant judges it.
  struct Arrival: Hashable, Sendable {
    var time: GroupTime
    /// A Boolean value that indicates whether this participant witnessed it itself.
    var isWitnessed: Bool
  }

  var arrivedAt: GroupTime? { arrival?.time }

  mutating func arrivalDecided(_ arrival: Arrival) { self.arrival = arrival }

  /// Returns the greatest distance of its time from the time that it took over.
  ///
  /// - Parameter mayJump: whether it may change the time by more than its clock can drift.
  func doubt(mayJump: Bool, at now: HostTime) -> Duration {
    let present = absentSince.map { max(.zero, now - $0) } ?? .zero
    return clock.doubt(mayJump: mayJump, absence: absence + present, at: now)
  }

  // MARK: - Messages

  mutating func spend(_ cost: Int, at now: HostTime) -> Bool { allowance.spend(cost, at: now) }

  mutating func spendForLane(at now: HostTime) -> Bool { sideAllowances.lane.spend(at: now) }

  /// - Parameter size: the size of an answer, in KiB.
  mutating func spendForAnswer(_ size: Int, at now: HostTime) -> Bool {
    sideAllowances.answers.spend(size, at: now)
  }

  mutating func spendForKeys(at now: HostTime) -> Bool { sideAllowances.keys.spend(at: now) }

  /// Its event was received from itself, and not before.
  mutating func spoke(isOwnWord: Bool, at now: HostTime) {
    lastHeard = now
    if !isOwnWord { spokeAt = now }
  }

  /// - Returns: false if the known report is as new.
  mutating func coordinationReported(_ report: CoordinationReport) -> Bool {
    if let coordination, coordination.version >= report.version { return false }
    coordination = report
    return true
  }

  // MARK: - Memory

  /// The memory that it can fill, in bytes: early and partial messages, and those from before it answered a
  /// challenge.
  var heldBytes: Int {
    held.reduce(streams.heldBytes) { $0 + $1.heldBytes }
  }

  /// Holds a message from before it answered a challenge; the oldest are dropped.
  ///
  /// - Returns: the number of dropped messages.
  mutating func hold(_ message: InboundMessage) -> Int {
    guard message.heldBytes <= Self.heldSizeLimit else { return 1 }
    held.append(message)
    var size = held.reduce(0) { $0 + $1.heldBytes }
    var lost = 0
    while held.count > Self.heldLimit || size > Self.heldSizeLimit {
      size -= held.removeFirst().heldBytes
      lost += 1
    }
    return lost
  }

  /// Keeps ``heldBytes`` within its limit. The oldest partial messages are dropped first.
  mutating func trim() {
    while heldBytes > Self.sizeLimit {
      guard streams.dropOldestPart() else { return }
    }
  }

  /// Drops everything that is held for it. Its events are requested again.
  mutating func dropHeld(at now: HostTime) {
    held = []
    streams.dropHeld(at: now)
  }
}
