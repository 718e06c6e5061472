import DequeModule

/// Counts this participant's events and keeps the newest for participants that missed one.
struct OutboundLog: Hashable, Sendable {
  private(set) var lastSequence: UInt64 = 0
  private var kept = Deque<EventMessage>()

  static let capacity = 256
  /// The largest number of events in one answer. The asking participant requests the rest again.
  static let answerLimit: UInt64 = 64

  /// - Returns: the event's sequence number.
  mutating func append(_ message: EventMessage) -> UInt64 {
    lastSequence += 1
    kept.append(message)
    if kept.count > Self.capacity { kept.removeFirst() }
    return lastSequence
  }

  /// Returns whether the log can take so many more events without dropping any after `sequence`.
  func hasRoom(for count: Int, after sequence: UInt64) -> Bool {
    lastSequence - sequence + UInt64(count) <= UInt64(Self.capacity)
  }

  /// Returns the stored events after a number.
  func events(after sequence: UInt64) -> [(sequence: UInt64, message: EventMessage)] {
    let first = lastSequence - UInt64(kept.count) + 1
    return zip(first..., kept).filter { $0.0 > sequence }.map { (sequence: $0.0, message: $0.1) }
  }

  /// - Returns: the requested events that are still stored, and the last of those that are not.
  func answer(
    _ request: ResendRequest
  ) -> (events: [(sequence: UInt64, message: EventMessage)], refused: ResendRefusal?) {
    let firstKept = lastSequence - UInt64(kept.count) + 1
    guard request.from >= 1, request.from <= request.through, request.from <= lastSequence else {
      return ([], nil)
    }
    let refused = request.from < firstKept ? ResendRefusal(through: firstKept - 1) : nil
    let first = max(request.from, firstKept)
    let last = min(request.through, lastSequence, first + Self.answerLimit - 1)
    guard first <= last else { return ([], refused) }
    let events = (first...last).map { sequence in
      (sequence: sequence, message: kept[Int(sequence - firstKept)])
    }
    return (events, refused)
  }
}
