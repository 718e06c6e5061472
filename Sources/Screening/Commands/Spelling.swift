/// Finds the word that a misspelt one was probably meant to be.
package enum Spelling {
  /// Returns the word with the smallest distance (Damerau and Levenshtein); nil if none is near.
  package static func nearest(to word: String, among words: [String]) -> String? {
    let ranked = words.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.word.count / 3) ? best.word : nil
  }

  /// Returns "; did you mean “accent”?", or an empty text if no word is near.
  package static func suggestion(for word: String, among words: [String]) -> String {
    nearest(to: word, among: words).map { "; did you mean “\($0)”?" } ?? ""
  }

  /// Returns the number of changes, omissions, additions and swapped neighbours.
  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.prefix(64)), Array(b.prefix(64)))
    var before: [Int] = []
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var next = [i + 1]
      for (j, right) in b.enumerated() {
        var best = min(row[j] + (left == right ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left == b[j - 1], a[i - 1] == right { best = min(best, before[j - 1] + 1) }
        next.append(best)
      }
      (before, row) = (row, next)
    }
    return row[b.count]
  }
}
