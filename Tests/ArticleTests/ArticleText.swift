import Foundation
import Testing

/// An article of the documentation, and the compiled file whose text its blocks of code are.
struct ArticleText: Sendable, CustomTestStringConvertible {
  /// From the sources' folder, without its ending.
  let article: String
  /// Beside this file.
  let code: String

  var testDescription: String { code }

  static let all = [
    ArticleText(
      article: "PlaybackCoordination/PlaybackCoordination.docc/CoordinateYourOwnPlayer",
      code: "CoordinateYourOwnPlayer"),
    ArticleText(
      article: "GroupActivities/GroupActivities.docc/CustomActivities", code: "CustomActivities"),
  ]

  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  var compiled: String {
    get throws {
      try String(contentsOf: Self.here.appendingPathComponent("\(code).swift"), encoding: .utf8)
    }
  }

  /// The article's blocks of Swift, with a blank line between.
  var quoted: String {
    get throws {
      let url = Self.here.appendingPathComponent("../../Sources/\(article).md")
      var blocks: [String] = []
      var block: [Substring]?
      for line in try String(contentsOf: url, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
      {
        switch (line, block) {
        case ("```swift", nil): block = []
        case ("```", let lines?):
          blocks.append(lines.joined(separator: "\n"))
          block = nil
        case (_, nil): break
        case (_, _): block?.append(line)
        }
      }
      return blocks.joined(separator: "\n\n") + "\n"
    }
  }
}

@Suite("Articles")
struct ArticleTests {
  @Test("An article's code is the file that is compiled and run", arguments: ArticleText.all)
  func sameText(_ article: ArticleText) throws {
    #expect(try article.quoted == article.compiled)
  }
}
