/// The suites of tests.
enum Suites {
  struct Suite: Hashable, Sendable {
    var name: String
    var target: String
  }

  /// The types with `@Suite`, and those that hold tests without it.
  static func all(in files: [SourceFile]) -> [Suite] {
    files.flatMap { file in named(in: file).map { Suite(name: $0, target: file.target) } }
  }

  private static func named(in file: SourceFile) -> [String] {
    var found: [String] = []
    var rest = file.code.joined(separator: "\n")[...]
    while let range = rest.range(of: "@Suite") {
      rest = rest[range.upperBound...]
      var depth = 0
      var words: [Substring] = []
      // Past the arguments and other attributes, the name follows the kind of type.
      let plain = rest.prefix(600).filter { character in
        if character == "(" { depth += 1 }
        defer { if character == ")" { depth -= 1 } }
        return depth == 0
      }
      words = Substring(plain).split { $0 == " " || $0 == "\n" }
      guard let kind = words.firstIndex(where: { SourceFile.kinds.contains(String($0)) }),
        kind + 1 < words.count
      else { continue }
      found.append(String(words[kind + 1].prefix { $0.isLetter || $0.isNumber }))
    }
    return found
  }
}
