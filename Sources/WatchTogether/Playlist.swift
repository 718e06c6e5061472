import Timekeeping

/// The films that a group watches one after another, as a replicated list: insertions, moves and removals by several
/// participants at once all survive, and participants who know the same edits have the same list.
///
/// Each entry's position has a stamp of its own, and so has the choice of the current entry: the newest edit of each
/// wins. A removal always wins over a move. An entry that is removed while another participant makes it the current
/// one stays until another entry is current.
public struct Playlist: Hashable, Sendable {
  /// An entry with its position.
  struct Item: Hashable, Sendable {
    var entry: PlaylistEntry
    var position: ListPosition
    /// The stamp of the position.
    var movedAt: EditStamp
  }

  /// The items by their entries' identifiers, those of removed entries included: one of them may be current at another
  /// participant.
  private(set) var items: [UInt32: Item]
  /// The identifiers of removed entries. The oldest are forgotten beyond ``removalLimit``.
  private(set) var removals: [UInt32: EditStamp]
  /// The identifier of the current entry.
  public private(set) var currentID: UInt32
  private(set) var chosenAt: EditStamp

  /// The number of entries up to which participants add films.
  public static let entryLimit = 40
  /// The number of entries that a list can have after several participants added films at once.
  static let mergedLimit = 2 * entryLimit
  /// The size of an encoded list in bytes, which a session's activity can hold, whatever lists were merged.
  static let sizeLimit = 16 * 1024
  /// The number of removals that a list remembers, against entries that come back from participants who missed them.
  static let removalLimit = 16

  /// Creates a list with one film, which is the current one.
  public init(
    _ film: PlaylistEntry, at now: GroupTime?, using random: inout some RandomNumberGenerator
  ) {
    items = [:]
    removals = [:]
    currentID = film.id
    chosenAt = .oldest
    let stamp = stamp(at: now, using: &random)
    let position = ListPosition(after: nil, before: nil, using: &random)
    items[film.id] = Item(entry: film, position: position, movedAt: stamp)
    chosenAt = stamp
  }

  /// - Returns: nil for parts that no list consists of.
  init?(items: [Item], removals: [UInt32: EditStamp], currentID: UInt32, chosenAt: EditStamp) {
    guard (1...Self.mergedLimit + Self.removalLimit).contains(items.count),
      removals.count <= Self.removalLimit
    else { return nil }
    self.items = Dictionary(items.map { ($0.entry.id, $0) }, uniquingKeysWith: Self.newer)
    self.removals = removals
    self.currentID = currentID
    self.chosenAt = chosenAt
    guard self.items.count == items.count, self.items[currentID] != nil else { return nil }
    tidy()
  }

  /// The entries in order, never empty.
  public var entries: [PlaylistEntry] {
    shown.sorted { ($0.position, $0.entry.id) < ($1.position, $1.entry.id) }.map(\.entry)
  }

  /// The items of entries that aren't removed, and of the current one.
  private var shown: [Item] {
    items.values.filter { removals[$0.entry.id] == nil || $0.entry.id == currentID }
  }

  /// The index of the current entry.
  public var currentIndex: Int { index(in: entries) }

  private func index(in entries: [PlaylistEntry]) -> Int {
    entries.firstIndex { $0.id == currentID } ?? 0
  }

  /// The current entry.
  public var current: PlaylistEntry { items[currentID]!.entry }

  /// The entry at a distance from the current one; nil beyond the list's ends.
  public func entry(at step: Int) -> PlaylistEntry? {
    let entries = entries
    let (index, overflow) = index(in: entries).addingReportingOverflow(step)
    return !overflow && entries.indices.contains(index) ? entries[index] : nil
  }

  // MARK: - Edits

  /// Adds a film at the end.
  ///
  /// - Returns: false if the list is full, by its number of entries or its size.
  public mutating func append(
    _ film: PlaylistEntry, at now: GroupTime?, using random: inout some RandomNumberGenerator
  ) -> Bool {
    let count = shown.count
    guard count < Self.entryLimit else { return false }
    var longer = self
    longer.place(film, at: count, now: now, using: &random)
    guard longer.shown.count > count else { return false }
    self = longer
    return true
  }

  /// Makes a new film the current one. The rest of the list follows it. In a full list it replaces the current entry.
  public mutating func open(
    _ film: PlaylistEntry, at now: GroupTime?, using random: inout some RandomNumberGenerator
  ) {
    let replaced = shown.count >= Self.entryLimit ? currentID : nil
    place(film, at: currentIndex + 1, now: now, using: &random)
    choose(film.id, now: now, using: &random)
    if let replaced { remove(replaced, now: now, using: &random) }
  }

  /// Makes an entry the current one.
  ///
  /// - Returns: false without such an entry, and if it is the current one.
  public mutating func makeCurrent(
    _ id: UInt32, at now: GroupTime?, using random: inout some RandomNumberGenerator
  ) -> Bool {
    guard items[id] != nil, removals[id] == nil, id != currentID else { return false }
    choose(id, now: now, using: &random)
    return true
  }

  /// Moves an entry.
  ///
  /// - Parameters:
  ///   - from: the index of the entry.
  ///   - to: its index after the move.
  ///   - now: the group's time; nil while it isn't known, and outside a party.
  ///   - random: the source of the entry's new position between its neighbors.
  /// - Returns: false if an index is out of range.
  public mutating func move(
    from: Int, to: Int, at now: GroupTime?, using random: inout some RandomNumberGenerator
  ) -> Bool {
    let entries = entries
    guard entries.indices.contains(from), entries.indices.contains(to) else { return false }
    guard from != to else { return true }
    let entry = entries[from]
    place(entry, at: to, now: now, using: &random)
    return true
  }

  /// Removes an entry.
  ///
  /// - Returns: false for an index out of range, and for the current entry.
  public mutating func remove(
    at index: Int, now: GroupTime?, using random: inout some RandomNumberGenerator
  ) -> Bool {
    let entries = entries
    guard entries.indices.contains(index), entries[index].id != currentID else { return false }
    remove(entries[index].id, now: now, using: &random)
    return true
  }

  // MARK: - Merging

  /// Adds the edits that another participant's list has.
  public mutating func merge(_ other: Playlist) {
    items.merge(other.items, uniquingKeysWith: Self.newer)
    removals.merge(other.removals) { max($0, $1) }
    if (chosenAt, currentID) < (other.chosenAt, other.currentID) {
      (chosenAt, currentID) = (other.chosenAt, other.currentID)
    }
    tidy()
  }

  /// Returns the list with the edits that another participant's list has.
  public func merged(with other: Playlist) -> Playlist {
    var merged = self
    merged.merge(other)
    return merged
  }

  /// The group time of the newest edit, as its author claims.
  public var lastEdit: GroupTime { GroupTime(nanoseconds: newest.time) }

  /// The newest stamp of all edits that the list remembers.
  var newest: EditStamp {
    max(
      chosenAt, items.values.lazy.map(\.movedAt).max() ?? .oldest,
      removals.values.max() ?? .oldest)
  }

  // MARK: - Parts of edits

  private func stamp(
    at now: GroupTime?, using random: inout some RandomNumberGenerator
  ) -> EditStamp {
    let known = newest.time
    let after = known == .max ? .max : max(known, -1) + 1
    return EditStamp(
      time: max(now?.nanoseconds ?? 0, after), tie: .random(in: .min ... .max, using: &random))
  }

  private mutating func choose(
    _ id: UInt32, now: GroupTime?, using random: inout some RandomNumberGenerator
  ) {
    chosenAt = stamp(at: now, using: &random)
    currentID = id
    tidy()
  }

  private mutating func remove(
    _ id: UInt32, now: GroupTime?, using random: inout some RandomNumberGenerator
  ) {
    removals[id] = stamp(at: now, using: &random)
    tidy()
  }

  private mutating func place(
    _ entry: PlaylistEntry, at index: Int, now: GroupTime?,
    using random: inout some RandomNumberGenerator
  ) {
    let stamp = stamp(at: now, using: &random)
    let others = entries.filter { $0.id != entry.id }
    let lower = index > 0 ? items[others[index - 1].id]?.position : nil
    let upper = index < others.count ? items[others[index].id]?.position : nil
    let position = ListPosition(after: lower, before: upper, using: &random)
    items[entry.id] = Item(entry: entry, position: position, movedAt: stamp)
    if position.digits.count > ListPosition.digitLimit { renumber(stamp, using: &random) }
    tidy()
  }

  /// Gives all entries new positions, since there is no room between two of them.
  private mutating func renumber(
    _ stamp: EditStamp, using random: inout some RandomNumberGenerator
  ) {
    var last: ListPosition?
    for entry in entries {
      let position = ListPosition(after: last, before: nil, using: &random)
      items[entry.id]?.position = position
      items[entry.id]?.movedAt = stamp
      last = position
    }
  }

  /// Drops what is beyond the limits.
  private mutating func tidy() {
    let forgotten = removals.filter { $0.key != currentID }.sorted { $0.value > $1.value }
      .dropFirst(Self.removalLimit - 1)
    for (id, _) in forgotten { (items[id], removals[id]) = (nil, nil) }
    let excess = items.values.filter { $0.entry.id != currentID && removals[$0.entry.id] == nil }
      .sorted { $0.movedAt < $1.movedAt }.dropFirst(Self.mergedLimit - 1)
    for item in excess { items[item.entry.id] = nil }
    shrink()
  }

  /// Keeps the current item, and of the others, beginning with the newest, each for which there is room. So a merged list
  /// never loses a newer item for an older one, and participants who exchange merged lists come to an end.
  private mutating func shrink() {
    var room = Self.sizeLimit - Self.frameSize - items[currentID]!.size
    let newest = items.values.filter { $0.entry.id != currentID }
      .sorted { ($0.movedAt, $0.entry.id) > ($1.movedAt, $1.entry.id) }
    for item in newest {
      if item.size <= room { room -= item.size } else { items[item.entry.id] = nil }
    }
  }

  /// Returns one of two items with the same identifier, the same for all participants.
  private static func newer(_ a: Item, _ b: Item) -> Item {
    if a.movedAt != b.movedAt { return a.movedAt < b.movedAt ? b : a }
    if a.position != b.position { return a.position < b.position ? b : a }
    // Only a program that isn't this one makes two films with one identifier.
    let isBefore =
      [a.entry.identifier, a.entry.title, a.entry.location ?? ""].lexicographicallyPrecedes(
        [b.entry.identifier, b.entry.title, b.entry.location ?? ""])
    return isBefore ? b : a
  }
}
