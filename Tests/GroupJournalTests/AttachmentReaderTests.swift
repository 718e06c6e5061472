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
