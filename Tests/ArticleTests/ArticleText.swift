import Foundation
import Testing

/// An article of the documentation, and the compiled files whose text its blocks of code are.
struct ArticleText: Sendable, CustomTestStringConvertible {
  /// From the sources' folder, without its ending.
  let article: String
  /// From the tests' folder, without their endings.
  let codes: [String]

  var testDescription: String { article }

  init(article: String, code: String...) {
    self.article = article
    codes = code
  }

  static let all = [
    ArticleText(
      article: "PlaybackCoordination/PlaybackCoordination.docc/CoordinateYourOwnPlayer",
      code: "ArticleTests/CoordinateYourOwnPlayer"),
    ArticleText(
      article: "GroupActivities/GroupActivities.docc/CustomActivities",
      code: "ArticleTests/CustomActivities"),
    ArticleText(
      article: "NowPlaying/NowPlaying.docc/PublishNowPlaying",
      code: "NowPlayingTests/PublishNowPlaying"),
    ArticleText(
      article: "CoordinatedPlayer/CoordinatedPlayer.docc/ComingFromSharePlay",
      code: "../Sources/Examples/FilmNight/CoordinationManager",
      "../Sources/Examples/FilmNight/main", "../Sources/Examples/Sketchpad/Canvas",
      "../Sources/Examples/Sketchpad/main", "../Sources/Examples/MultiviewCinema/Screen",
      "../Sources/Examples/MultiviewCinema/main"),
    ArticleText(
      article: "WatchTogether/WatchTogether.docc/JoinMatineesParties",
      code: "../Sources/Examples/PartyBot/main",
      "../Sources/Examples/GStreamerPlayer/GStreamerPlayer",
      "../Sources/Examples/GStreamerPlayer/GStreamerPlayer+Coordination",
      "../Sources/Examples/GStreamerPlayer/main"),
  ]

  /// The pages, from the sources' folder and without their endings, whose short examples are parts of one file.
  static var overviews: [String: String] {
    get throws {
      var found: [String: [Substring]] = [:]
      var page: String?
      let text = try String(
        contentsOf: tests.appendingPathComponent("ArticleTests/Overviews.swift"), encoding: .utf8)
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let comment = line.hasPrefix("  // ") ? line.dropFirst(5) : ""
        if comment.contains(".docc/") {
          page = String(comment)
        } else if comment == "end" {
          page = nil
        } else if let page {
          found[page, default: []].append(line.dropFirst(2))
        }
      }
      return found.mapValues { $0.joined(separator: "\n") + "\n" }
    }
  }

  /// All pages with examples in Swift, from the sources' folder and without their endings.
  static var pages: Set<String> {
    get throws {
      let sources = tests.appendingPathComponent("../Sources").standardizedFileURL
      var found: Set<String> = []
      for case let name as String in FileManager.default.enumerator(atPath: sources.path) ?? .init()
      where name.hasSuffix(".md") {
        let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
        if text.contains("```swift\n") { found.insert(String(name.dropLast(3))) }
      }
      return found
    }
  }

  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The files, with a blank line between.
  var compiled: String {
    get throws {
      try codes.map { code in
        try String(contentsOf: Self.tests.appendingPathComponent("\(code).swift"), encoding: .utf8)
      }.joined(separator: "\n")
    }
  }

  /// The article's blocks of Swift, with a blank line between.
  var quoted: String {
    get throws {
      let url = Self.tests.appendingPathComponent("../Sources/\(article).md")
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

  @Test("A page's short example is a part of a file that is compiled")
  func overviews() throws {
    for (page, code) in try ArticleText.overviews {
      #expect(try ArticleText(article: page).quoted == code, "\(page)")
    }
  }

  @Test("No page has an example that isn't compiled")
  func complete() throws {
    let compiled = Set(ArticleText.all.map(\.article)).union(try ArticleText.overviews.keys)
    #expect(try ArticleText.pages.subtracting(compiled).sorted() == [])
  }
}
