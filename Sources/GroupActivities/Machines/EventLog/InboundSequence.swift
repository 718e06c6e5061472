import Timekeeping

/// Orders one sender's events, delivers each exactly once, and schedules requests for missing ones.
struct InboundSequence: Hashable, Sendable {
  /// The number of the next event to be delivered.
  private(set) var next: UInt64
  private struct Early: Hashable {
    /// The message; nil if this program can't read it.
    var message: EventMessage?
    /// The message's size, in bytes.
    var size: Int
  }

  /// The events that arrived before their turn.
  private var early: [UInt64: Early] = [:]
  /// The memory of the early events, in bytes.
  private(set) var heldBytes = 0
  /// The newest event that is known to exist.
  private var newest: UInt64
  /// The number of requests for the current gap.
  private(set) var attempts = 0
  /// The time of the next request for missing events; nil while none is missing.
  private(set) var requestAt: HostTime?

  /// The largest number of early events: enough for those in transit while one request is answered. The
  /// sender keeps the rest.
  static let earlyLimit = 64
  /// The largest memory of early events, in bytes. Further ones are requested again once the gap is closed.
  static let earlySizeLimit = 512 * 1024
  /// The number of requests after which a gap is skipped. A sender that no longer has an event reports that;
  /// silence means loss. With three of ten messages lost, only one gap in a million is still open by then,
  /// some 18 seconds later.
  static let attemptLimit = 20
  static let requestInterval = Duration.milliseconds(250)
  /// The factor up to which the interval grows with each attempt.
  private static let patientInterval = 4
  /// The limit of sequence numbers. No honest counter reaches it.
  private static let sequenceLimit: UInt64 = 1 << 60

  /// - Parameter baseline: the last event that need not be delivered.
  init(baseline: UInt64) {
    next = min(baseline, Self.sequenceLimit) + 1
    newest = next - 1
  }

  /// - Parameters:
  ///   - message: nil for a message that this program can't read. It takes its turn like the others:
  ///     requesting it again wouldn't help, and later events needn't wait.
  ///   - size: the approximate size of the message, in bytes.
  ///   - patience: the time to wait before requesting the events of a new gap. Events that overtook each
  ///     other close it without a request.
  /// - Returns: the events that can be delivered now, in order; nil if the event is an old one.
  mutating func receive(
    _ message: EventMessage?, sequence: UInt64, size: Int = 300, at now: HostTime,
    patience: Duration
  ) -> [EventMessage]? {
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

  /// Records the newest event that the sender reported.
  mutating func learn(newest sequence: UInt64, at now: HostTime, patience: Duration) {
    guard sequence >= next, sequence < Self.sequenceLimit else { return }
    newest = max(newest, sequence)
    schedule(at: now + patience)
  }

  enum Request: Hashable, Sendable {
    case none
    case ask(ResendRequest)
    /// No participant has the events any more: `missing` events were skipped, and `delivered` can be
    /// delivered.
    case giveUp(missing: UInt64, delivered: [EventMessage])
  }

  /// Returns the request that is due. Call it at ``requestAt``.
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

  /// Skips the events up to a number, which the sender no longer keeps.
  mutating func refused(through sequence: UInt64, at now: HostTime) -> Request {
    guard sequence >= next, newest >= next else { return .none }
    let (missing, delivered) = skip(through: min(sequence, firstKept - 1), now: now)
    return .giveUp(missing: missing, delivered: delivered)
  }

  /// Drops the early events. They are requested again.
  mutating func dropEarly(at now: HostTime) {
    guard !early.isEmpty else { return }
    early = [:]
    heldBytes = 0
    schedule(at: now + Self.requestInterval)
  }

  /// Postpones the request, because another participant has sent it.
  mutating func postpone(until due: HostTime) {
    guard let requestAt, requestAt < due else { return }
    self.requestAt = due
  }

  /// Starts over after an outage of the link, whose losses don't count against the sender.
  mutating func linkReturned(at now: HostTime) {
    attempts = 0
    if requestAt != nil { requestAt = now + Self.requestInterval }
  }

  /// The first available event after the gap at ``next``.
  private var firstKept: UInt64 { early.keys.min() ?? newest + 1 }

  private mutating func schedule(at due: HostTime) {
    if requestAt == nil { requestAt = due }
  }

  private mutating func skip(through last: UInt64, now: HostTime) -> (UInt64, [EventMessage]) {
    let missing = last + 1 - next
    next = last + 1
    return (missing, advance(now: now, patience: .zero))
  }

  private mutating func advance(now: HostTime, patience: Duration) -> [EventMessage] {
    var delivered: [EventMessage] = []
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
