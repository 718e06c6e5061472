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
  /// Held while challenged, bounded.
  var held: [InboundMessage] = []
  /// The newest beacon, and its number.
  var beacon: Beacon?
  var beaconSequence: UInt64 = 0
  /// What its playback coordinator said last.
  var coordination: CoordinationReport?
  /// The name under which it is known here.
  var name: String?
  /// The last event of ours that it need not ask for: what came before we knew of it.
  let baseline: UInt64
  /// Nil until its first introduction.
  var inbound: InboundSequence?
  var lastHeard: HostTime
  var allowance: RateAllowance

  static let heldLimit = 32

  /// Whether it is in the party as far as we know: fresh, and done arriving.
  var isPresent: Bool { standing == .admitted && beacon?.joinedAt != nil }
}

/// A token bucket: what one participant may make us work.
struct RateAllowance: Hashable, Sendable {
  private var tokens: Double
  private var refilled: HostTime

  static let perSecond = 200.0
  static let burst = 500.0

  init(at now: HostTime) {
    tokens = Self.burst
    refilled = now
  }

  /// - Returns: false when there is nothing left to spend.
  mutating func spend(at now: HostTime) -> Bool {
    tokens = min(Self.burst, tokens + max(0, (now - refilled).inSeconds) * Self.perSecond)
    refilled = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
