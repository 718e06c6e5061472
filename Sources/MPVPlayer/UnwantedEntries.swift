/// Entries of mpv's playlist that nobody in front of it chose: what became of a load that another one replaced
/// before it had begun, and what a playlist that somebody else named holds besides its first entry. When mpv goes
/// on to one of them, that is not the user's doing, and nothing to pass on to a group.
struct UnwantedEntries: Hashable, Sendable {
  private var ranges: [ClosedRange<Int64>] = []

  /// Entries are short-lived: one load follows another.
  private static let limit = 64

  func contains(_ entryID: Int64) -> Bool { ranges.contains { $0.contains(entryID) } }

  mutating func add(_ entryID: Int64) { add(entryID...entryID) }

  /// A playlist takes the place of an entry: what it holds is as unwanted as that was.
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
  /// What took this entry's place; nil if nothing did.
  fileprivate var insertedEntries: ClosedRange<Int64>? {
    guard insertedCount > 0 else { return nil }
    let (last, overflow) = insertedEntryID.addingReportingOverflow(Int64(insertedCount) - 1)
    return overflow ? nil : insertedEntryID...last
  }
}
