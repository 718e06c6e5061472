import Crypto
import Foundation
import PartyTesting
import SessionTesting
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal
@testable import HostileTesting
@testable import PartyTesting

/// A member that turned hostile, and a journal.
@Suite("A journal among hostile members", .timeLimit(.minutes(1)))
struct HostileJournalTests {
  @Test(
    "Wrong bytes of an attachment are never delivered; the right ones arrive from another participant"
  )
  func corrupted() async throws {
    try await Siege.run { siege in
      let ana = GroupSessionJournal(session: siege.sessions[0])
      let ben = GroupSessionJournal(session: siege.sessions[1])
      let mallory = siege.mallory
      await siege.waitUntilHeard(by: ana)

      // Mallory adds an attachment and sends other bytes than announced; then claims to have Ana's.
      let session = siege.sessions[0].id
      let good = Data(repeating: 7, count: 100_000)
      let (root, pieces) = JournalTable.tree(of: good)
      let body = Data(
        JournalBody(
          addedAt: 1, size: Int64(good.count), root: root, type: "data"
        ).binary)
      let hash = Data(SHA256.hash(data: body))
      let record = JournalRecord(
        author: mallory.identity.id, slot: 0, bodyHash: hash,
        proof: siege.proof(
          of: JournalRecord.statement(author: mallory.identity.id, slot: 0, bodyHash: hash)),
        body: body)
      let id = record.id(AttachmentAuthorship(siege.lane))
      func say(_ message: JournalMessage) throws {
        try mallory.say(.lane(LanePacket(session: session, data: message.encoded())))
      }
      try say(.records(.init(records: [record])))
      var sets = ana.attachments.makeAsyncIterator()
      var theirs: GroupSessionJournal.Attachment?
      while theirs == nil { theirs = try #require(await sets.next()).first { $0.id == id } }
      let attachment = try #require(theirs)
      #expect(attachment.addedBy == mallory.identity.id)
      let loading = Task { try await attachment.load(Data.self) }
      let block = Piece(level: 1, index: 0)
      for piece in pieces.keys {
        var bytes = try #require(pieces[piece])
        bytes[bytes.startIndex] ^= 1
        try say(.piece(id, block, bytes))
        try say(.piece(id, piece, bytes))
      }
      // Ana requests it, receives wrong bytes, and accepts none of them.
      let keeper = ana.lease.keeper
      while await keeper.refused == 0 { await Task.yield() }
      #expect(await attachment.progress?.completedBytes == 0)
      loading.cancel()
      _ = try? await loading.value

      // Ben gets Ana's right one, despite Mallory's claims.
      let added = try await ana.add(good)
      try say(
        .summary(.init(digest: 1, weight: 1, complete: Data(added.id.bytes), partial: [])))
      for (piece, bytes) in pieces { try say(.piece(added.id, piece, bytes + [0])) }
      var bens = ben.attachments.makeAsyncIterator()
      var found: GroupSessionJournal.Attachment?
      while found == nil { found = try #require(await bens.next()).first { $0.id == added.id } }
      #expect(try await found?.load(Data.self) == good)
    }
  }

  @Test("No participant can add attachments under another one's name, and noise changes nothing")
  func forged() async throws {
    try await Siege.run { siege in
      let ana = GroupSessionJournal(session: siege.sessions[0])
      let own = try await ana.add(Data("mine".utf8))
      let mallory = siege.mallory
      let session = siege.sessions[0].id
      func say(_ data: Data) throws {
        try mallory.say(.lane(LanePacket(session: session, data: data)))
      }
      let body = Data(
        JournalBody(
          addedAt: 1, size: 1, root: Data(count: 32), type: "data"
        ).binary)
      let hash = Data(SHA256.hash(data: body))
      for author in [siege.ana.localID, siege.ben.localID] {
        let record = JournalRecord(
          author: author, slot: 5, bodyHash: hash,
          proof: siege.proof(
            of: JournalRecord.statement(author: author, slot: 5, bodyHash: hash)),
          body: body)
        try say(JournalMessage.records(.init(records: [record])).encoded())
      }
      var random = RandomSource.seeded(5)
      for _ in 0..<300 {
        let count = Int.random(in: 0..<200, using: &random)
        var noise = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        if !noise.isEmpty, Bool.random(using: &random) {
          noise[0] = [0x71, 0x72, 0x73, 0x61, 0x6D, 0x70].randomElement(using: &random)!
        }
        try say(noise)
      }
      let keeper = ana.lease.keeper
      while await keeper.refused < 100 { await Task.yield() }
      #expect(try await siege.eventsUntilNow().isEmpty)
      var sets = ana.attachments.makeAsyncIterator()
      #expect(await sets.next()?.map(\.id) == [own.id])
    }
  }
}

/// Ana and Ben in one session, and Mallory, whom both have admitted and who follows no rule.
private struct Siege {
  let test: TestParty
  let mallory: HostileGuest
  let lane: GroupSessionLane

  var ana: Party { test.parties[0] }
  var ben: Party { test.parties[1] }
  var sessions: [GroupSession<TestActivity>] { test.sessions }

  static func run(_ body: (Siege) async throws -> Void) async throws {
    let test = try await TestParty(["Ana", "Ben"])
    for party in test.parties { await party.keepSilentMembers() }
    let ana = test.parties[0]
    let mallory = try await HostileGuest(ana.invite, transport: test.broker.transport())
    var beacon = HostileGuest.beacon()
    beacon.sessions = [
      .init(
        kind: 7, stamp: Stamp(time: 0, participant: mallory.identity.id),
        joined: test.sessions[0].id)
    ]
    try mallory.introduce(as: beacon)
    for party in test.parties {
      _ = try await first(of: party.events) { event in
        if case .participantJoined(let who) = event { who.id == mallory.identity.id } else { false }
      }
    }
    do {
      try await body(
        Siege(
          test: test, mallory: mallory,
          lane: GroupSessionLane("journal", session: test.sessions[0])))
    } catch {
      await test.close()
      throw error
    }
    await test.close()
  }

  /// Waits until a journal has begun and takes Mallory for one of the session. What Mallory says before is lost.
  func waitUntilHeard(by journal: GroupSessionJournal) async {
    while await journal.lease.keeper.machine.holders[mallory.identity.id] == nil {
      await Task.yield()
    }
  }

  /// Signs a statement as Mallory's.
  func proof(of statement: [UInt8]) -> Proof {
    mallory.proof(of: lane.provenBytes(of: statement))
  }

  /// Returns the events that Ana saw since Mallory came.
  func eventsUntilNow() async throws -> [PartyEvent] {
    try await ben.sendChat("done")
    var events: [PartyEvent] = []
    for await event in ana.events {
      if case .chat(_, "done") = event { break }
      events.append(event)
    }
    return events
  }
}

extension Party {
  /// Keeps silent members, so that a slow machine removes none while a test runs.
  fileprivate func keepSilentMembers() { machine.configuration.timing.silentIntervals = 600 }
}
