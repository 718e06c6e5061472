import Foundation
import GroupActivities
import GroupJournal
import NATSTransport
import Relay
import Testing
import Timekeeping

private struct Library: GroupActivity {
  static let activityIdentifier = "test.library"
  var metadata: GroupActivityMetadata { GroupActivityMetadata(title: "Library") }
}

/// Two members of a party over sockets, in one session.
private struct Readers {
  let parties: [Party]
  let sessions: [GroupSession<Library>]

  static func run(_ body: (Readers) async throws -> Void) async throws {
    let founding = Party.Founding()
    let key = founding.keys.admission
    try await withRelay(key) { relay in
      let port = relay.boundPort!
      let transports = try (0..<2).map { _ in try NATSTransport.to(["127.0.0.1:\(port)"], key) }
      let host = try await Party.create(
        founding, addresses: [Invite.Address("127.0.0.1:\(port)")!], name: "Ana",
        transport: transports[0])
      let guest = try await Party.join(host.invite, name: "Ben", transport: transports[1])
      try await Library().activate(in: host)
      var sessions: [GroupSession<Library>] = []
      for party in [host, guest] {
        for await session in await Library.sessions(in: party) {
          await session.join()
          sessions.append(session)
          break
        }
      }
      try await body(Readers(parties: [host, guest], sessions: sessions))
      await guest.leave()
      await host.leave()
    }
  }
}

@Suite("A journal over sockets", .timeLimit(.minutes(2)))
struct JournalOverSocketsTests {
  @Test("A large file arrives whole, and chat doesn't wait behind it")
  func large() async throws {
    try await Readers.run { readers in
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).bin")
      let size = 40_000_000
      let pattern = Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) })
      var data = Data(capacity: size)
      while data.count < size { data += pattern }
      try data.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let journals = readers.sessions.map { GroupSessionJournal(session: $0) }
      try await journals[0].add(file)
      var sets = journals[1].attachments.makeAsyncIterator()
      var found: GroupSessionJournal.Attachment?
      while found == nil { found = try #require(await sets.next()).first }
      let attachment = try #require(found)

      let chat = Task {
        var delays: [Duration] = []
        var events = readers.parties[1].events.makeAsyncIterator()
        while !Task.isCancelled {
          let sentAt = HostTime.now()
          try await readers.parties[0].sendChat("still there?")
          while let event = await events.next() {
            if case .chat = event { break }
          }
          delays.append(HostTime.now() - sentAt)
          // This waits for no event: people don't write faster.
          try? await Task.sleep(for: .milliseconds(40))
        }
        return delays.sorted()
      }
      let begin = HostTime.now()
      let loaded = try await attachment.load(Data.self)
      let transfer = HostTime.now() - begin
      chat.cancel()
      let delays = try await chat.value
      #expect(loaded.count == size)
      #expect(loaded == data)
      let middle = try #require(delays.isEmpty ? nil : delays[delays.count / 2])
      #expect(middle * 4 < transfer, "chat took \(delays), the file \(transfer)")
    }
  }
}
