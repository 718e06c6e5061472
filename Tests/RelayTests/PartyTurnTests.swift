import BrokerTesting
import GroupActivities
import Testing
import Timekeeping

@testable import Relay

/// The turns of parties that want more than the relay does for a party at once.
@Suite("The turns of a relay's parties")
struct PartyTurnTests {
  /// A party whose members all hear what the others say.
  private struct Crowd {
    let greeting = Greeting(key: AdmissionKey())
    let members: [ConnectionID]

    init(of count: Int, in harness: inout BrokerHarness) throws {
      var members: [ConnectionID] = []
      for _ in 0..<count {
        let member = try harness.member(greeting, from: "192.0.2.\(harness.output.count % 250)")
        harness.say("SUB \(greeting.prefix).all 1\r\n", member)
        members.append(member)
      }
      self.members = members
      // The cost of joining is saved up again.
      harness.now = harness.now + .seconds(10)
      harness.output = [:]
    }

    func messages(_ count: Int, from first: Int = 0, of sender: Int = 0) -> String {
      (first..<first + count).map {
        let text = "\(sender):\($0)."
        return "PUB \(greeting.prefix).all \(text.utf8.count)\r\n\(text)\r\n"
      }.joined()
    }

    func heard(in harness: BrokerHarness) -> Int {
      members.reduce(0) { $0 + harness.count(of: "MSG", heardBy: $1) }
    }
  }

  private func harness(
    _ limits: @escaping (inout RelayConfiguration.Limits) -> Void = { _ in }
  ) -> BrokerHarness {
    var harness = BrokerHarness(.anyKey, limits: limits)
    harness.takesTurns = false
    return harness
  }

  @Test("A message of a quiet party is delivered at once, however much another party has sent")
  func quiet() throws {
    var harness = harness()
    let flood = try Crowd(of: 50, in: &harness)
    let quiet = try Crowd(of: 3, in: &harness)
    for member in flood.members { harness.say(flood.messages(200), member) }
    let before = flood.heard(in: harness)
    #expect(harness.broker.hasTurns)
    harness.say(quiet.messages(1), quiet.members[0])
    #expect(quiet.heard(in: harness) == 3)
    #expect(flood.heard(in: harness) == before)
    // The longest wait is that for the turn that has begun.
    for _ in 0..<20 {
      let before = flood.heard(in: harness)
      harness.takeTurn()
      let copies = flood.heard(in: harness) - before
      #expect(copies <= 1100)
    }
    #expect(flood.heard(in: harness) - before > 17_000)
  }

  @Test(
    "Parties that want more than is done at once have the same share, however many connections they have"
  )
  func shares() throws {
    var harness = harness()
    let large = try Crowd(of: 40, in: &harness)
    let small = try Crowd(of: 4, in: &harness)
    for member in large.members { harness.say(large.messages(500), member) }
    for member in small.members { harness.say(small.messages(3000), member) }
    let before = (large.heard(in: harness), small.heard(in: harness))
    for _ in 0..<40 { harness.takeTurn() }
    let copies = (large.heard(in: harness) - before.0, small.heard(in: harness) - before.1)
    // A message costs 1 and a quarter for each copy: the share is that of the work.
    let work = (
      Double(copies.0) * (1.0 / 40 + 0.25), Double(copies.1) * (1.0 / 4 + 0.25)
    )
    #expect((0.85...1.15).contains(work.0 / work.1), "\(work)")
  }

  @Test(
    "A party has the whole relay while no other needs it, and is served at once when it is quiet again"
  )
  func alone() throws {
    var harness = harness()
    let crowd = try Crowd(of: 10, in: &harness)
    harness.say(crowd.messages(1000), crowd.members[0])
    #expect(harness.broker.hasTurns)
    var turns = 0
    while harness.broker.hasTurns, turns < 1000 {
      harness.takeTurn()
      turns += 1
    }
    #expect(crowd.heard(in: harness) == 10_000)
    #expect((8...20).contains(turns), "\(turns)")
    harness.say(crowd.messages(1), crowd.members[1])
    #expect(crowd.heard(in: harness) == 10_010)
  }

  @Test(
    "A connection that waits is read from no further, isn't taken for silent, and is read from after its turn"
  )
  func waiting() throws {
    var harness = harness()
    let crowd = try Crowd(of: 20, in: &harness)
    let other = try Crowd(of: 20, in: &harness)
    for member in other.members { harness.say(other.messages(300), member) }
    for member in crowd.members { harness.say(crowd.messages(100), member) }
    let last = crowd.members[19]
    #expect(harness.held.isEmpty)
    harness.say(crowd.messages(10, from: 100), last)
    #expect(harness.held == [last])
    for _ in 0..<60 {
      harness.now = harness.now + .seconds(1)
      harness.broker.tick(now: harness.now)
      for member in crowd.members.dropLast() { harness.say("PONG\r\n", member) }
    }
    #expect(!harness.ended.contains(last) && !harness.heard(last).contains("PING"))
    while harness.broker.hasTurns { harness.takeTurn() }
    #expect(harness.held.isEmpty)
    #expect(harness.count(of: "MSG", heardBy: crowd.members[0]) == 20 * 100 + 10)
  }

  @Test("Members that leave while their party waits take nothing with them that others wait for")
  func leaving() throws {
    var harness = harness()
    let crowd = try Crowd(of: 20, in: &harness)
    for (number, member) in crowd.members.enumerated() {
      harness.say(crowd.messages(100, of: number), member)
    }
    for member in crowd.members[10...] { harness.broker.closed(member) }
    while harness.broker.hasTurns { harness.takeTurn() }
    for number in 0..<10 {
      #expect(harness.count(of: "\r\n\(number):99.", heardBy: crowd.members[0]) == 1)
    }
    for member in crowd.members[..<10] { harness.broker.closed(member) }
    #expect(harness.broker.parties.isEmpty && !harness.broker.hasTurns)
  }

  /// Each message reaches each member once, and in the order of its sender, for all sizes of pieces and orders of events.
  @Test("Turns lose, double and reorder nothing", arguments: 0..<20 as Range<UInt64>)
  func order(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var harness = harness {
      $0.promptWork = .init(perSecond: 20, burst: 40)
      $0.messages = .init(perSecond: 50, burst: 100)
    }
    let crowds = try (0..<3).map { _ in
      try Crowd(of: Int.random(in: 2...6, using: &random), in: &harness)
    }
    var unsent: [ConnectionID: [UInt8]] = [:]
    for crowd in crowds {
      for (number, member) in crowd.members.enumerated() {
        unsent[member] = Array(crowd.messages(60, of: number).utf8)
      }
    }
    var steps = 0
    while unsent.values.contains(where: { !$0.isEmpty }) || harness.broker.hasTurns
      || !harness.paused.isEmpty
    {
      steps += 1
      try #require(steps < 100_000)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: harness.now = harness.now + .milliseconds(Int.random(in: 0..<300, using: &random))
      case 1, 2: if harness.broker.hasTurns { harness.takeTurn() }
      case 3:
        if let id = harness.paused.keys.min(by: { $0.number < $1.number }) {
          harness.now = harness.now + harness.paused[id]!
          harness.paused[id] = nil
          harness.broker.resume(id, now: harness.now)
          harness.perform()
        }
      default:
        let readable = unsent.keys.filter {
          !unsent[$0]!.isEmpty && !harness.held.contains($0) && harness.paused[$0] == nil
        }
        guard let id = readable.sorted(by: { $0.number < $1.number }).randomElement(using: &random)
        else { continue }
        let count = min(unsent[id]!.count, Int.random(in: 1...400, using: &random))
        harness.broker.received(Array(unsent[id]!.prefix(count)), from: id, now: harness.now)
        unsent[id]!.removeFirst(count)
        harness.perform()
      }
    }
    #expect(harness.held.isEmpty && harness.ended.isEmpty && harness.cut.isEmpty)
    for crowd in crowds {
      for member in crowd.members {
        let text = harness.output[member] ?? ""
        let lines = text.split(separator: "\r\n").filter { $0.hasSuffix(".") }
        #expect(lines.count == 60 * crowd.members.count)
        for sender in crowd.members.indices {
          let expected = (0..<60).map { "\(sender):\($0)." }
          #expect(lines.filter { $0.hasPrefix("\(sender):") }.map(String.init) == expected)
        }
      }
    }
  }
}
