/// A search while one folder of the library is shown: the folder's entries with all of these words in their names, and
/// after them the application's results from other folders.
struct LibrarySearch: Hashable, Sendable {
  private let location: String
  private let words: [String]
  /// The text as typed; nil if it is empty.
  let query: String?

  init(_ text: String, in library: LibraryModel) {
    location = library.location
    query = text.contains { !$0.isWhitespace } ? text : nil
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Returns the library with the results. In another folder, returns it unchanged.
  func results(in library: LibraryModel) -> LibraryModel {
    guard library.location == location, !words.isEmpty else { return library }
    var found = library
    // The results have a location of their own: the folder keeps its selection, and each text begins at its first
    // result.
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
