import Foundation

/// The words by which a file is found: its name, the two folders above it, and the title inside the file.
enum SearchWords {
  private static let folders = 2
  /// The largest number of words in a query.
  static let limit = 12

  static func of(path: String, title: String?) -> String {
    let parts = path.split(separator: "/")
    let name = parts.last.map { (String($0) as NSString).deletingPathExtension } ?? ""
    let above = parts.dropLast().suffix(folders).map(String.init)
    return fold(([name] + above + [title].compactMap { $0 }).joined(separator: " "))
  }

  /// Returns the words of a query, in their order.
  static func of(query: String) -> [String] {
    fold(query).split(whereSeparator: \.isWhitespace).prefix(limit).map(String.init)
  }

  /// Returns a text in which neither capitals nor accents matter.
  private static func fold(_ text: String) -> String {
    // Most text is ASCII, and Foundation takes a hundred times as long.
    if text.utf8.allSatisfy({ $0 < 128 }) { return text.lowercased() }
    return text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      .lowercased()
  }
}
