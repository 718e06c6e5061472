import BrokerTesting
import Foundation
import GroupActivities
import Testing
import Timekeeping

@testable import NATSProtocol
@testable import Relay

/// The limits on the cost of one peer to the others.
@Suite("The broker's limits")
struct BrokerLimitsTests {
  private let greeting = Greeting(key: AdmissionKey())
  private var only: RelayConfiguration.Admission { .only([greeting.key.publicKey]) }

  // MARK: Rates

  @Test(
    "A client that asks for too much waits and gets all of it, and no other client waits",
    arguments: ["PING\r\n", "PONG\r\nPING\r\n", "UNSUB 9\r\nPING\r\n"])
  func operationRate(text: String) throws {
    var harness = BrokerHarness(only) {
      $0.operations.perSecond = 100
      $0.operations.burst = 400
    }
    let flooder = try harness.member(greeting)
    let honest = try harness.member(greeting)
    harness.now = harness.now + .seconds(10)
    harness.say(String(repeating: text, count: 1000), flooder)
    #expect((50...400).contains(harness.count(of: "PONG", heardBy: flooder)))
    #expect(harness.paused[flooder] != nil)
    harness.say("PING\r\n", honest)
    #expect(harness.heard(honest) == "PONG\r\n")
    #expect(harness.paused.count == 1)

    let duration = harness.passPauses()
    #expect(harness.count(of: "PONG", heardBy: flooder) == 1000)
    // 1000 operations at least, 400 at once, the rest at 100 a second.
    #expect(duration > .seconds(5.8))
    #expect(harness.broker.statistics.throttles > 10)
  }

  @Test("A flood of messages is slowed down to the rate of one member, and no other member waits")
  func messageRate() throws {
    var harness = BrokerHarness(only)
    let flooder = try harness.member(greeting)
    let honest = try harness.member(greeting)
    harness.say("SUB \(greeting.prefix).a 1\r\n", honest)
    let message = "PUB \(greeting.prefix).a 2\r\nhi\r\n"
    harness.say(String(repeating: message, count: 40_000), flooder)
    let burst = harness.broker.limits.messages.burst
    #expect((burst...burst + 10).contains(harness.count(of: "MSG", heardBy: honest)))
    harness.output = [:]
    harness.say("PING\r\n", honest)
    #expect(harness.heard(honest) == "PONG\r\n")
    let duration = harness.passPauses()
    #expect((.seconds(35)...(.seconds(38))).contains(duration), "\(duration)")
    #expect(harness.count(of: "MSG", heardBy: honest) >= 40_000 - burst - 10)
  }

  @Test("Bytes have a rate of their own, and the reader of a message isn't charged for it")
  func byteRate() throws {
    var harness = BrokerHarness(only) {
      $0.bytes.perSecond = 10_000
      $0.bytes.burst = 50_000
    }
    let sender = try harness.member(greeting)
    let receiver = try harness.member(greeting)
    harness.say("SUB \(greeting.prefix).a 1\r\n", receiver)
    let message = "PUB \(greeting.prefix).a 1000\r\n\(String(repeating: "x", count: 1000))\r\n"
    for _ in 0..<100 { harness.say(message, sender) }
    #expect(harness.count(of: "MSG", heardBy: receiver) < 60)
    #expect(harness.paused[receiver] == nil)
    let duration = harness.passPauses()
    #expect(harness.count(of: "MSG", heardBy: receiver) == 100)
    // 104 kB came and a quarter of as much went out.
    #expect((.seconds(6)...(.seconds(10))).contains(duration), "\(duration)")
  }

  @Test("Copies of a message count towards its sender's rate")
  func copies() throws {
    var harness = BrokerHarness(only) {
      $0.operations.perSecond = 1000
      $0.operations.burst = 1000
    }
    let receivers = try (0..<40).map { _ in try harness.member(greeting) }
    for id in receivers { harness.say("SUB \(greeting.prefix).a 1\r\n", id) }
    let sender = try harness.member(greeting)
    harness.say(String(repeating: "PUB \(greeting.prefix).a 0\r\n\r\n", count: 200), sender)
    // 800 are left after CONNECT, and each message costs 1 and 40 quarters.
    #expect((70...75).contains(harness.count(of: "MSG", heardBy: receivers[0])))
    _ = harness.passPauses()
    #expect(harness.count(of: "MSG", heardBy: receivers[39]) == 200)
  }

  @Test("A client that has to wait is not considered silent")
  func pausedIsNotStale() throws {
    var harness = BrokerHarness(only) {
      $0.operations.perSecond = 1
      $0.operations.burst = 300
    }
    let flooder = try harness.member(greeting)
    harness.say(String(repeating: "SUB x 1\r\n", count: 1000), flooder)
    #expect(harness.paused[flooder] != nil)
    for _ in 0..<60 { harness.pass(.seconds(1)) }
    #expect(harness.ended.isEmpty && harness.cut.isEmpty)
    #expect(!harness.heard(flooder).contains("PING"))
  }

  @Test("An honest member's file and chat are far below the usual rates")
  func honest() throws {
    for limits in [RelayConfiguration.Limits(), .ofPublicRelay] {
      var harness = BrokerHarness(only) { $0 = limits }
      let reader = try harness.member(greeting)
      let sender = try harness.member(greeting)
      harness.say("SUB \(greeting.prefix).to.b 1\r\n", reader)
      // A file at 64 MiB a second, the most that is ever asked for, in parts of 32 KiB, for 10 s.
      let part = "PUB \(greeting.prefix).to.b 32768\r\n\(String(repeating: "x", count: 32768))\r\n"
      for _ in 0..<100 {
        for _ in 0..<205 { harness.say(part, sender) }
        harness.now = harness.now + .milliseconds(100)
        harness.output = [:]
      }
      #expect(harness.broker.statistics.throttles == 0)
      #expect(harness.broker.statistics.messagesOut == 20_500)
    }
  }

  // MARK: Connections

  @Test("One party can't take all connections of a public relay")
  func partyConnections() throws {
    var harness = BrokerHarness(.anyKey) { $0.connectionsPerParty = 3 }
    let members = try (0..<3).map { _ in try harness.member(greeting) }
    let fourth = try harness.member(greeting)
    #expect(harness.ended == [fourth])
    let attached = harness.attach(greeting)
    #expect(attached == nil)
    let other = try harness.member(Greeting(key: AdmissionKey()))
    #expect(!harness.ended.contains(other))
    harness.broker.closed(members[0])
    let next = try harness.member(greeting)
    #expect(!harness.ended.contains(next))
    #expect(harness.broker.statistics.connectionsRefused == 2)
  }

  @Test("One machine with many keys can't take all connections of a public relay")
  func addressConnections() throws {
    var harness = BrokerHarness(.anyKey) {
      $0.connections = 40
      $0.connectionsPerAddress = 8
    }
    for number in 0..<30 {
      let id = try harness.member(Greeting(key: AdmissionKey()), from: "2001:db8::\(number)")
      #expect(harness.ended.contains(id) == (number >= 8))
    }
    let friend = try harness.member(Greeting(key: AdmissionKey()), from: "192.0.2.1")
    #expect(!harness.ended.contains(friend))
    harness.broker.closed(friend)
    #expect(harness.broker.provenCount == 8)
    #expect(harness.broker.provenByOrigin.count == 1)
  }

  @Test("Existing parties can still grow when a public relay is almost full")
  func knownParties() throws {
    var harness = BrokerHarness(.anyKey) {
      $0.connections = 20
      $0.connectionsForKnownParties = 5
    }
    _ = try harness.member(greeting)
    for number in 0..<30 {
      let id = try harness.member(Greeting(key: AdmissionKey()))
      #expect(harness.ended.contains(id) == (number >= 14))
    }
    for _ in 0..<5 {
      let member = try harness.member(greeting)
      #expect(!harness.ended.contains(member))
    }
    #expect(harness.broker.statistics.connections == 20)
  }

  @Test("The number of strangers is limited, and the oldest is removed first")
  func strangers() throws {
    var harness = BrokerHarness(only) { $0.unprovenConnections = 5 }
    let ids = (0..<2000).map { _ in harness.open() }
    #expect(harness.broker.statistics.unprovenConnections == 5)
    #expect(harness.broker.statistics.connections == 5)
    #expect(harness.ended == Set(ids.dropLast(5)))
    #expect(harness.broker.strangers.count == 5)
    // One of the connected strangers is admitted, and is no stranger any more.
    harness.say(try greeting.line(nonce: "nonce"), ids[1995])
    for _ in 0..<10 { _ = harness.open() }
    #expect(!harness.ended.contains(ids[1995]))
    harness.pass(.seconds(7))
    #expect(harness.broker.statistics.unprovenConnections == 0)
    #expect(harness.broker.statistics.connections == 1)
  }

  @Test("The oldest stranger of the address with the most strangers is removed first")
  func strangersByAddress() throws {
    var harness = BrokerHarness(only) { $0.unprovenConnections = 6 }
    let early = harness.open(from: "192.0.2.1")
    let flood = (0..<100).map { _ in harness.open(from: "192.0.2.2") }
    let late = harness.open(from: "192.0.2.3")
    #expect(harness.ended == Set(flood.dropLast(4)))
    for id in [early, late] {
      harness.say(try greeting.line(nonce: "nonce"), id)
      #expect(!harness.ended.contains(id))
    }
  }

  @Test("One address can take only a part of the strangers' share")
  func strangersOfOneAddress() {
    var harness = BrokerHarness(only) { $0.unprovenConnectionsPerAddress = 3 }
    let ids = (0..<10).map { harness.open(from: "2001:db8:1:2::\(String($0, radix: 16))") }
    #expect(harness.ended == Set(ids.dropLast(3)))
    _ = harness.open(from: "2001:db8:1:3::1")
    #expect(harness.broker.statistics.unprovenConnections == 4)
  }

  @Test(
    "The addresses of an IPv6 subscriber are one origin, and so are both spellings of an IPv4 address",
    arguments: [
      ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
      ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
      ("192.0.2.1", "::ffff:192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
      ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("::1", "127.0.0.1", false),
      ("fe80::1", "fe80::2", false), ("", "?", true),
    ])
  func origins(first: String, second: String, areOne: Bool) {
    #expect((Origin(first) == Origin(second)) == areOne)
  }

  @Test(
    "A host's relay leaves descriptors to its program, however few there are",
    arguments: [2, 16, 64, 256, 1024, 4096, 65_536, 1_048_576])
  func descriptors(limit: Int) {
    var limits = RelayConfiguration.Limits()
    limits.leaveDescriptors(of: limit)
    #expect(limits.reservedDescriptors >= min(512, limit / 2))
    #expect(limits.unprovenConnectionsPerAddress <= limits.unprovenConnections)
    #expect(limits.unprovenConnections <= limits.connections)
    if limit >= 16 {
      #expect(
        limits.reservedDescriptors + limits.connections + limits.closingConnections <= limit)
    }
    if limit >= 4096 { #expect(limits.connections == 1024) }
  }

  @Test("A key that isn't admitted costs no signature check")
  func strangeKey() throws {
    var harness = BrokerHarness(only)
    let id = harness.open()
    // A signature that would be valid, of a key that is not the party's.
    harness.say(try Greeting(key: AdmissionKey()).line(nonce: "nonce"), id)
    #expect(harness.ended == [id])
    #expect(harness.broker.statistics.authorizationFailures == 1)
  }

  // MARK: Memory

  @Test(
    "When all connections together hold too much, the one that holds most is cut off, and the sum stays below the limit"
  )
  func heldBytes() throws {
    var harness = BrokerHarness(.anyKey) {
      $0.heldBytes = 100_000
      $0.pendingBytes = 60_000
    }
    let honest = try harness.member(greeting)
    let readers = try (0..<3).map { _ in try harness.member(greeting) }
    for id in readers { harness.say("SUB \(greeting.prefix).a 1\r\n", id) }
    harness.blocked = Set(readers)
    for _ in 0..<40 {
      harness.say(
        "PUB \(greeting.prefix).a 1000\r\n\(String(repeating: "x", count: 1000))\r\n", honest)
      #expect(harness.broker.heldBytes <= 100_000)
      #expect(harness.broker.heldBytes == harness.heldBytes)
    }
    #expect(!harness.cut.isEmpty)
    #expect(harness.cut.isSubset(of: readers))
    #expect(harness.broker.statistics.memoryCuts == harness.cut.count)
    harness.say("PING\r\n", honest)
    #expect(harness.heard(honest).hasSuffix("PONG\r\n"))
  }

  @Test("Parts of messages, subscriptions and long subjects are counted too")
  func partialMessages() throws {
    var harness = BrokerHarness(.anyKey) { $0.heldBytes = 300_000 }
    let honest = try harness.member(greeting)
    for _ in 0..<20 {
      let id = try harness.member(greeting)
      harness.say("PUB \(greeting.prefix).a 60000\r\n\(String(repeating: "x", count: 50_000))", id)
      #expect(harness.broker.heldBytes <= 300_000)
    }
    #expect(harness.cut.count >= 14)
    let subscriber = try harness.member(Greeting(key: AdmissionKey()))
    #expect(!harness.cut.contains(subscriber))
    let before = harness.broker.heldBytes
    let prefix = greeting.prefix
    for number in 0..<200 {
      harness.say(
        "SUB \(prefix).\(String(repeating: "s", count: 3000))\(number) \(number)\r\n", honest)
    }
    #expect(harness.broker.heldBytes <= 300_000)
    #expect(harness.broker.heldBytes == harness.heldBytes)
    #expect(harness.cut.contains(honest) || harness.broker.heldBytes > before)
  }

  @Test("Processed operations are not held, nor is the memory that they arrived in")
  func parserMemory() throws {
    var harness = BrokerHarness(only)
    let id = try harness.member(greeting)
    let held = harness.broker.heldBytes
    harness.say(String(repeating: "PING\r\n", count: 5000) + "PU", id)
    #expect(harness.broker.heldBytes - held < 1024)
    harness.say("B \(greeting.prefix).a 0\r\n\r\n", id)
    #expect(harness.broker.heldBytes == held)
  }

  @Test("Subjects that are used once are not remembered for ever")
  func rememberedMatches() {
    var index = SubjectIndex()
    index.insert(SubscriptionID(number: 1, index: 0), at: Subject("a.>"), group: nil)
    for number in 0..<5000 {
      let subject = Subject("a.\(number)" + String(repeating: "x", count: number % 500))
      #expect(index.match(subject).plain.count == 1)
      #expect(index.rememberedBytes <= 4096 + 256)
    }
  }

  @Test("The output behind a blocked socket is one buffer")
  func oneBufferInFlight() throws {
    var harness = BrokerHarness(only)
    let slow = try harness.member(greeting)
    let sender = try harness.member(greeting)
    harness.say("SUB \(greeting.prefix).a 1\r\n", slow)
    harness.blocked = [slow]
    harness.writes = 0
    for _ in 0..<100 { harness.say("PUB \(greeting.prefix).a 2\r\nhi\r\n", sender) }
    #expect(harness.writes == 1)
    let first = harness.output[slow]!.utf8.count
    harness.blocked = []
    harness.broker.wrote(first, to: slow, now: harness.now)
    harness.perform()
    #expect(harness.writes == 2)
    #expect(harness.count(of: "MSG", heardBy: slow) == 100)
  }

  @Test("A socket that was idle for a long time has as much time to take bytes as any other")
  func stallAfterSilence() throws {
    var harness = BrokerHarness(only) { $0.pingInterval = .seconds(60) }
    let reader = try harness.member(greeting)
    harness.pass(.seconds(30))
    harness.blocked = [reader]
    harness.say("PING\r\n", reader)
    harness.pass(.seconds(4))
    #expect(harness.cut.isEmpty)
    harness.pass(.seconds(2))
    #expect(harness.cut == [reader])
  }
}
