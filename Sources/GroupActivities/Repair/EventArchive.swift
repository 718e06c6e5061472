import DequeModule

/// What the others said of late, as they signed it, so that whoever missed it can have it from anybody: also
/// what somebody said who is gone.
struct EventArchive: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var sender: Participant.ID
    var epoch: UInt64
    var sequence: UInt64
    /// Opens as what it was (``EnvelopeSealer/verify(_:from:)``).
    var original: [UInt8]
  }

  /// The oldest first.
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

  /// What somebody said from a number on, in order.
  func originals(of sender: Participant.ID, epoch: UInt64, from sequence: UInt64) -> [Entry] {
    entries.filter { $0.sender == sender && $0.epoch == epoch && $0.sequence >= sequence }
      .sorted { $0.sequence < $1.sequence }
  }

  /// The last number that is known of somebody; nil if nothing is kept.
  func newest(of sender: Participant.ID, epoch: UInt64) -> UInt64? {
    entries.lazy.filter { $0.sender == sender && $0.epoch == epoch }.map(\.sequence).max()
  }
}
