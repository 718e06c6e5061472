import Foundation
import Screening
import Testing

@testable import matinee

@Suite("The reference of the headless interface")
struct HeadlessReferenceTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/matinee").standardizedFileURL

  @Test("Every command of the table is in matinee-headless(7) with its argument, and no other")
  func commands() throws {
    let described = HeadlessReference.commands.flatMap(\.names)
    #expect(Set(described).count == described.count)
    #expect(
      Set(described) == Set(UserCommandTable.rows.flatMap { row in [row.name] + row.aliases }))
    let terms = try Manual().headless.sections.flatMap(\.blocks).compactMap { block -> String? in
      guard case .item(let term, _) = block else { return nil }
      return term
    }
    for row in UserCommandTable.rows { #expect(terms.contains("`\(row.usage)`"), "\(row.name)") }
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
