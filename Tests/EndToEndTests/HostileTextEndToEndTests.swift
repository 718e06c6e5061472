import Foundation
import Testing

@testable import matinee

/// Names, words and titles that would like to be more than text, as a script reads them, and as mpv does.
@Suite("Hostile text", .serialized)
struct HostileTextEndToEndTests {
  static let title =
    "${path}{\\an8}\u{1B}[2J\u{1B}]0;x\u{7}\u{9B}31m\u{202E}\u{2066}\u{200B}\u{E0041}\u{2028}e"
    + String(repeating: "\u{301}", count: 400) + String(repeating: "﷽", count: 5000)

  @Test("A guest's text is one line of plain characters in every event")
  func events() async throws {
    let errors = Clips.folder.appendingPathComponent("text-\(UUID().uuidString)").path
    let ana = try MatineeProcess(
      ["host", "--name", "Ana", "--listen", "127.0.0.1:0"], errors: errors)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    let mallory = try await Guest(invite, name: "\u{1B}[31mMal\u{202E}lory")
    let joined = try await ana.next("participant-joined")
    #expect(joined.string("name") == "[31mMallory" || joined.string("name") == " [31mMallory")
    try await mallory.propose("http://127.0.0.1:9/\u{E9}", title: Self.title)
    let activity = try await ana.next("activity")
    let title = try #require(activity.string("title"))
    #expect(title.hasPrefix("${path}{\\an8}"))
    #expect(title.count <= 200 && title.unicodeScalars.count <= 3200)
    try await mallory.party.sendChat("one\u{1B}[2J\u{85}two\u{202E}")
    #expect(try await ana.next("chat").string("text") == "one [2J two")
    _ = try await ana.currentState()
    await mallory.party.leave()
    #expect(try await ana.quit() == 0)
    for line in ana.lines {
      let text = try #require(String(data: line, encoding: .utf8))
      #expect(
        !text.unicodeScalars.contains {
          [.control, .format, .lineSeparator, .paragraphSeparator, .unassigned]
            .contains($0.properties.generalCategory)
        }, "\(text.prefix(200))")
    }
    let said = try String(contentsOfFile: errors, encoding: .utf8)
    #expect(!said.contains("\u{1B}") && !said.contains("\u{9B}"))
  }
}
