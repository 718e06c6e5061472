import Timekeeping

/// The state of one other participant, as this one knows it.
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
  var standing: Standing
  var process = Process()
  /// The messages held while challenged, bounded (``hold(_:)``).
  var held: [InboundMessage] = []
  /// A Boolean value that indicates whether it announced its departure. Older beacons of it are meaningless
  /// then.
  var hasLeft = false
  /// The newest beacon, and its number.
  var beacon: Beacon?
  var beaconSource = BeaconSource()
  /// The arrival as the participant claims it, but not before the others could have noticed it. Nil until it
  /// joined.
  var arrivedAt: GroupTime?
  /// A Boolean value that indicates whether this participant witnessed the arrival itself.
  var isWitnessed = false
  var conduct = ClockConduct()
  /// The beginning of its present absence, and the sum of all earlier ones.
  var absentSince: HostTime?
  var absence = Duration.zero
  /// The time of its last event from its user.
  var spokeAt: HostTime?
  /// The uncertainty of its time, as it reports; as the reference, against the time that it took over.
  var clockBound: ClockBound?
  /// Its round trip to the reference, when it last had another participant as the reference.
  var roundTrip: Duration?
  /// The last report of its playback coordinator.
  var coordination: CoordinationReport?
  /// The participant's displayed name.
  var name: String? {
    didSet { if name != oldValue { nameKey = name.map(PartyText.nameKey) } }
  }
  /// ``PartyText/nameKey(_:)`` of ``name``.
  private(set) var nameKey: String?
  /// The generation of the party's names for which ``name`` was chosen.
  var nameGeneration: UInt64 = 0
  /// The last of our events that it need not request: the events before we knew of it.
  let baseline: UInt64
  var streams = Streams()
  var lastHeard: HostTime
  var allowance: RateAllowance
  var sideAllowances = SideAllowances()

  /// The allowances besides that of its messages.
  struct SideAllowances: Hashable, Sendable {
    /// The allowance of its lanes, so that a file transfer doesn't use up the allowance of other messages.
    var lane = RateAllowance.lane(at: HostTime(nanoseconds: 0))
    /// Its allowance for answers that are larger than its questions, in KiB.
    var answers = RateAllowance.answers(at: HostTime(nanoseconds: 0))
  }

  /// The process that speaks for it.
  struct Process: Hashable, Sendable {
    /// The epoch of another process with the same key that was heard while this one was challenged.
    var candidate: UInt64?
    /// Its ``KeyExchange/publicKey``, for which secrets of epochs are sealed; nil until it announced one.
    var exchangeKey: [UInt8]?
  }

  /// The form in which the newest beacon came.
  struct BeaconSource: Hashable, Sendable {
    var sequence: UInt64 = 0
    /// The beacon as it was signed, for newcomers to a large party.
    var original: [UInt8] = []
    /// The participant's part in the party's relays, as its newest beacon says.
    var standby: StandbyReport?
  }

  /// The findings about its time.
  struct ClockConduct: Hashable, Sendable {
    /// Its wall clock, against the group's time.
    var wallClock = WallClockRecord()
    /// A Boolean value that indicates whether its time jumped while it was the reference; it comes last from then on.
    var isDeposed = false
    /// A Boolean value that indicates whether its last beacon showed another time; noted by the reference.
    var isApart = false
    /// The number of consecutive answers that contradicted the known time.
    var contradictions = 0
  }

  /// The messages that were received from it.
  struct Streams: Hashable, Sendable {
    /// The sequence of its events; nil until its first introduction.
    var inbound: InboundSequence?
    /// The received numbers of its loose messages.
    var loose = ReplayWindow()
    /// The received numbers of its messages on lanes.
    var lane = ReplayWindow()
    /// The parts of its messages: reliable messages arrive one after another, loose ones mixed.
    var assembler = AppMessageAssembler(limit: 1)
    var looseAssembler = AppMessageAssembler(limit: 4)
  }

  static let heldLimit = 32
  /// The limit of ``held``, in bytes.
  static let heldSizeLimit = 64 << 10
  /// The limit of ``heldBytes``, in bytes: two whole messages of an application.
  static let sizeLimit = 1 << 20

  /// The memory that it can fill, in bytes: early and partial messages, and those from before it answered a
  /// challenge.
  var heldBytes: Int {
    held.reduce(
      streams.assembler.heldBytes + streams.looseAssembler.heldBytes
        + (streams.inbound?.heldBytes ?? 0)
    ) {
      $0 + $1.heldBytes
    }
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
      guard streams.looseAssembler.dropOldest() || streams.assembler.dropOldest() else { return }
    }
  }

  /// Drops everything that is held for it. Its events are requested again.
  mutating func dropHeld(at now: HostTime) {
    held = []
    while streams.assembler.dropOldest() || streams.looseAssembler.dropOldest() {}
    streams.inbound?.dropEarly(at: now)
  }

  /// A Boolean value that indicates whether it is in the party, as far as we know: fresh, and arrived.
  var isPresent: Bool { standing == .admitted && beacon?.joinedAt != nil }
}
