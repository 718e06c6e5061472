import Timekeeping

/// What is known of one other participant.
struct PeerRecord: Hashable, Sendable {
  /// How far its freshness is proven.
  ///
  /// `challenged` → `admitted` when it answers; `admitted` → `absent` when it leaves or falls silent;
  /// `absent` → `challenged` when something under its name is heard again.
  enum Standing: Hashable, Sendable {
    /// A challenge is out; nothing it says counts yet. What came meanwhile is held.
    case challenged(attempts: Int, nextAt: HostTime)
    case admitted
    case absent
  }

  let id: Participant.ID
  let epoch: UInt64
  var standing: Standing
  /// Another process of the same key that was heard while this one was challenged.
  var candidate: UInt64?
  /// Held while challenged, bounded (``hold(_:)``).
  var held: [InboundMessage] = []
  /// Whether it said that it goes: an older beacon of it says nothing.
  var hasLeft = false
  /// The newest beacon, and its number.
  var beacon: Beacon?
  var beaconSequence: UInt64 = 0
  /// That beacon as it was signed, for newcomers to a large party.
  var beaconOriginal: [UInt8] = []
  /// The arrival: its claim, but not before the others could have noticed it. Nil until it joined.
  var arrivedAt: GroupTime?
  /// A Boolean value that indicates whether this participant witnessed the arrival itself.
  var isWitnessed = false
  /// A Boolean value that indicates whether its time jumped while it was the reference; it comes last from then on.
  var isDeposed = false
  /// A Boolean value that indicates whether its last beacon showed another time; noted by the reference.
  var isApart = false
  /// The number of answers in a row that contradicted the known time.
  var contradictions = 0
  /// The beginning of its present absence, and the sum of all earlier ones.
  var absentSince: HostTime?
  var absence = Duration.zero
  /// When it last said something to everybody.
  var spokeAt: HostTime?
  /// How far it said that its idea of the time may be off: as the reference, from what it took over.
  var clockBound: ClockBound?
  /// Its way to the reference and back, when last another was that.
  var roundTrip: Duration?
  /// What its playback coordinator said last.
  var coordination: CoordinationReport?
  /// The name under which it is known here.
  var name: String? {
    didSet { if name != oldValue { nameKey = name.map(PartyText.nameKey) } }
  }
  /// ``PartyText/nameKey(_:)`` of ``name``.
  private(set) var nameKey: String?
  /// The party's names for which ``name`` was chosen.
  var nameGeneration: UInt64 = 0
  /// The last event of ours that it need not ask for: what came before we knew of it.
  let baseline: UInt64
  /// Nil until its first introduction.
  var inbound: InboundSequence?
  /// Which of its loose messages have come.
  var loose = ReplayWindow()
  /// Which messages of its journal have come.
  var journal = ReplayWindow()
  /// The parts of its messages: reliable ones come one after another, loose ones mixed.
  var assembler = AppMessageAssembler(limit: 1)
  var looseAssembler = AppMessageAssembler(limit: 4)
  var lastHeard: HostTime
  var allowance: RateAllowance
  /// Its journal's, so that a file on its way leaves the allowance of everything else alone.
  var journalAllowance = RateAllowance.journal(at: HostTime(nanoseconds: 0))

  /// Its allowance of answers that are larger than its questions, in KiB.
  var answerAllowance = RateAllowance.answers(at: HostTime(nanoseconds: 0))

  static let heldLimit = 32
  /// The limit of ``held``, in bytes.
  static let heldSizeLimit = 64 << 10
  /// The limit of everything that is held for it, in bytes (``heldBytes``): two whole messages of an application.
  static let sizeLimit = 1 << 20

  /// The memory that it decides about, in bytes: what came early or in part, or before it answered.
  var heldBytes: Int {
    held.reduce(assembler.heldBytes + looseAssembler.heldBytes + (inbound?.heldBytes ?? 0)) {
      $0 + $1.heldBytes
    }
  }

  /// Holds what it said before it answered; the oldest give way.
  ///
  /// - Returns: how many were lost.
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

  /// Keeps ``heldBytes`` within its limit; what was begun first gives way.
  mutating func trim() {
    while heldBytes > Self.sizeLimit {
      guard looseAssembler.dropOldest() || assembler.dropOldest() else { return }
    }
  }

  /// Gives up everything that is held for it. Its events are asked for again.
  mutating func dropHeld(at now: HostTime) {
    held = []
    while assembler.dropOldest() || looseAssembler.dropOldest() {}
    inbound?.dropEarly(at: now)
  }

  /// Whether it is in the party as far as we know: fresh, and done arriving.
  var isPresent: Bool { standing == .admitted && beacon?.joinedAt != nil }
}

/// How far a clock may be off, as of a time; since then it may have drifted as well.
struct ClockBound: Hashable, Sendable {
  var uncertainty: Duration
  var taken: HostTime

  func uncertainty(at now: HostTime) -> Duration {
    uncertainty + max(.zero, now - taken) * ClockEstimator.driftLimit
  }
}

/// A token bucket: what one participant may make us work.
struct RateAllowance: Hashable, Sendable {
  private var tokens: Double
  private var refilled: HostTime

  let perSecond: Double
  let burst: Double

  init(perSecond: Double, burst: Double, at now: HostTime) {
    self.perSecond = perSecond
    self.burst = burst
    tokens = burst
    refilled = now
  }

  /// What we take from another participant.
  static func inbound(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 200, burst: 500, at: now)
  }

  /// What we take from another participant's journal: 64 MiB a second, more than any of them asks for.
  static func journal(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 2048, burst: 2048, at: now)
  }

  /// What the reference answers of everybody's clock exchanges: many times what they send in the long run, and
  /// enough for a few dozen who come at once. Whoever gets no answer goes by its beacons meanwhile.
  static func clock(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 50, burst: 1000, at: now)
  }

  /// The answers to one participant's questions that are shorter than those, in KiB: it doesn't ask again for what
  /// it got.
  static func answers(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 16, burst: 128, at: now)
  }

  /// Newcomers whom one member answers: each answer is some thousand bytes.
  static func arrivals(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 10, burst: 40, at: now)
  }

  /// Whom one challenges who hasn't been heard of: a crowd of made-up senders gets few challenges out of us.
  static func meetings(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 20, burst: 100, at: now)
  }

  /// What we do in a large party for all those together who aren't in our roster.
  static func strangers(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 50, burst: 200, at: now)
  }

  /// Who is put into a full roster in somebody else's place.
  static func roster(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 2, burst: 20, at: now)
  }

  /// What an application may send: well below what the others take, since our own messages and repairs
  /// count there too.
  static func application(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 100, burst: 100, at: now)
  }

  /// Each is a chain of signatures to check, or as long a message to send.
  static func charters(at now: HostTime) -> RateAllowance {
    RateAllowance(perSecond: 2, burst: 10, at: now)
  }

  /// - Returns: false when there is nothing left to spend.
  mutating func spend(_ cost: Int = 1, at now: HostTime) -> Bool {
    tokens = min(burst, tokens + max(0, (now - refilled).inSeconds) * perSecond)
    refilled = now
    guard tokens >= Double(cost) else { return false }
    tokens -= Double(cost)
    return true
  }
}
