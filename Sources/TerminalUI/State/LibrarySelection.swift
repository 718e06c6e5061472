/// The selected entry of each folder, by identity, so that a film stays selected when others appear or disappear around
/// it, and the scroll position of the list.
struct LibrarySelection: Hashable, Sendable {
  private static let maximumRemembered = 64

  private struct Selection: Hashable, Sendable {
    var location: String
    var id: String
    var index: Int
  }

  /// The remembered folders, the most recently used one last.
  private var selections: [Selection] = []
  /// The folder that was left last, which is selected in the folder above; nil after another selection.
  private var leftFolder: String?
  /// The first visible entry. The list scrolls if the selection wouldn't be visible.
  private var top = 0

  /// Returns the selected entry's index; nil if the folder is empty.
  func index(in library: LibraryModel) -> Int? {
    guard !library.entries.isEmpty else { return nil }
    if let left = library.entries.firstIndex(where: { $0.id == leftFolder }) { return left }
    guard let selection = selections.last(where: { $0.location == library.location }) else {
      return library.isSearch ? 0 : library.entries.firstIndex(where: \.isCurrent) ?? 0
    }
    // The neighbour of an entry that no longer exists.
    return library.entries.firstIndex { $0.id == selection.id }
      ?? min(selection.index, library.entries.count - 1)
  }

  /// Returns whether the user selected an entry of this folder.
  func hasSelected(in library: LibraryModel) -> Bool {
    selections.contains { $0.location == library.location }
  }

  /// The user left a folder for the one above.
  mutating func left(_ location: String) { leftFolder = location }

  /// Forgets the selection in a folder: the film that is open is selected.
  mutating func forgetSelection(in location: String) {
    leftFolder = nil
    selections.removeAll { $0.location == location }
  }

  mutating func select(_ index: Int, in library: LibraryModel) {
    guard !library.entries.isEmpty else { return }
    leftFolder = nil
    let bounded = min(max(0, index), library.entries.count - 1)
    selections.removeAll { $0.location == library.location }
    selections.append(
      Selection(location: library.location, id: library.entries[bounded].id, index: bounded))
    if selections.count > Self.maximumRemembered { selections.removeFirst() }
  }

  mutating func select(id: LibraryModel.Entry.ID, in library: LibraryModel) {
    if let index = library.entries.firstIndex(where: { $0.id == id }) { select(index, in: library) }
  }

  /// Returns the index of the first entry to show in `rows` rows, such that the selection is among them.
  func firstVisible(in library: LibraryModel, rows: Int) -> Int {
    guard let selected = index(in: library), rows > 0 else { return 0 }
    let lowest = max(0, selected - rows + 1)
    return min(max(top, lowest), selected, max(0, library.entries.count - rows))
  }

  /// Remembers the visible part, so that the next step scrolls from there.
  mutating func settle(in library: LibraryModel, rows: Int) {
    top = firstVisible(in: library, rows: rows)
  }
}
