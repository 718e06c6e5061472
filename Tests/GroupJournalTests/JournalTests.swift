import Foundation
import PartyTesting
import SessionTesting
import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal

private struct Note: Codable, Hashable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "note"
  var text: String
}

struct Caption: Codable, Hashable, Sendable {
  var title: String
}

/// The journals of a ``TestParty``, each with a directory of its own.
struct TestJournals {
  let test: TestParty
  let journals: [GroupSessionJournal]
  /// The directory for files of the test.
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

func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
  var random = RandomSource.seeded(seed)
  var data = Data(capacity: count + 8)
  while data.count < count {
    withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) }
  }
  return data.prefix(count)
}

/// Returns the first set that fulfils the condition, within so many seconds.
@discardableResult
func set(
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

func within<Value: Sendable>(
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

/// Returns the modes of this process's open files in a directory that have no names.
func unnamedFiles(in directory: URL) throws -> [mode_t] {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
    // The descriptor of the listing is gone by now.
    guard
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(name)"),
      target.hasPrefix(directory.path), target.hasSuffix("(deleted)")
    else { return nil }
    var status = stat()
    guard stat("/proc/self/fd/\(name)", &status) == 0 else { return nil }
    return status.st_mode
  }
}

@Suite("The session journal", .serialized, .timeLimit(.minutes(3)))
struct JournalTests {
  @Test(
    "All participants see and load additions of one of them: bytes, a value, a file, and metadata")
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

  @Test(
    "40 MB pass a link that breaks, reach a late joiner, and remain after the participant that added them left"
  )
  func large() async throws {
    try await TestJournals.run { test in
      let (url, data) = try test.file("film.bin", size: 40_000_000)
      let added = try await test.journals[1].add(url)
      #expect(added.size == 40_000_000)
      let attachment = try #require(try await set(of: test.journals[2]) { $0.count == 1 }.first)
      let chi = test.test.parties[2]
      let target = test.folder.appendingPathComponent("copy.bin")
      async let loading: Void = within(60) { try await attachment.load(to: target) }
      _ = try await first(of: await attachment.progressUpdates) { $0.fraction > 0.3 }
      test.test.transports[2].cut()
      let held = try await #require(attachment.progress).completedBytes
      _ = try await first(of: chi.events) {
        if case .disconnected = $0 { true } else { false }
      }
      test.test.transports[2].restore()
      let received = Received<Int64>()
      _ = try await first(of: await attachment.progressUpdates) {
        received.add($0.completedBytes)
        return $0.isFinished || $0.fraction > 0.9
      }
      #expect(received.values.allSatisfy { $0 >= held }, "nothing is fetched twice")
      try await loading
      #expect(try Data(contentsOf: target) == data)
      // The pieces that were on their way when the link broke came again, and no others.
      let chis = await chi.keys.subjects.only(chi.localID)
      let traffic = test.test.broker.traffic.filter { $0.subject == chis }
      #expect(traffic.reduce(0) { $0 + $1.payload.count } < 43_000_000)

      // Chi has all of it now.
      await test.test.parties[1].leave()
      try FileManager.default.removeItem(at: url)

      let late = try await test.test.lateComer("Dee")
      let journal = GroupSessionJournal(session: late.session, directory: test.folder)
      let found = try #require(try await set(of: journal) { $0.count == 1 }.first)
      #expect(found.id == added.id && found.fileName == "film.bin")
      #expect(try await within(60) { try await found.load(Data.self) } == data)
      await late.party.leave()
    }
  }

  @Test("A participant can remove an attachment for all; loading it is an error then")
  func removal() async throws {
    try await TestJournals.run { test in
      let added = try await test.journals[0].add(Note(text: "gone"))
      let kept = try await test.journals[0].add(Note(text: "kept"))
      let seen = try await set(of: test.journals[2]) { $0.count == 2 }
      try await test.journals[2].remove(attachment: try #require(seen.first { $0.id == added.id }))
      for journal in test.journals {
        try await set(of: journal) { $0.map(\.id) == [kept.id] }
      }
      await #expect(throws: JournalError.removed) { try await added.load(Note.self) }
      // A second removal has no effect.
      try await test.journals[1].remove(attachment: added)
    }
  }

  @Test("The files are private, have no names, and are gone with the session")
  func files() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      let attachment = try await test.journals[0].add(bytes(100_000))
      let keeper = test.journals[0].lease.keeper
      #expect(try FileManager.default.contentsOfDirectory(atPath: test.folder.path).isEmpty)
      let files = try unnamedFiles(in: test.folder)
      // Ana's chunks and hashes, and Ben's as soon as he has some.
      #expect(files.count >= 2)
      for mode in files { #expect(mode & 0o7777 == 0o600) }
      var sets = test.journals[0].attachments.makeAsyncIterator()
      try await test.test.sessions[1].end()
      while await sets.next() != nil {}
      await keeper.end()
      await test.journals[1].lease.keeper.end()
      #expect(try unnamedFiles(in: test.folder).isEmpty)
      await #expect(throws: JournalError.party(.sessionOver)) {
        try await attachment.load(Data.self)
      }
      await #expect(throws: JournalError.party(.sessionOver)) {
        try await test.journals[0].add(Data())
      }
    }
  }

  @Test("Several journals of one session share their content")
  func one() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      let again = GroupSessionJournal(session: test.test.sessions[0])
      #expect(again.lease === test.journals[0].lease)
      let added = try await again.add(Data("x".utf8))
      try await set(of: test.journals[0]) { $0 == [added] }
    }
  }

  @Test("A journal that is released ends")
  func abandoned() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      let cleo = try await test.test.lateComer("Cleo")
      func use() async throws -> JournalKeeper {
        let journal = GroupSessionJournal(session: cleo.session, directory: test.folder)
        _ = try await first(of: cleo.session.states) { $0 == .joined }
        try await journal.add(Data("x".utf8))
        let anas = try #require(try await set(of: test.journals[0]) { $0.count == 1 }.first)
        #expect(try await anas.load(Data.self) == Data("x".utf8))
        return journal.lease.keeper
      }
      let keeper = try await use()
      try await within(10) { while await !keeper.isEnded { await Task.yield() } }
      // Cleo's addition is no longer her own, but others have it.
      let again = GroupSessionJournal(session: cleo.session, directory: test.folder)
      let found = try #require(try await set(of: again) { $0.count == 1 }.first)
      #expect(try await found.load(Data.self) == Data("x".utf8))
      // A new addition doesn't replace it.
      try await again.add(Data("y".utf8))
      try await set(of: test.journals[0]) { $0.count == 2 }
      await cleo.party.leave()
    }
  }

  @Test("Without a directory for files, the journal throws an error")
  func noPlace() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      try await test.journals[0].add(Data("x".utf8))
      let cleo = try await test.test.lateComer("Cleo")
      let journal = GroupSessionJournal(
        session: cleo.session, directory: test.folder.appendingPathComponent("nowhere"))
      let found = try #require(try await set(of: journal) { $0.count == 1 }.first)
      for _ in 0..<2 {
        do {
          _ = try await found.load(Data.self)
          Issue.record("loaded from nowhere")
        } catch JournalError.storage(let why) {
          #expect(why.contains("nowhere"))
        }
      }
      await cleo.party.leave()
    }
  }

  @Test("An attachment that can't be added is refused with a reason")
  func refusals() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      let journal = test.journals[0]
      await #expect(throws: JournalError.self) { try await journal.add(test.folder) }
      await #expect(throws: JournalError.notAFile("https://example.org/a")) {
        try await journal.add(URL(string: "https://example.org/a")!)
      }
      await #expect(throws: JournalError.self) {
        try await journal.add(test.folder.appendingPathComponent("nothing"))
      }
      await #expect(throws: JournalError.self) {
        try await journal.add(
          Data(), metadata: String(repeating: "x", count: JournalBody.metadataLimit))
      }
      let nothing = try await journal.add(Data())
      #expect(try await nothing.load(Data.self) == Data())
      let path = test.folder.appendingPathComponent("there")
      try Data().write(to: path)
      await #expect(throws: JournalError.fileExists(path.path)) { try await nothing.load(to: path) }
    }
  }

  @Test("A cancelled load ends, and loading an attachment that no participant holds is an error")
  func waiting() async throws {
    var timing = JournalTiming()
    timing.eagerKeepLimit = 0
    timing.unavailableAfter = .milliseconds(300)
    try await TestJournals.run(timing: timing) { test in
      let (url, _) = try test.file("film.bin", size: 4_000_000)
      try await test.journals[1].add(url)
      let attachment = try #require(
        try await set(of: test.journals[2]) { $0.count == 1 }.first)
      // Another file by now: Ben notices this when a participant requests it.
      try bytes(4_000_000, seed: 2).write(to: url)
      let handle = try FileHandle(forWritingTo: url)
      try handle.truncate(atOffset: 0)
      try handle.close()
      let task = Task { try await attachment.load(Data.self) }
      task.cancel()
      await #expect(throws: JournalError.cancelled) { try await task.value }
      await test.test.parties[1].leave()
      await #expect(throws: JournalError.unavailable) {
        try await within(20) { try await attachment.load(Data.self) }
      }
    }
  }
}
