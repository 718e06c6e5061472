import Timekeeping

/// The messages that were received from one participant: their order, the parts of unfinished ones, and the memory that
/// they take.
struct PeerStreams: Hashable, Sendable {
  /// The sequence of its events; nil until its first introduction.
  private(set) var inbound: InboundSequence?
  /// The received numbers of its loose messages.
  private(set) var loose = ReplayWindow()
  /// The received numbers of its messages on lanes.
  private(set) var lane = ReplayWindow()
  /// The parts of its messages: reliable messages arrive one after another, loose ones mixed.
  private var assembler = AppMessageAssembler(limit: 1)
  private var looseAssembler = AppMessageAssembler(limit: 4)

  // MARK: - Events

  /// Its events begin, unless they have begun.
  ///
  /// - Parameter baseline: the last event that need not be requested.
  mutating func begin(after baseline: UInt64) {
    if inbound == nil { inbound = InboundSequence(baseline: baseline) }
  }

  mutating func linkReturned(at now: HostTime) { inbound?.linkReturned(at: now) }

  /// - Returns: the events that can be delivered now; nil if the event is an old one, or they haven't begun.
  mutating func eventReceived(
    _ event: EventMessage?, sequence: UInt64, size: Int, at now: HostTime, patience: Duration
  ) -> [EventMessage]? {
    inbound?.receive(event, sequence: sequence, size: size, at: now, patience: patience)
  }

  mutating func eventReported(newest: UInt64, at now: HostTime, patience: Duration) {
    inbound?.learn(newest: newest, at: now, patience: patience)
  }

  mutating func resendRefused(through sequence: UInt64, at now: HostTime)
    -> InboundSequence.Request?
  {
    inbound?.refused(through: sequence, at: now)
  }

  /// - Returns: the request for missing events, if one is due.
  mutating func requestMissing(at now: HostTime) -> InboundSequence.Request? {
    guard let due = inbound?.requestAt, now >= due else { return nil }
    return inbound?.request(at: now)
  }

  mutating func requestPostponed(until due: HostTime) { inbound?.postpone(until: due) }

  // MARK: - Other messages

  /// - Returns: false for a number that was received before, or is too old to decide.
  mutating func looseReceived(_ sequence: UInt64) -> Bool { loose.admit(sequence) }

  /// - Returns: false for a number that was received before, or is too old to decide.
  mutating func laneReceived(_ sequence: UInt64) -> Bool { lane.admit(sequence) }

  /// - Returns: the whole message after its last part.
  mutating func partReceived(_ message: AppMessage, isLoose: Bool) -> AppMessage? {
    isLoose ? looseAssembler.partReceived(message) : assembler.partReceived(message)
  }

  // MARK: - Memory

  /// The memory of early and partial messages, in bytes.
  var heldBytes: Int {
    assembler.heldBytes + looseAssembler.heldBytes + (inbound?.heldBytes ?? 0)
  }

  /// Drops the oldest partial message.
  ///
  /// - Returns: false if there is none.
  mutating func dropOldestPart() -> Bool { looseAssembler.dropOldest() || assembler.dropOldest() }

  /// Drops all early and partial messages. The events are requested again.
  mutating func dropHeld(at now: HostTime) {
    while dropOldestPart() {}
    inbound?.dropEarly(at: now)
  }
}
