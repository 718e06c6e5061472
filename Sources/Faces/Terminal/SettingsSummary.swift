/// The problems of the user's settings, for the screen: a notice that fits on a line, and the list.
struct SettingsSummary: Hashable, Sendable {
  /// The problems, each with its file and line.
  private(set) var problems: [String]

  init(_ problems: [String]) { self.problems = problems }

  /// Returns "keys.conf: 2 problems, matinee.conf: 1 problem. Press ? for the list."; the problem itself if there is
  /// only one; nil if there is none.
  ///
  /// - Parameter key: the key that opens the list.
  func notice(key: String) -> String? {
    if problems.count == 1 { return problems[0] }
    guard !problems.isEmpty else { return nil }
    var counts: [(file: String, count: Int)] = []
    for problem in problems {
      // "keys.conf, line 3: …". Other problems are about a variable or an option.
      let file =
        problem.firstRange(of: ", line ").map { String(problem[..<$0.lowerBound]) } ?? "settings"
      if let index = counts.firstIndex(where: { $0.file == file }) {
        counts[index].count += 1
      } else {
        counts.append((file, 1))
      }
    }
    let parts = counts.map { "\($0.file): \($0.count) \($0.count == 1 ? "problem" : "problems")" }
    return parts.joined(separator: ", ") + (key.isEmpty ? "." : ". Press \(key) for the list.")
  }
}
