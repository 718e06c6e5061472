import Foundation
import GRDB
import Testing

@testable import MediaLibrary

/// Lists of a library whose reads fail for a while, as on a disk with errors.
@Suite("Failed reads of the library's lists")
final class FailedListTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("failing-\(UUID().uuidString)")
  private let library: MediaLibrary

  init() throws { library = try MediaLibrary.open(in: folder).library }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func damage(_ table: String) async throws {
    try await library.database.write { try $0.rename(table: table, to: table + "Away") }
  }

  private func restore(_ table: String) async throws {
    try await library.database.write { try $0.rename(table: table + "Away", to: table) }
  }

  @Test("The screen's lists keep what was read, and name what can't be read now")
  func index() async throws {
    let record = RememberedParty(
      id: "party", invite: "", identity: [], name: "Ana", isHost: true,
      seenAt: Date(timeIntervalSince1970: 9))
    try await library.remember(record)
    try await library.allow(host: "example.org")
    let index = LibraryIndex(library: library) { _ in nil }
    await index.refresh()
    #expect(await index.problem == nil)
    try await damage("party")
    try await library.allow(host: "example.com")
    await index.refresh()
    #expect(await index.remembered.parties == [record])
    #expect(await index.remembered.hosts.count == 2)
    let problem = try #require(await index.problem)
    #expect(problem.hasPrefix("Can't read parties (") && problem.hasSuffix("to try again."))
    try await restore("party")
    await index.refresh()
    #expect(await index.problem == nil)
  }

  @Test("A search that the next letter replaces reports nothing")
  func replacedSearch() async throws {
    let index = LibraryIndex(library: library) { _ in nil }
    for count in 1...20 { await index.search(String(repeating: "a", count: count)) }
    await index.search("b")
    for await _ in index.changes where await index.found?.query == "b" { break }
    #expect(await index.problems.isEmpty)
  }

  @Test("Records of files that can't be read aren't overwritten")
  func files() async throws {
    let media = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Media/Life.mp4").path
    let version = try #require(KnownFile.Version(ofFileAt: media))
    let file = KnownFile(path: media, version: version, identifier: "kept")
    try await library.remember(file)
    // One of the three reads fails.
    try await damage("film")
    let index = LibraryIndex(library: library) { _ in "other" }
    await index.show([media])
    for await _ in index.changes where await index.problem != nil { break }
    #expect(try await library.files([media])[media]?.identifier == "kept")
    #expect(await index.problems[.files] != nil)
  }
}
