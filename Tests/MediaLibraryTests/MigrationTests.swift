import Foundation
import GRDB
import Testing

@testable import MediaLibrary

@Suite("A library from an earlier version")
struct MigrationTests {
  @Test("All its data is kept, from each version", arguments: 0...7)
  func migrations(version: Int) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("migration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = MediaLibrary.migrator.migrations
    #expect(names.count == 8)
    do {
      let queue = try DatabaseQueue(path: folder.appendingPathComponent("library.sqlite").path)
      try MediaLibrary.migrator.migrate(queue, upTo: names[version])
      try await queue.write { database in
        try database.execute(
          sql: """
            INSERT INTO film VALUES ('sha256:1', 'One', '/films/one.mkv', 40000000000, 100000000000, 5);
            INSERT INTO file (path, size, modified, identifier) VALUES
              ('/films/Old/one.mkv', 7, 8, 'sha256:1'), ('/films/two.mkv', 9, 10, NULL);
            """)
        if version >= 1 {
          try database.execute(sql: "INSERT INTO folder (path, addedAt) VALUES ('/films', 1)")
        }
        if version >= 2 {
          try database.execute(sql: "INSERT INTO host VALUES ('example.org', 3)")
        }
      }
    }
    let (library, notice) = try MediaLibrary.open(in: folder)
    #expect(notice == nil)
    #expect(try await library.film("sha256:1")?.title == "One")
    #expect(try await library.files(of: "sha256:1").map(\.version.size) == [7])
    if version == 0 {
      // Files that an earlier version examined are found by name, too.
      #expect(try await library.search("old one", limit: 9).count == 1)
    }
    #expect(try await library.folders().map(\.path) == (version >= 1 ? ["/films"] : []))
    #expect(try await library.hosts().map(\.name) == (version >= 2 ? ["example.org"] : []))
    #expect(try await library.parties().isEmpty)
  }
}
