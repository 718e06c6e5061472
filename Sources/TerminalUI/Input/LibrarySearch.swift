/// What is looked for while one folder of the library is shown: entries with all of these words in their names, and
/// after them what the application found elsewhere.
struct LibrarySearch: Hashable, Sendable {
  private let location: String
  private let words: [String]
  /// As it was typed; nil for nothing.
  let query: String?

  init(_ text: String, in library: LibraryModel) {
    location = library.location
    query = text.contains { !$0.isWhitespace } ? text : nil
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The library with what was found; in another folder nothing is looked for.
  func results(in library: LibraryModel) -> LibraryModel {
    guard library.location == location, !words.isEmpty else { return library }
    var found = library
    // A place of its own: what was selected in the folder stays so, and each text begins at its first hit.
    found.location = "search:\(query ?? "") in \(location)"
    found.isSearch = true
    found.entries = library.entries.filter { entry in
      let title = entry.title.description.lowercased()
      return words.allSatisfy { title.contains($0) }
    }
    if let elsewhere = library.found, elsewhere.query == query {
      let here = Set(found.entries.map(\.id))
      found.entries += elsewhere.entries.filter { !here.contains($0.id) }
    }
    return found
  }
}
