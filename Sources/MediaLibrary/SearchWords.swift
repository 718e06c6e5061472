import Foundation

/// What a file is found by: its name, the folders right above it, and the title that it gives itself.
enum SearchWords {
  private static let folders = 2
  /// More than anybody types.
  static let limit = 12

  static func of(path: String, title: String?) -> String {
    let parts = path.split(separator: "/")
    let name = parts.last.map { (String($0) as NSString).deletingPathExtension } ?? ""
    let above = parts.dropLast().suffix(folders).map(String.init)
    return fold(([name] + above + [title].compactMap { $0 }).joined(separator: " "))
  }

  /// The words of what somebody types, in the order of typing.
  static func of(query: String) -> [String] {
    fold(query).split(whereSeparator: \.isWhitespace).prefix(limit).map(String.init)
  }

  /// Neither capitals nor accents matter.
  private static func fold(_ text: String) -> String {
    // ASCII is most of it, and Foundation takes a hundred times as long.
    if text.utf8.allSatisfy({ $0 < 128 }) { return text.lowercased() }
    return text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      .lowercased()
  }
}
