/// Finds what somebody meant.
enum Spelling {
  /// The one of `words` that is least changes away (Levenshtein); nil if none is near.
  private static func nearest(to word: String, among words: [String]) -> String? {
    let ranked = words.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.word.count / 3) ? best.word : nil
  }

  /// "; is “accent” meant?", or nothing if no word is near.
  static func suggestion(for word: String, among words: [String]) -> String {
    nearest(to: word, among: words).map { "; is “\($0)” meant?" } ?? ""
  }

  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.prefix(64)), Array(b.prefix(64)))
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, right) in b.enumerated() {
        let changed = diagonal + (left == right ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
