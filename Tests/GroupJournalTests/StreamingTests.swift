import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal

/// Films that are read while they arrive, on virtual time.
@Suite("The journal's order of pieces")
struct StreamingTests {
  private static let size = 24 << 20
  private static let chunks = size / AttachmentLayout.chunkSize
  private static let film = JournalTable.data(size)

  /// Member 0 has a film of 24 MiB on demand.
  private static func table(
    _ count: Int, seed: UInt64 = 1, film: Data = film, uplink: Double? = nil,
    delay: Duration = .milliseconds(20)
  ) -> (JournalTable, UUID) {
    var table = JournalTable(count, seed: seed)
    table.delay = delay
    for index in 0..<count { table.members[index].uplink = uplink }
    table.gather()
    let id = table.add(film, by: 0, isOnDemand: true)
    table.run(for: .seconds(1))
    return (table, id)
  }

  @Test("No participant fetches a film on demand without a request, and a reader fetches all of it")
  func onDemand() {
    var (table, id) = Self.table(3)
    table.run(for: .seconds(10))
    #expect((1..<3).allSatisfy { table.members[$0].pieces[id] == nil })
    table.open(id, by: 2)
    table.run(for: .seconds(20))
    #expect(table.holds(2, id) && table.isTrue(2, id))
    #expect(table.members[1].pieces[id] == nil && table.members[1].received < 10_000)
  }

  @Test("A jump over a slow link waits for two round trips and the pieces in flight")
  func jumps() {
    // 10 Mbit/s and a round trip of 80 ms.
    var (table, id) = Self.table(2, uplink: 1.25e6, delay: .milliseconds(40))
    table.open(id, by: 1)
    for chunk in [0, 700, 100, 500, 300] {
      let begin = table.now
      #expect(table.play([chunk], of: id, by: [1]).isComplete)
      let waited = table.now - begin
      #expect(waited < .milliseconds(500), "chunk \(chunk) after \(waited)")
      table.run(for: .milliseconds(600))
    }
  }

  @Test("The window after the position comes first, then the preferred ranges, then the rest")
  func order() {
    var (table, id) = Self.table(2)
    table.open(id, by: 1)
    table.move(
      id, by: 1, to: ReadingPosition(head: 200, blocked: [200], preferred: [700..<720, 0..<10]))
    var arrived: [Int] = []
    while arrived.count < 500 {
      table.step(atMost: .milliseconds(5))
      let new = (0..<Self.chunks).filter { table.has($0, of: id, 1) && !arrived.contains($0) }
      arrived += new
    }
    let places = Dictionary(uniqueKeysWithValues: arrived.enumerated().map { ($1, $0) })
    func last(_ range: Range<Int>) -> Int { range.map { places[$0] ?? .max }.max()! }
    #expect(places[200] == 0)
    #expect(last(201..<328) < last(700..<720))
    #expect(last(700..<720) <= last(0..<10))
    #expect(last(0..<10) < last(400..<420))
  }

  @Test(
    "The window fills the link and keeps its queue short",
    arguments: [(10e6, 80), (50e6, 40), (4e6, 20), (20e6, 10)])
  func fills(bits: Double, roundTrip: Int) {
    var (table, id) = Self.table(
      2, uplink: bits / 8, delay: .milliseconds(roundTrip) / 2)
    table.open(id, by: 1)
    table.run(for: .seconds(1))
    let before = table.members[1].received
    let begin = table.now
    table.members[0].longestQueue = .zero
    while !table.holds(1, id), table.now - begin < .seconds(10) {
      table.run(for: .milliseconds(20))
    }
    let rate = Double(table.members[1].received - before) * 8 / (table.now - begin).inSeconds
    let queue = table.members[0].longestQueue
    #expect(rate >= 0.9 * bits, "\(rate / 1e6) Mbit/s")
    #expect(queue < .milliseconds(110), "\(queue)")
  }

  @Test("A film that four participants play leaves its owner about once")
  func once() {
    var (table, id) = Self.table(6, uplink: 2.5e6)
    for guest in 1..<5 {
      table.open(id, by: guest)
      table.run(for: .milliseconds(130))
    }
    let played = table.play(stride(from: 0, to: Self.chunks, by: 8), of: id, by: Array(1..<5))
    #expect(played.isComplete)
    table.run(for: .seconds(30))
    for guest in 1..<5 { #expect(table.holds(guest, id) && table.isTrue(guest, id)) }
    let uploads = Double(table.members[0].sent) / Double(Self.size)
    #expect(uploads < 1.2, "\(uploads)")
    #expect(table.members[5].received < 100_000, "a participant that doesn't play it")
  }

  @Test("A participant whose link is too slow for the others' pace stops listening")
  func slow() {
    var (table, id) = Self.table(4, uplink: 6e6)
    table.members[3].downlink = 1e6
    for guest in 1..<4 { table.open(id, by: guest) }
    table.run(for: .seconds(10))
    #expect(table.holds(1, id) && table.holds(2, id))
    #expect(table.members[3].longestQueue < .seconds(6))
    table.run(for: .seconds(60))
    #expect(table.holds(3, id) && table.isTrue(3, id))
  }

  @Test("Guests complete a film from one another after its owner has left")
  func ownerLeaves() {
    var (table, id) = Self.table(4, uplink: 2.5e6)
    table.open(id, by: 1)
    table.open(id, by: 2)
    table.move(id, by: 2, to: ReadingPosition(head: Self.chunks / 2))
    while table.members[1].machine.downloads[id]!.presentCount < Self.chunks * 2 / 3
      || table.members[2].machine.downloads[id]!.presentCount < Self.chunks * 2 / 3
    {
      table.run(for: .milliseconds(100))
    }
    table.run(for: .seconds(3))
    let both = table.members[1].machine.downloads[id]?.present ?? RangeSet(0..<Self.chunks)
    let union = both.union(table.members[2].machine.downloads[id]?.present ?? both)
    table.setHere(0, false)
    table.open(id, by: 3)
    table.run(for: .seconds(60))
    for guest in 1..<4 {
      let count = table.members[guest].machine.downloads[id]?.presentCount ?? Self.chunks
      #expect(count == union.count, "guest \(guest) has \(count) of \(union.count)")
    }
  }

  @Test("A read that waits fails when no participant has the part, and waits again afterwards")
  func unreadable() {
    var (table, id) = Self.table(3)
    table.open(id, by: 1)
    table.run(for: .milliseconds(300))
    table.setHere(0, false)
    table.read(Self.chunks - 1, of: id, by: 1)
    table.run(for: .seconds(9))
    #expect(table.members[1].unreadable == 0)
    table.run(for: .seconds(2))
    #expect(table.members[1].unreadable == 1)
    table.setHere(0, true)
    #expect(table.play([Self.chunks - 1], of: id, by: [1]).isComplete)
  }

  @Test("A holder that lies, is silent or is late doesn't stop a read", arguments: 0..<3)
  func hostile(kind: Int) {
    var (table, id) = Self.table(4, uplink: 6e6)
    table.open(id, by: 1)
    table.run(for: .seconds(15))
    #expect(table.holds(1, id))
    // Member 1 now has the film, and is asked before its author.
    table.run(for: .seconds(3))
    table.tamper = { from, message in
      guard from == 1 else { return message }
      switch message {
      case .piece(let id, let piece, var bytes):
        if kind == 0 { bytes[bytes.startIndex] ^= 1 }
        return kind == 1 ? nil : .piece(id, piece, bytes)
      default: return message
      }
    }
    if kind == 2 { table.members[1].uplink = 20_000 }
    table.open(id, by: 2)
    for chunk in [0, 600, 200, 400] {
      let played = table.play(chunk..<chunk + 4, of: id, by: [2])
      #expect(played.isComplete && played.longest < .seconds(2), "\(played.longest)")
    }
    table.run(for: .seconds(60))
    #expect(table.holds(2, id) && table.isTrue(2, id))
    #expect(table.members[2].lied.contains(JournalTable.id(1)) == (kind == 0))
  }

  @Test(
    "Whatever is lost, whoever leaves and jumps: each byte is verified, and no piece stays missing",
    arguments: UInt64(0)..<20)
  func property(seed: UInt64) {
    #expect(Self.violations(seed: seed) == [], "seed \(seed)")
  }

  @Test("The property finds planted bugs", arguments: JournalTable.Bug.allCases)
  func planted(bug: JournalTable.Bug) {
    #expect((UInt64(0)..<20).contains { !Self.violations(seed: $0, bug: bug).isEmpty })
  }

  /// Runs a film for four guests that jump, leave and return, over links that lose messages, perhaps with a liar among
  /// them.
  ///
  /// - Returns: the broken promises.
  private static func violations(seed: UInt64, bug: JournalTable.Bug? = nil) -> [String] {
    let film = Self.film.prefix(6 << 20)
    let chunks = film.count / AttachmentLayout.chunkSize
    var (table, id) = table(5, seed: seed, film: film, uplink: 2e6)
    var random = RandomSource.seeded(seed &+ 99)
    table.bug = bug
    table.loss = Int.random(in: 0...15, using: &random)
    table.duplicates = 5
    table.jitter = .milliseconds(Int64.random(in: 0...60, using: &random))
    let liar = Int.random(in: 0..<3, using: &random) == 0 ? 4 : -1
    table.tamper = { from, message in
      guard from == liar else { return message }
      switch message {
      case .piece(let id, let piece, let bytes): return .piece(id, piece, Data(bytes.reversed()))
      case .shared(let id, let piece, let bytes, let askers):
        return .shared(id, piece, Data(bytes.reversed()), askers: askers)
      case .query, .records, .summary, .request, .holding: return message
      }
    }
    for _ in 0..<12 {
      let guest = Int.random(in: 1..<5, using: &random)
      if table.members[guest].isHere {
        table.open(id, by: guest)
        table.read(Int.random(in: 0..<chunks, using: &random), of: id, by: guest)
      }
      if Int.random(in: 0..<5, using: &random) == 0 {
        let who = Int.random(in: 0..<5, using: &random)
        table.setHere(who, !table.members[who].isHere)
      }
      table.run(for: .milliseconds(Int64.random(in: 0...900, using: &random)))
    }
    for member in table.members.indices where !table.members[member].isHere {
      table.setHere(member, true)
    }
    for guest in 1..<5 { table.open(id, by: guest) }
    table.run(for: .seconds(90))
    var violations: [String] = []
    for guest in 1..<5 {
      if !table.holds(guest, id) { violations.append("guest \(guest) lacks a piece") }
      if table.members[guest].wrong > 0 { violations.append("guest \(guest) stored wrong bytes") }
      if table.members[guest].lied.contains(where: { $0 != JournalTable.id(liar) }) {
        violations.append("guest \(guest) blames an honest participant")
      }
    }
    return violations
  }
}
