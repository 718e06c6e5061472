/// The completion of a word by Tab: a participant's name, or at the line's beginning a slash command. Each further Tab
/// selects the next word that fits, and after the last the first.
struct Completion: Hashable, Sendable {
  private let stem: String
  private let words: [String]
  private var index = 0

  /// Creates the first completion; nil if nothing fits.
  ///
  /// - Parameter before: the text before the cursor.
  init?(of before: String, names: [String], commands: [String]) {
    let begun = String(before.reversed().prefix { !$0.isWhitespace }.reversed())
    guard !begun.isEmpty else { return nil }
    stem = String(before.dropLast(begun.count))
    let isFirst = stem.allSatisfy(\.isWhitespace)
    if isFirst, begun.hasPrefix("/") {
      words = commands.map { "/" + $0 }.filter { $0.hasPrefix(begun) }.map { $0 + " " }
    } else {
      let begun = begun.lowercased()
      words = names.filter { $0.lowercased().hasPrefix(begun) }
        .map { $0 + (isFirst ? ": " : " ") }
    }
    if words.isEmpty { return nil }
  }

  /// The text before the cursor, with the completed word.
  var text: String { stem + words[index] }

  mutating func next() { index = (index + 1) % words.count }
}
