import Timekeeping

/// Puts one sender's events in order, each exactly once, and says when to ask for missing ones.
struct InboundSequence: Hashable, Sendable {
  /// The event that is to be delivered next.
  private(set) var next: UInt64
  private struct Early: Hashable {
    /// Nil if this program can't read it.
    var message: WireMessage?
    /// In bytes.
    var size: Int
  }

  /// Events that came before their turn.
  private var early: [UInt64: Early] = [:]
  /// The memory of those, in bytes.
  private(set) var heldBytes = 0
  /// The newest event that exists, as far as is known.
  private var newest: UInt64
  /// How often was asked for the gap that there is now.
  private(set) var attempts = 0
  /// When to ask for what is missing; nil while nothing is.
  private(set) var requestAt: HostTime?

  /// Enough for what is on its way while one request is answered; the sender keeps the rest.
  static let earlyLimit = 64
  /// In bytes. More is asked for again once the gap is closed.
  static let earlySizeLimit = 512 * 1024
  /// A sender that no longer has an event says so. Silence is loss: three messages of ten may get
  /// lost, and still only one gap in a million isn't filled by then, some 18 seconds later.
  static let attemptLimit = 20
  static let requestInterval = Duration.milliseconds(250)
  /// The interval grows with each attempt up to so many times itself.
  private static let patientInterval = 4
  /// A counter beyond this was never counted up to.
  private static let sequenceLimit: UInt64 = 1 << 60

  /// - Parameter baseline: the last event that need not be delivered.
  init(baseline: UInt64) {
    next = min(baseline, Self.sequenceLimit) + 1
    newest = next - 1
  }

  /// - Parameters:
  ///   - message: nil for one that this program can't read. It takes its turn like the others: asking for it
  ///     again wouldn't help, and what was said after it needn't wait.
  ///   - size: of the message, in bytes, about.
  ///   - patience: how long to wait before asking for a gap that shows: events that overtook each other close
  ///     it by themselves.
  /// - Returns: what can be delivered now, in order; nil if the event is an old one.
  mutating func receive(
    _ message: WireMessage?, sequence: UInt64, size: Int = 300, at now: HostTime,
    patience: Duration
  ) -> [WireMessage]? {
    guard sequence >= next, sequence < Self.sequenceLimit, early.index(forKey: sequence) == nil
    else {
      return nil
    }
    newest = max(newest, sequence)
    let hasRoom = early.count < Self.earlyLimit && heldBytes + size <= Self.earlySizeLimit
    guard sequence == next || hasRoom else {
      schedule(at: now + patience)
      return []
    }
    early[sequence] = Early(message: message, size: size)
    heldBytes += size
    return advance(now: now, patience: patience)
  }

  /// Takes note of the newest event that the sender says exists.
  mutating func learn(newest sequence: UInt64, at now: HostTime, patience: Duration) {
    guard sequence >= next, sequence < Self.sequenceLimit else { return }
    newest = max(newest, sequence)
    schedule(at: now + patience)
  }

  enum Request: Hashable, Sendable {
    case none
    case ask(ResendRequest)
    /// Nobody has them any more: so many were skipped, and these can be delivered.
    case giveUp(missing: UInt64, delivered: [WireMessage])
  }

  /// Call at ``requestAt``.
  mutating func request(at now: HostTime) -> Request {
    guard let due = requestAt, now >= due else { return .none }
    guard newest >= next else {
      requestAt = nil
      return .none
    }
    attempts += 1
    guard attempts <= Self.attemptLimit else {
      let (missing, delivered) = skip(through: firstKept - 1, now: now)
      return .giveUp(missing: missing, delivered: delivered)
    }
    requestAt = now + Self.requestInterval * min(attempts, Self.patientInterval)
    return .ask(
      ResendRequest(from: next, through: min(firstKept - 1, next + UInt64(Self.earlyLimit) - 1)))
  }

  /// The sender no longer keeps the events up to this one.
  mutating func refused(through sequence: UInt64, at now: HostTime) -> Request {
    guard sequence >= next, newest >= next else { return .none }
    let (missing, delivered) = skip(through: min(sequence, firstKept - 1), now: now)
    return .giveUp(missing: missing, delivered: delivered)
  }

  /// Forgets the events that came early: they are asked for again.
  mutating func dropEarly(at now: HostTime) {
    guard !early.isEmpty else { return }
    early = [:]
    heldBytes = 0
    schedule(at: now + Self.requestInterval)
  }

  /// Somebody else has asked for it.
  mutating func postpone(until due: HostTime) {
    guard let requestAt, requestAt < due else { return }
    self.requestAt = due
  }

  /// The link was down, and what it cost is not to count against the sender.
  mutating func linkReturned(at now: HostTime) {
    attempts = 0
    if requestAt != nil { requestAt = now + Self.requestInterval }
  }

  /// The first event after the gap at ``next``.
  private var firstKept: UInt64 { early.keys.min() ?? newest + 1 }

  private mutating func schedule(at due: HostTime) {
    if requestAt == nil { requestAt = due }
  }

  private mutating func skip(through last: UInt64, now: HostTime) -> (UInt64, [WireMessage]) {
    let missing = last + 1 - next
    next = last + 1
    return (missing, advance(now: now, patience: .zero))
  }

  private mutating func advance(now: HostTime, patience: Duration) -> [WireMessage] {
    var delivered: [WireMessage] = []
    let before = next
    while let event = early.removeValue(forKey: next) {
      heldBytes -= event.size
      if let message = event.message { delivered.append(message) }
      next += 1
    }
    if newest < next {
      requestAt = nil
      attempts = 0
    } else {
      if next > before {
        attempts = 0
        requestAt = nil
      }
      schedule(at: now + patience)
    }
    return delivered
  }
}
