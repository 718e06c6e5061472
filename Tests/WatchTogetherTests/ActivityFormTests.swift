import Foundation
import Testing

@testable import WatchTogether

@Suite("The activity's form on the wire")
struct ActivityFormTests {
  /// The example in the article for programs in other languages.
  private static func documented() throws -> Data {
    let article = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/WatchTogether/WatchTogether.docc/JoinMatineesParties.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let block = try #require(text.components(separatedBy: "```json\n").dropFirst().first)
    let example = try #require(block.components(separatedBy: "```").first)
    return Data(example.filter { $0 != "\n" }.utf8)
  }

  @Test("The article's example is what programs read and write")
  func example() throws {
    let activity = try JSONDecoder().decode(FilmActivity.self, from: Self.documented())
    #expect(activity.isOwnFilm && activity.title == "Orbits" && activity.location == nil)
    #expect(
      activity.item
        == "e0000ab12:sha256:119459d8e273db4f56694bf6ca954933491b7b81414ebdd23888b36b0c1ac984")
    #expect(activity.playlist.entries.map(\.id) == [43794, 7])
    #expect(
      activity.playlist.entry(at: 1)?.identifier
        == "url:https://films.example.org/countdown.mkv")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(try encoder.encode(activity) == Self.documented())
  }
}
