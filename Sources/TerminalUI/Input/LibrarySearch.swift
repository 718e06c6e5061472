/// What is looked for in one folder of the library: entries with all of these words in their names.
struct LibrarySearch: Hashable, Sendable {
  private let location: String
  private let words: [String]

  init(_ text: String, in library: LibraryModel) {
    location = library.location
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The library with what was found; in another folder nothing is looked for.
  func results(in library: LibraryModel) -> LibraryModel {
    guard library.location == location, !words.isEmpty else { return library }
    var found = library
    found.entries = library.entries.filter { entry in
      let title = entry.title.description.lowercased()
      return words.allSatisfy { title.contains($0) }
    }
    return found
  }
}
