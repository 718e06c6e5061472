/// Entries of mpv's playlist that this machine's user didn't choose: the remains of a load that another one replaced
/// before it had begun, and the entries after the first in a playlist that a peer named. If mpv plays one of them, that
/// is not an action of the user, and isn't reported to a group.
struct UnwantedEntries: Hashable, Sendable {
  private var ranges: [ClosedRange<Int64>] = []

  /// Entries are short-lived: one load follows another.
  private static let limit = 64

  func contains(_ entryID: Int64) -> Bool { ranges.contains { $0.contains(entryID) } }

  mutating func add(_ entryID: Int64) { add(entryID...entryID) }

  /// A playlist replaced an entry: its contents are unwanted if the entry was.
  mutating func redirected(_ end: MPVEvent.EndOfFile) {
    guard contains(end.entryID), let inserted = end.insertedEntries else { return }
    add(inserted)
  }

  mutating func addAllButFirst(of end: MPVEvent.EndOfFile) {
    guard let inserted = end.insertedEntries, inserted.count > 1 else { return }
    add(inserted.lowerBound + 1...inserted.upperBound)
  }

  private mutating func add(_ range: ClosedRange<Int64>) {
    ranges.append(range)
    if ranges.count > Self.limit { ranges.removeFirst() }
  }
}

extension MPVEvent.EndOfFile {
  /// The entries that replaced this one; nil if there are none.
  fileprivate var insertedEntries: ClosedRange<Int64>? {
    guard insertedCount > 0 else { return nil }
    let (last, overflow) = insertedEntryID.addingReportingOverflow(Int64(insertedCount) - 1)
    return overflow ? nil : insertedEntryID...last
  }
}
