import Crypto
import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal

@Suite("The journal's rules")
struct JournalMachineTests {
  private static let large = 3 << 20

  @Test("A small attachment reaches all participants; a large one reaches one more")
  func eager() {
    var table = JournalTable(4)
    table.gather()
    let small = table.add(JournalTable.data(100_000), by: 2)
    let large = table.add(JournalTable.data(Self.large), by: 2)
    table.run(for: .seconds(10))
    #expect((0..<4).allSatisfy { table.holds($0, small) && table.isTrue($0, small) })
    #expect((0..<4).map { table.holds($0, large) } == [true, false, true, false])
    table.demand(large, by: 3)
    table.run(for: .seconds(10))
    #expect(table.holds(3, large) && table.isTrue(3, large))
  }

  @Test("Exactly one participant answers a newcomer, and the next one does if the first doesn't")
  func newcomer() {
    var table = JournalTable(4)
    table.setHere(3, false)
    let id = table.add(Data("x".utf8), by: 1)
    table.run(for: .seconds(3))
    let before = table.sent.count
    table.setHere(3, true)
    table.run(for: .milliseconds(100))
    let answers = table.sent.dropFirst(before).filter {
      if case .records(let records) = $0.message {
        records.nonce != nil && $0.to == 3
      } else {
        false
      }
    }
    #expect(answers.map(\.from) == [0])
    #expect(table.entries(3) == [id])

    table.setHere(3, false)
    let second = table.add(Data("y".utf8), by: 1)
    table.tamper = { from, message in
      switch message {
      // The newcomer learns of it only by asking, and the first participant never answers.
      case .summary: nil
      case .records where from == 0: nil
      default: message
      }
    }
    table.run(for: .seconds(1))
    table.setHere(3, true)
    table.run(for: .milliseconds(900))
    #expect(table.entries(3) == [id])
    table.run(for: .milliseconds(400))
    #expect(table.entries(3) == [id, second])
  }

  @Test("A late addition doesn't bring back what was removed")
  func tombstone() {
    var table = JournalTable(3)
    table.gather()
    let id = table.add(Data("x".utf8), by: 0)
    table.run(for: .seconds(1))
    let record = table.members[0].machine.book.record(id)!
    table.remove(id, by: 2)
    table.run(for: .seconds(5))
    for index in 0..<3 {
      table.hand(
        .records(.init(records: [record])), from: JournalTable.id((index + 1) % 3), to: index)
    }
    table.run(for: .seconds(5))
    for index in 0..<3 {
      #expect(table.entries(index).isEmpty)
      #expect(table.members[index].pieces.isEmpty || index == 0)
    }
  }

  @Test("A transfer continues after its only holder was away, and fetches nothing twice")
  func resumes() {
    var table = JournalTable(2)
    table.gather()
    let id = table.add(JournalTable.data(8 << 20), by: 0)
    table.run(for: .milliseconds(300))
    let written = table.members[1].written
    #expect(written > 10 && !table.holds(1, id))
    table.setHere(0, false)
    table.run(for: .seconds(5))
    table.setHere(0, true)
    table.run(for: .seconds(10))
    #expect(table.holds(1, id) && table.isTrue(1, id))
    #expect(table.members[1].written == 8 * 32 + 1)
  }

  @Test("An outage of the participant's own link delays a transfer, and does no other harm")
  func ownLink() {
    var table = JournalTable(3)
    table.gather()
    let id = table.add(JournalTable.data(8 << 20), by: 2)
    table.run(for: .milliseconds(200))
    table.act(0) { machine, _ in
      machine.disconnected()
      return []
    }
    let written = table.members[0].written
    table.run(for: .seconds(3))
    #expect(table.members[0].written == written)
    table.act(0) { $0.connected(at: $1) }
    table.run(for: .seconds(10))
    #expect(table.holds(0, id) && table.members[0].written == 8 * 32 + 1)
  }

  @Test("Other participants serve an attachment after the participant that added it has left")
  func adderLeaves() {
    var table = JournalTable(4)
    table.gather()
    let id = table.add(JournalTable.data(Self.large), by: 1)
    table.run(for: .seconds(10))
    table.setHere(1, false)
    table.run(for: .seconds(3))
    table.demand(id, by: 3)
    table.run(for: .seconds(5))
    #expect(table.holds(3, id) && table.isTrue(3, id))
  }

  @Test("An attachment that no participant holds is an error after a while, and not before")
  func unavailable() {
    var timing = JournalTiming()
    timing.eagerKeepLimit = 0
    var table = JournalTable(3, timing: timing)
    table.gather()
    let id = table.add(JournalTable.data(Self.large), by: 1)
    table.run(for: .seconds(3))
    table.setHere(1, false)
    table.demand(id, by: 2)
    table.run(for: .seconds(9))
    #expect(table.members[2].failures[id] == nil)
    table.run(for: .seconds(2))
    #expect(table.members[2].failures[id] == .unavailable)
  }

  @Test("A wrong piece is refused, and another participant than its sender is asked")
  func liar() {
    var table = JournalTable(4)
    table.gather()
    let id = table.add(JournalTable.data(Self.large), by: 0)
    table.run(for: .seconds(5))
    #expect(table.holds(1, id))
    table.tamper = { from, message in
      guard from == 0, case .piece(let id, let piece, var bytes) = message else { return message }
      bytes[bytes.startIndex] ^= 1
      return .piece(id, piece, bytes)
    }
    table.demand(id, by: 3)
    table.run(for: .seconds(10))
    #expect(table.holds(3, id) && table.isTrue(3, id))
    #expect(Set(table.members[3].lied) == [JournalTable.id(0)])
  }

  @Test(
    "A participant that offers an attachment but never sends it doesn't keep others from getting it"
  )
  func miser() {
    var table = JournalTable(4)
    table.gather()
    let id = table.add(JournalTable.data(Self.large), by: 0)
    table.run(for: .seconds(5))
    table.tamper = { from, message in
      if from == 0, case .piece = message { nil } else { message }
    }
    table.demand(id, by: 3)
    table.run(for: .seconds(20))
    #expect(table.holds(3, id))
  }

  @Test("Removing an attachment ends its transfer with an error")
  func removedMidway() {
    var table = JournalTable(2)
    table.gather()
    let id = table.add(JournalTable.data(8 << 20), by: 0)
    table.demand(id, by: 1)
    table.run(for: .milliseconds(100))
    table.remove(id, by: 1)
    table.run(for: .seconds(3))
    #expect(table.members[1].failures[id] == .removed)
    #expect(table.entries(0).isEmpty && table.members[1].pieces.isEmpty)
  }

  @Test(
    "Whatever is lost, late or doubled, all participants end with the same set and the same bytes",
    arguments: UInt64(0)..<40)
  func converges(seed: UInt64) {
    var table = JournalTable(4, seed: seed)
    var random = RandomSource.seeded(seed &+ 77)
    table.gather()
    table.loss = 20
    table.duplicates = 10
    table.jitter = .milliseconds(200)
    var all: [UUID] = []
    for step in 0..<30 {
      let who = Int.random(in: 0..<4, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        let size = [0, 10, 40_000, 200_000].randomElement(using: &random)!
        if table.members[who].isHere {
          all.append(
            table.add(JournalTable.data(size, seed: seed &* 100 &+ UInt64(step)), by: who))
        }
      case 4...6:
        // Two removals at once, sometimes of the same attachment.
        for remover in [who, (who + 1) % 4] where table.members[remover].isHere {
          if let id = all.randomElement(using: &random) { table.remove(id, by: remover) }
        }
      case 7: table.setHere(who, !table.members[who].isHere)
      default: break
      }
      table.run(for: .milliseconds(Int64.random(in: 0...1500, using: &random)))
    }
    table.loss = 0
    for who in 0..<4 where !table.members[who].isHere { table.setHere(who, true) }
    table.run(for: .seconds(60))
    for index in 0..<4 {
      #expect(table.entries(index) == table.entries(0), "seed \(seed)")
      for id in table.entries(index) {
        #expect(table.holds(index, id) && table.isTrue(index, id), "seed \(seed)")
      }
      #expect(table.members[index].lied.isEmpty)
    }
  }

  @Test("A participant can't make another one store more than the limits, or do useless work")
  func hostile() {
    var table = JournalTable(2)
    let mallory = Participant.ID(high: 66, low: 6)
    table.gather()
    let id = table.add(JournalTable.data(Self.large), by: 0)
    table.run(for: .seconds(5))
    table.seat(mallory)
    let before = table.members[0].machine.refused
    let sent = table.sent.count
    // Invalid requests are answered only with what is here.
    for index in [96, .max] {
      for level in [0, 1, 2, 255] {
        table.hand(
          .request(.init(id: id, level: level, indices: [index])), from: mallory, to: 0)
      }
    }
    for message in table.sent.dropFirst(sent) where message.from == 0 {
      if case .piece = message.message { Issue.record("served \(message)") }
    }
    // A flood is reduced to a rate.
    for _ in 0..<5000 {
      table.hand(.query(.init(nonce: 1, inventory: Data())), from: mallory, to: 0)
    }
    let answers = table.sent.dropFirst(sent).count {
      if case .records(let records) = $0.message { records.nonce == 1 } else { false }
    }
    #expect(answers <= 200)
    #expect(table.members[0].machine.refused > before + 4000)
    // Entries with a slot beyond the limit, with a size beyond it, and with false content.
    let record = table.members[0].machine.book.record(id)!
    var odd = [record, record, record, record]
    odd[0].slot = JournalRecord.slotLimit
    odd[1].slot = 7
    odd[1].bodyHash = Data(count: 31)
    odd[2].slot = 8
    odd[2].body = Data(count: JournalRecord.bodyLimit + 1)
    odd[3].slot = 9
    odd[3].body = Data("{}".utf8)
    var book = table.members[1].machine.book
    for record in odd { #expect(book.merge(record) == .refused) }
    // Pieces that were not requested are discarded.
    let written = table.members[1].written
    for index in 0..<96 {
      table.hand(
        .piece(id, Piece(level: 0, index: index), Data(count: 32768)), from: mallory, to: 1)
    }
    #expect(table.members[1].written == written)
  }

  @Test("One participant's additions are bounded, and different additions in one slot end as one")
  func slots() {
    var books = [JournalBook(authorship: .trusting), JournalBook(authorship: .trusting)]
    func record(_ text: String, slot: Int) -> JournalRecord {
      let tree = JournalTable.tree(of: Data(text.utf8))
      let body = Data(
        JournalBody(
          addedAt: 1, size: Int64(text.utf8.count), root: tree.root, type: text
        ).binary)
      return JournalRecord(
        author: JournalTable.id(0), slot: slot, bodyHash: Data(SHA256.hash(data: body)),
        proof: AttachmentAuthorship.trusting.sign([]), body: body)
    }
    for slot in 0..<JournalRecord.slotLimit + 10 { _ = books[0].merge(record("x", slot: slot)) }
    #expect(books[0].entries.count == JournalRecord.slotLimit)

    books[0] = JournalBook(authorship: .trusting)
    let rivals = ["a", "b", "c"].map { record($0, slot: 0) }
    for rival in rivals { _ = books[0].merge(rival) }
    for rival in rivals.reversed() { _ = books[1].merge(rival) }
    #expect(books[0].entries == books[1].entries)
    #expect(books[0].entries.count == 1)
    #expect(books[0].digest == books[1].digest)
  }

  @Test("Transfers fill the path no further than a short queue")
  func window() {
    let timing = JournalTiming()
    var now = HostTime(nanoseconds: 0)
    var holder = HolderRecord(timing: timing, at: now)
    // A path of 10 ms, and 2 pieces for each queueing target.
    for _ in 0..<500 {
      let queue = timing.queueingTarget * max(0, holder.window - 2) / 2
      now = now + .milliseconds(10)
      holder.answered(after: .milliseconds(10) + queue, timing, at: now)
    }
    #expect((2...6).contains(holder.window), "\(holder.window)")
    holder.timedOut(timing, at: now)
    #expect(holder.window <= 3)
  }

  @Test(
    "A decoded message equals the encoded one",
    arguments: [
      JournalMessage.query(.init(nonce: .max, inventory: Data([1, 2]))),
      .summary(.init(digest: .max, weight: 3, complete: Data(count: 32), partial: [])),
      .request(.init(id: UUID(), level: 1, indices: [0, 7])),
      .request(.init(id: UUID(), level: 0, indices: [], isUrgent: true, isReplacing: true)),
      .shared(
        UUID(), Piece(level: 0, index: 7), Data([1]), askers: [JournalTable.id(1)]),
      .holding(.init(id: UUID(), chunks: [0..<1, 3..<70_000])),
      .piece(UUID(), Piece(level: 2, index: 70_000), Data([9])),
      .piece(UUID(), Piece(level: 0, index: 0), Data()),
    ])
  func codable(message: JournalMessage) {
    let encoded = message.encoded()
    #expect(JournalMessage(decoding: encoded) == message)
    for length in encoded.indices {
      #expect(JournalMessage(decoding: encoded.prefix(length)) != message)
    }
  }

  @Test("A hash tree has the number of levels that its size needs")
  func layout() throws {
    #expect(AttachmentLayout(size: 0)?.counts == [1])
    #expect(AttachmentLayout(size: 32768)?.counts == [1])
    #expect(AttachmentLayout(size: 32769)?.counts == [2, 1])
    #expect(AttachmentLayout(size: 32 << 20)?.counts == [1024, 1])
    let large = try #require(AttachmentLayout(size: (32 << 20) + 1))
    #expect(large.counts == [1025, 2, 1])
    #expect(large.offset(of: Piece(level: 1, index: 1)) == 32768)
    #expect(large.offset(of: Piece(level: 2, index: 0)) == 1025 * 32)
    #expect(large.length(of: Piece(level: 1, index: 1)) == 32)
    #expect(AttachmentLayout(size: -1) == nil)
    #expect(AttachmentLayout(size: 32 << 30)?.counts == [1 << 20, 1024, 1])
    let film = try #require(AttachmentLayout(size: 60_000_000_000))
    #expect(film.counts == [1_831_055, 1789, 2, 1])
    #expect(film.length(of: film.top) == 64)
    #expect(film.offset(of: film.top) == Int64((1_831_055 + 1789 + 2) * 32) - 64)
    #expect(film.chunks(under: Piece(level: 2, index: 1)) == 1 << 20..<1_831_055)
    #expect(
      AttachmentLayout(size: AttachmentLayout.sizeLimit)?.counts == [1 << 25, 1 << 15, 32, 1])
    #expect(AttachmentLayout(size: AttachmentLayout.sizeLimit + 1) == nil)
  }
}
