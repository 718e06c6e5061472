import Foundation
import PartyTesting
import SessionTesting
import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal

@Suite("Reading an attachment while it arrives", .serialized, .timeLimit(.minutes(2)))
struct AttachmentReaderTests {
  @Test("A film is read in any order while it arrives, and only by those who ask for it")
  func reads() async throws {
    try await TestJournals.run { test in
      let (url, data) = try test.file("film.bin", size: 40_000_000)
      let added = try await test.journals[1].add(
        url, metadata: Caption(title: "Film"), isOnDemand: true)
      #expect(added.isOnDemand)
      let found = try #require(try await set(of: test.journals[2]) { $0.count == 1 }.first)
      #expect(found.isOnDemand)
      #expect(try await found.loadMetadata(of: Caption.self) == Caption(title: "Film"))
      let reader = try await found.open()
      #expect(reader.size == 40_000_000)
      reader.prefer([0..<100, 39_900_000..<50_000_000])
      try await onThread {
        for offset: Int64 in [0, 39_999_990, 20_000_000, 7, 39_999_999, 10_000_000] {
          try check(reader, data, at: offset, count: 100_000)
        }
        #expect(try read(reader, at: 40_000_000, count: 10).isEmpty)
        #expect(try read(reader, at: -1, count: 10).isEmpty)
      }
      #expect(
        await test.journals[0].lease.keeper.currentProgress(of: added.id)?.completedBytes == 0)
      let copy = test.folder.appendingPathComponent("copy.bin")
      try await within(60) { try await reader.copy(to: copy) }
      #expect(reader.available == [0..<40_000_000])
      #expect(try Data(contentsOf: copy) == data)
      // Ben's own file is read in place.
      let own = try await added.open()
      try await onThread { try check(own, data, at: 12_345_678, count: 50_000) }
    }
  }

  @Test("A blocked read ends when it is interrupted, and when the attachment is removed")
  func ends() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      let (url, data) = try test.file("film.bin", size: 4_000_000)
      let added = try await test.journals[0].add(
        url, metadata: Caption(title: "Film"), isOnDemand: true)
      let found = try #require(try await set(of: test.journals[1]) { $0.count == 1 }.first)
      test.test.transports[0].cut()
      let reader = try await found.open()
      let blocked = Task { try await onThread { try read(reader, at: 1_000_000, count: 10) } }
      try await within(10) { while !reader.isBlocked { await Task.yield() } }
      reader.interrupt()
      await #expect(throws: JournalError.interrupted) { try await blocked.value }
      let again = Task { try await onThread { try read(reader, at: 1_000_000, count: 10) } }
      try await within(10) { while !reader.isBlocked { await Task.yield() } }
      test.test.transports[0].restore()
      #expect(try await again.value == data[1_000_000..<1_000_010])
      try await test.journals[0].remove(attachment: added)
      try await set(of: test.journals[1]) { $0.isEmpty }
      await #expect(throws: JournalError.removed) {
        try await onThread { try read(reader, at: 0, count: 10) }
      }
      await #expect(throws: JournalError.removed) { try await found.open() }
    }
  }

  @Test("A full disk ends reading with the reason, and nothing is left")
  func fullDisk() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      let (url, _) = try test.file("film.bin", size: 4_000_000)
      try await test.journals[0].add(url, metadata: Caption(title: "Film"), isOnDemand: true)
      let found = try #require(try await set(of: test.journals[1]) { $0.count == 1 }.first)
      let keeper = test.journals[1].lease.keeper
      let full = try OpenFile(path: "/dev/full", flags: O_RDWR)
      await keeper.replaceFile(of: found.id, by: full)
      let reader = try await found.open()
      do {
        _ = try await onThread { try read(reader, at: 0, count: 10) }
        Issue.record("read from a full disk")
      } catch JournalError.storage(let why) {
        #expect(why.contains("No space left"))
      }
      #expect(await keeper.store[found.id] == nil)
      #expect(reader.available.isEmpty)
    }
  }

  @Test("Opening a film that the disk has no room for is an error that names both sizes")
  func noRoom() async throws {
    try await TestJournals.run(["Ana", "Ben"]) { test in
      var store = AttachmentStore(directory: test.folder)
      let layout = try #require(AttachmentLayout(size: AttachmentLayout.sizeLimit))
      do {
        try store.begin(UUID(), layout, isEager: false)
        // A disk that has a TiB left.
      } catch JournalError.storage(let why) {
        #expect(why.contains("free, but the attachment needs 1.1 TB"), "\(why)")
      }
    }
  }

  @Test(
    "A film that three participants fetch doesn't reach those who don't, and is sent to several at once"
  )
  func shared() async throws {
    try await TestJournals.run(["Ana", "Ben", "Chi", "Dee", "Eve"]) { test in
      let (url, data) = try test.file("film.bin", size: 30_000_000)
      let added = try await test.journals[0].add(
        url, metadata: Caption(title: "Film"), isOnDemand: true)
      var readers: [AttachmentReader] = []
      for journal in test.journals[1...3] {
        let found = try #require(try await set(of: journal) { $0.count == 1 }.first)
        readers.append(try await found.open())
      }
      for (index, reader) in readers.enumerated() {
        let copy = test.folder.appendingPathComponent("copy\(index)")
        try await within(60) { try await reader.copy(to: copy) }
        #expect(try Data(contentsOf: copy) == data)
      }
      let ana = await test.test.parties[0].keys.subjects
      let eve = ana.only(test.test.parties[4].localID)
      let traffic = test.test.broker.traffic
      // A slow machine subscribes later. Without sharing, each piece would leave three times.
      let pieces = traffic.filter { $0.payload.count > 30_000 }
      #expect(pieces.contains { $0.subject.hasPrefix(ana.topics.dropLast()) })
      #expect(pieces.count < 3 * 915, "\(pieces.count) pieces for three participants")
      #expect(traffic.allSatisfy { $0.payload.count < 30_000 || $0.subject != eve })
      #expect(
        await test.journals[4].lease.keeper.currentProgress(of: added.id)?.completedBytes == 0)
    }
  }
}

extension JournalKeeper {
  fileprivate func replaceFile(of id: UUID, by file: OpenFile) {
    guard let layout = machine.book.entry(id)?.layout else { return }
    store.adopt(
      AttachmentFile(layout: layout, chunks: file, blocks: file, isBorrowed: false), as: id)
  }
}

extension AttachmentReader {
  fileprivate var isBlocked: Bool { !reading.position.blocked.isEmpty }
}

/// Runs a body on a thread of its own, which it may block.
private func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await within(30) {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
  }
}

private func read(_ reader: AttachmentReader, at offset: Int64, count: Int) throws -> Data {
  var data = Data(count: count)
  let done = try data.withUnsafeMutableBytes { try reader.read(at: offset, into: $0) }
  return data.prefix(done)
}

/// Reads bytes, in as many reads as it takes, and compares them.
private func check(
  _ reader: AttachmentReader, _ data: Data, at offset: Int64, count: Int
) throws {
  var got = Data()
  let wanted = data.dropFirst(Int(offset)).prefix(count)
  while got.count < wanted.count {
    let bytes = try read(reader, at: offset + Int64(got.count), count: wanted.count - got.count)
    try #require(!bytes.isEmpty)
    got += bytes
  }
  #expect(got == wanted)
}
