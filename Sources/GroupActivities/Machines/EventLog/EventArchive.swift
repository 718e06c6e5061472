import DequeModule

/// The other participants' recent events with their signatures, so that a participant that missed one can get
/// it from any other, even after its sender has left.
struct EventArchive: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var sender: Participant.ID
    var epoch: UInt64
    var sequence: UInt64
    /// The signed event, which ``EnvelopeSealer/verify(_:from:)`` opens.
    var original: [UInt8]
  }

  /// The entries, oldest first.
  private var entries = Deque<Entry>()
  private(set) var size = 0

  static let capacity = 512
  static let sizeLimit = 512 * 1024

  mutating func keep(_ entry: Entry) {
    guard !entry.original.isEmpty, entry.original.count <= Self.sizeLimit / 8 else { return }
    entries.append(entry)
    size += entry.original.count
    while entries.count > Self.capacity || size > Self.sizeLimit {
      size -= entries.removeFirst().original.count
    }
  }

  /// Returns a participant's events from a number on, in order.
  func originals(of sender: Participant.ID, epoch: UInt64, from sequence: UInt64) -> [Entry] {
    entries.filter { $0.sender == sender && $0.epoch == epoch && $0.sequence >= sequence }
      .sorted { $0.sequence < $1.sequence }
  }
}
