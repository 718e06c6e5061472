import Foundation
import Testing

@testable import matinee

@Suite("The reference of the headless interface")
struct HeadlessReferenceTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/matinee").standardizedFileURL

  @Test("Every command that the program knows is in matinee-headless(7), and no other")
  func commands() {
    let described = HeadlessReference.commands.flatMap(\.names)
    #expect(Set(described).count == described.count)
    // The answer to an unknown command lists all of them.
    do throws(HeadlessCommand.Problem) {
      _ = try HeadlessCommand("no-such-command")
      Issue.record("no-such-command is a command")
    } catch {
      let known = error.description.matches(of: /[ ,]([a-z-]+)(?=,|$)/).map {
        String($0.output.1)
      }
      #expect(Set(described) == Set(known))
    }
  }

  @Test("Every event that the program writes is in matinee-headless(7), and no other")
  func events() throws {
    var written: Set<String> = []
    let files = try #require(FileManager.default.enumerator(atPath: Self.sources.path))
    while let path = files.nextObject() as? String {
      guard path.hasSuffix(".swift"), !path.hasPrefix("Manual/") else { continue }
      let text = try String(
        contentsOf: Self.sources.appendingPathComponent(path), encoding: .utf8)
      // As a field of an object, as an argument, and as the name of a list.
      for match in text.matches(
        of: /"event": "([a-z-]+)"|return \[hosting\("([a-z]+)"|Listing\("([a-z]+)"/)
      {
        written.insert(String(match.output.1 ?? match.output.2 ?? match.output.3 ?? ""))
      }
    }
    let described = HeadlessReference.events.flatMap(\.names)
    #expect(Set(described).count == described.count)
    #expect(Set(described) == written)
  }
}
