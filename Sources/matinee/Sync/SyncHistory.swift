import DequeModule
import Timekeeping

/// The records of the last minutes, oldest first. While nothing plays there are none: gaps stay gaps.
struct SyncHistory: Hashable, Sendable {
  /// How far back it reaches.
  static let depth = Duration.seconds(300)
  /// More than the looks and the events of ``depth``, however quickly they come.
  static let capacity = 2400

  private(set) var records = Deque<SyncRecord>()

  /// - Parameter record: a new one; what was measured may be some milliseconds older than an event before it.
  mutating func append(_ record: SyncRecord) {
    records.append(record)
    while let first = records.first,
      records.count > Self.capacity || record.hostTime - first.hostTime > Self.depth
    {
      records.removeFirst()
    }
  }
}
