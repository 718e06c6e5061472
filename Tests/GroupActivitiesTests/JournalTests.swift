import Foundation
import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities

private struct Note: Codable, Hashable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "note"
  var text: String
}

private struct Caption: Codable, Hashable, Sendable {
  var title: String
}

/// The journals of a ``TestParty``, with a directory of their own for each.
private struct TestJournals {
  let test: TestParty
  let journals: [GroupSessionJournal]
  /// For files of the test.
  let folder: URL

  static func run(
    _ names: [String] = ["Ana", "Ben", "Chi"], timing: JournalTiming = JournalTiming(),
    _ body: (TestJournals) async throws -> Void
  ) async throws {
    let test = try await TestParty(names)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "journal-test-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let journals = test.sessions.map {
      GroupSessionJournal(session: $0, directory: folder, timing: timing)
    }
    do {
      try await body(TestJournals(test: test, journals: journals, folder: folder))
    } catch {
      await test.close()
      throw error
    }
    await test.close()
  }

  /// A file of pseudorandom bytes.
  func file(_ name: String, size: Int, seed: UInt64 = 1) throws -> (url: URL, data: Data) {
    let data = bytes(size, seed: seed)
    let url = folder.appendingPathComponent(name)
    try data.write(to: url)
    return (url, data)
  }
}

private func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
  var random = RandomSource.seeded(seed)
  var data = Data(capacity: count + 8)
  while data.count < count {
    withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) }
  }
  return data.prefix(count)
}

/// The first set that is as wanted, within so many seconds.
@discardableResult
private func set(
  of journal: GroupSessionJournal, within seconds: Int = 20,
  where isWanted: @escaping @Sendable ([GroupSessionJournal.Attachment]) async -> Bool
) async throws -> [GroupSessionJournal.Attachment] {
  try await within(seconds) {
    for await attachments in journal.attachments where await isWanted(attachments) {
      return attachments
    }
    throw TooLate()
  }
}

private func within<Value: Sendable>(
  _ seconds: Int, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask(operation: body)
    group.addTask {
      try await Task.sleep(for: .seconds(seconds))
      throw TooLate()
    }
    defer { group.cancelAll() }
    return try await group.next()!
  }
}

@Suite("The session journal", .serialized, .timeLimit(.minutes(3)))
struct JournalTests {
  @Test("What one adds, everybody sees and loads: bytes, a value, a file, and what goes with them")
  func small() async throws {
    try await TestJournals.run { test in
      let bytes = try await test.journals[0].add(Data("hello".utf8), metadata: Caption(title: "a"))
      try await test.journals[1].add(Note(text: "read me"))
      let (url, data) = try test.file("notes.txt", size: 100_000)
      try await test.journals[2].add(url, metadata: Caption(title: "c"))
      for journal in test.journals {
        let set = try await set(of: journal) { $0.count == 3 }
        let byKind = Dictionary(grouping: set) { $0.size }
        let first = try #require(set.first { $0.id == bytes.id })
        #expect(first.addedBy == test.test.parties[0].localID)
        #expect(try await first.load(Data.self) == Data("hello".utf8))
        #expect(try await first.loadMetadata(of: Caption.self) == Caption(title: "a"))
        let note = try #require(set.first { $0.addedBy == test.test.parties[1].localID })
        #expect(try await note.load(Note.self) == Note(text: "read me"))
        await #expect(throws: JournalError.noMetadata) {
          try await note.loadMetadata(of: Caption.self)
        }
        await #expect(throws: JournalError.self) { try await first.load(Note.self) }
        let file = try #require(byKind[100_000]?.first)
        #expect(file.fileName == "notes.txt")
        #expect(try await file.load(Data.self) == data)
        #expect(await file.progress?.fraction == 1)
      }
    }
  }
}
