import DequeModule
import Timekeeping

/// The records of the last minutes, oldest first. There are none while nothing plays, so such times remain gaps.
package struct SyncHistory: Hashable, Sendable {
  /// The time span of the records.
  static let depth = Duration.seconds(300)
  /// More than the measurements and events within ``depth``, even at their highest rate.
  static let capacity = 2400

  package private(set) var records = Deque<SyncRecord>()

  /// - Parameter record: a new record. A measurement may be some milliseconds older than an event before it.
  mutating func append(_ record: SyncRecord) {
    records.append(record)
    while let first = records.first,
      records.count > Self.capacity || record.hostTime - first.hostTime > Self.depth
    {
      records.removeFirst()
    }
  }
}
