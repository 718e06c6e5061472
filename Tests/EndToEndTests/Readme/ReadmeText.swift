import Foundation

/// The parts of README.md that its tests check.
enum ReadmeText {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../..").standardizedFileURL

  static let text = Result {
    try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
  }

  static var lines: [String] {
    get throws {
      try text.get().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The commands in the blocks of shell code, then those in the text, each once and without its
  /// comment.
  static var commands: [String] {
    get throws {
      var commands: [String] = []
      var isCode = false
      for line in try lines {
        if line.hasPrefix("```") {
          isCode = line == "```sh"
        } else if isCode {
          commands.append(withoutComment(line))
        }
      }
      for match in try text.get().matches(of: /`((?:matinee|make|man) [^`\n]+)`/) {
        commands.append(String(match.output.1))
      }
      return commands.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
  }

  /// Removes a comment. A `#` begins a comment after a space; the one of an invite doesn't.
  private static func withoutComment(_ line: String) -> String {
    (line.firstRange(of: " #").map { String(line[..<$0.lowerBound]) } ?? line)
      .trimmingCharacters(in: .whitespaces)
  }

  /// Returns the rows of the table below a heading, without its head.
  static func table(below heading: String) throws -> [[String]] {
    try lines.drop { $0 != "## \(heading)" }.drop { !$0.hasPrefix("|") }.prefix {
      $0.hasPrefix("|")
    }
    .dropFirst(2).map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The paths of links and pictures, without those to other machines.
  static var links: [String] {
    get throws {
      try text.get().matches(of: /\]\(([^)#]+)\)/).map { String($0.output.1) }
        .filter { !$0.contains("://") }
    }
  }
}
