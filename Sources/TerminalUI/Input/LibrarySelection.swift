/// Which entry of each folder is selected, by identity, so that the selection stays with a film when
/// others appear or vanish around it, and how far the list is scrolled.
struct LibrarySelection: Hashable, Sendable {
  private static let maximumRemembered = 64

  private struct Place: Hashable, Sendable {
    var location: String
    var id: String
    var index: Int
  }

  /// The one used last is the last.
  private var places: [Place] = []
  /// The entry that was the first to be shown; it gives way to the selection.
  private var top = 0

  /// The selected entry's index; nil if the folder is empty.
  func index(in library: LibraryModel) -> Int? {
    guard !library.entries.isEmpty else { return nil }
    guard let place = places.last(where: { $0.location == library.location }) else {
      return library.isSearch ? 0 : library.entries.firstIndex(where: \.isCurrent) ?? 0
    }
    // When it is gone, its neighbour.
    return library.entries.firstIndex { $0.id == place.id }
      ?? min(place.index, library.entries.count - 1)
  }

  /// Whether somebody selected something there.
  func hasSelected(in library: LibraryModel) -> Bool {
    places.contains { $0.location == library.location }
  }

  mutating func select(_ index: Int, in library: LibraryModel) {
    guard !library.entries.isEmpty else { return }
    let bounded = min(max(0, index), library.entries.count - 1)
    places.removeAll { $0.location == library.location }
    places.append(
      Place(location: library.location, id: library.entries[bounded].id, index: bounded))
    if places.count > Self.maximumRemembered { places.removeFirst() }
  }

  mutating func select(id: LibraryModel.Entry.ID, in library: LibraryModel) {
    if let index = library.entries.firstIndex(where: { $0.id == id }) { select(index, in: library) }
  }

  /// The index of the first entry to show in `rows` rows, such that the selection is among them.
  func firstVisible(in library: LibraryModel, rows: Int) -> Int {
    guard let selected = index(in: library), rows > 0 else { return 0 }
    let lowest = max(0, selected - rows + 1)
    return min(max(top, lowest), selected, max(0, library.entries.count - rows))
  }

  /// Remembers what is shown, so that the next step scrolls from there.
  mutating func settle(in library: LibraryModel, rows: Int) {
    top = firstVisible(in: library, rows: rows)
  }
}
