import BrokerTesting
import Foundation
import GroupActivities
import Testing
import Timekeeping

@testable import NATSProtocol
@testable import Relay

/// The broker's decisions, without a socket: bytes and times in, effects out.
@Suite("The broker")
struct BrokerTests {
  private let greeting = Greeting(key: AdmissionKey())
  private var only: RelayConfiguration.Admission { .only([greeting.key.publicKey]) }

  @Test("One member of a queue group gets each message, and all members get their share")
  func queueGroups() throws {
    var harness = BrokerHarness(only)
    let members = try (0..<3).map { _ in try harness.member(greeting) }
    let plain = try harness.member(greeting)
    let publisher = try harness.member(greeting)
    for member in members { harness.say("SUB \(greeting.prefix).* workers 7\r\n", member) }
    harness.say("SUB \(greeting.prefix).a 1\r\n", plain)
    for _ in 0..<300 { harness.say("PUB \(greeting.prefix).a 0\r\n\r\n", publisher) }
    let counts = members.map { harness.count(of: "MSG", heardBy: $0) }
    #expect(counts.reduce(0, +) == 300)
    #expect(counts.allSatisfy { $0 > 60 }, "\(counts)")
    #expect(harness.count(of: "MSG", heardBy: plain) == 300)
  }

  @Test("A queue group skips the publisher that wants no echo")
  func queueGroupWithoutEcho() throws {
    var quiet = greeting
    quiet.options += #","echo":false"#
    var harness = BrokerHarness(only)
    let publisher = try harness.member(quiet)
    let other = try harness.member(greeting)
    harness.say("SUB \(greeting.prefix).a q 1\r\nSUB \(greeting.prefix).a q 2\r\n", publisher)
    harness.say("SUB \(greeting.prefix).a q 1\r\n", other)
    for _ in 0..<50 { harness.say("PUB \(greeting.prefix).a 0\r\n\r\n", publisher) }
    #expect(harness.heard(publisher).isEmpty)
    #expect(harness.count(of: "MSG", heardBy: other) == 50)
  }

  @Test("The output of one batch is one write for each destination")
  func oneWrite() throws {
    var harness = BrokerHarness(only)
    let subscriber = try harness.member(greeting)
    let publisher = try harness.member(greeting)
    harness.say("SUB \(greeting.prefix).* 1\r\n", subscriber)
    harness.writes = 0
    harness.say(String(repeating: "PUB \(greeting.prefix).a 1\r\nx\r\n", count: 100), publisher)
    #expect(harness.writes == 1)
    #expect(harness.count(of: "MSG", heardBy: subscriber) == 100)
  }

  @Test("Parties on one relay receive nothing from each other, not even on _INBOX")
  func isolation() throws {
    var harness = BrokerHarness(.anyKey)
    let other = Greeting(key: AdmissionKey())
    let mine = try harness.member(greeting)
    let theirs = try harness.member(other)
    harness.say("SUB _INBOX.a 1\r\nSUB \(greeting.prefix).* 2\r\n", mine)
    harness.say("PUB _INBOX.a 0\r\n\r\nPUB \(greeting.prefix).a 0\r\n\r\nSUB > 1\r\n", theirs)
    #expect(harness.heard(mine).isEmpty)
    #expect(
      harness.heard(theirs) == """
        -ERR 'Permissions Violation for Publish to "\(greeting.prefix).a"'\r
        -ERR 'Permissions Violation for Subscription to ">"'\r

        """)
    #expect(harness.broker.statistics.parties == 2)
  }

  @Test("A relay of one party refuses every other key")
  func admission() throws {
    var harness = BrokerHarness(only)
    let stranger = harness.open()
    harness.say(try Greeting(key: AdmissionKey()).line(nonce: "nonce"), stranger)
    #expect(harness.heard(stranger).hasSuffix("-ERR 'Authorization Violation'\r\n"))
    #expect(harness.ended == [stranger])
    let attachment = harness.broker.attach(admissionPublicKey: [1, 2, 3], now: harness.now)
    #expect(attachment == nil)
    #expect(harness.broker.statistics.authorizationFailures == 2)
    #expect(harness.broker.statistics.connections == 0)
  }

  @Test("Signatures are accepted in either alphabet, padded or not")
  func signatureForms() throws {
    // Enough keys for every form to have a character that distinguishes the alphabets.
    for _ in 0..<8 {
      let greeting = Greeting(key: AdmissionKey())
      let standard = try greeting.signatureData(of: "nonce").base64EncodedString()
      let url = try greeting.signature(of: "nonce") + "=="
      for form in [standard, url].flatMap({ [$0, $0.replacingOccurrences(of: "=", with: "")] }) {
        var harness = BrokerHarness(.anyKey)
        let id = harness.open()
        harness.say(#"CONNECT {"nkey":"\#(greeting.nkey)","sig":"\#(form)"}"# + "\r\nPING\r\n", id)
        #expect(harness.heard(id).hasSuffix("\r\nPONG\r\n"), "\(form)")
      }
    }
  }

  @Test("A connection can't change its party, nor connect again")
  func changeOfParty() throws {
    for key in [AdmissionKey(), greeting.key] {
      var harness = BrokerHarness(.anyKey)
      let id = try harness.member(greeting)
      harness.say(try Greeting(key: key).line(nonce: "nonce"), id)
      #expect(harness.ended == [id])
    }
  }

  @Test(
    "An operation that parties don't need ends the connection with an error",
    arguments: [
      "HPUB P.a 12 14\r\n": "Unknown Protocol Operation", "PUB P.a P.r 0\r\n": "Parser Error",
      "UNSUB 1 2\r\n": "Parser Error", "+OK\r\n": "Unknown Protocol Operation",
      "CONNECT {\r\n": "Parser Error",
    ])
  func unneededOperation(line: String, error: String) throws {
    var harness = BrokerHarness(only)
    let id = try harness.member(greeting)
    harness.say(line + "PING\r\n", id)
    #expect(harness.heard(id) == "-ERR '\(error)'\r\n")
    #expect(harness.ended == [id])
    #expect(harness.broker.statistics.protocolErrors == 1)
  }

  @Test("Wishes for confirmations, headers and reports of missing readers are ignored")
  func ignoredOptions() throws {
    var loud = greeting
    loud.options =
      #""verbose":true,"pedantic":true,"headers":true,"no_responders":true,"x":{"y":[1]}"#
    var harness = BrokerHarness(only)
    let id = harness.open()
    #expect(!harness.heard(id).contains("headers"))
    harness.say(try loud.line(nonce: "nonce") + "PUB \(greeting.prefix).a 0\r\n\r\nPING\r\n", id)
    #expect(harness.heard(id) == "PONG\r\n")
  }

  @Test("An error text names a subject without bytes that end a line or move a cursor")
  func quotedSubject() {
    let subject = Subject(Array("a.\u{1b}[2J.é.\u{7f}".utf8) + [0xff])
    #expect(subject.quoted == "\"a.?[2J.??.??\"")
  }

  @Test("A reader that takes nothing is cut off, and the others get everything")
  func slowReader() throws {
    var harness = BrokerHarness(only) { $0.pendingBytes = 10_000 }
    let slow = try harness.member(greeting)
    let good = try harness.member(greeting)
    let publisher = try harness.member(greeting)
    for id in [slow, good] { harness.say("SUB \(greeting.prefix).a 1\r\n", id) }
    harness.blocked = [slow]
    let message = "PUB \(greeting.prefix).a 100\r\n\(String(repeating: "x", count: 100))\r\n"
    for _ in 0..<500 { harness.say(message, publisher) }
    #expect(harness.cut == [slow])
    #expect(harness.count(of: "MSG", heardBy: good) == 500)
    #expect(harness.output[slow]!.utf8.count <= 10_000)
    #expect(harness.broker.statistics.slowConsumersCut == 1)
    #expect(harness.broker.statistics.subscriptions == 1)
  }

  @Test("A client that reads none of its answers is cut off too")
  func slowAsker() throws {
    for text in ["PING\r\n", "SUB x 1\r\n", "PUB x 0\r\n\r\n"] {
      var harness = BrokerHarness(only) { $0.pendingBytes = 1000 }
      let asker = try harness.member(greeting)
      harness.blocked = [asker]
      for _ in 0..<20 { harness.say(String(repeating: text, count: 50), asker) }
      #expect(harness.cut == [asker], "\(text)")
      #expect(harness.broker.statistics.connections == 0)
    }
  }

  @Test("A reader that takes nothing for too long is cut off, however little waits")
  func stalledReader() throws {
    var harness = BrokerHarness(only)
    let slow = try harness.member(greeting)
    harness.blocked = [slow]
    harness.say("PING\r\n", slow)
    harness.pass(.seconds(4))
    #expect(harness.cut.isEmpty)
    harness.pass(.seconds(2))
    #expect(harness.cut == [slow])
  }

  @Test("Strangers that occupy connections make room for newcomers")
  func makesRoom() throws {
    var harness = BrokerHarness(only) { $0.connections = 3 }
    let member = try harness.member(greeting)
    let first = harness.open()
    let second = harness.open()
    let third = try harness.member(greeting)
    #expect(harness.ended == [first])
    let fourth = try harness.member(greeting)
    #expect(harness.ended == [first, second])
    let fifth = harness.open()
    #expect(harness.heard(fifth).hasSuffix("-ERR 'maximum connections exceeded'\r\n"))
    #expect(harness.ended == [first, second, fifth])
    for id in [member, third, fourth] {
      harness.say("PING\r\n", id)
      #expect(harness.heard(id) == "PONG\r\n")
    }
  }

  @Test("Only a silent client is sent a ping, and it is cut off if it doesn't answer")
  func pings() throws {
    var harness = BrokerHarness(only)
    let talker = try harness.member(greeting)
    let silent = try harness.member(greeting)
    let answering = try harness.member(greeting)
    for _ in 0..<20 {
      harness.pass(.seconds(1))
      harness.say("PING\r\n", talker)
      if harness.heard(answering).contains("PING") { harness.say("PONG\r\n", answering) }
    }
    #expect(!harness.heard(talker).contains("PING"))
    #expect(harness.heard(silent) == "PING\r\nPING\r\n-ERR 'Stale Connection'\r\n")
    #expect(harness.ended == [silent])
    #expect(harness.broker.statistics.staleConnections == 1)
  }

  @Test("A departure removes the connection's subscriptions")
  func departure() throws {
    var harness = BrokerHarness(only)
    let member = try harness.member(greeting)
    harness.say("SUB \(greeting.prefix).a 1\r\nSUB \(greeting.prefix).b q 2\r\n", member)
    #expect(harness.broker.statistics.subscriptions == 2)
    harness.broker.closed(member)
    #expect(harness.broker.statistics.subscriptions == 0)
    #expect(harness.broker.statistics.parties == 0)
    // A late event about it has no effect.
    harness.broker.closed(member)
    harness.broker.wrote(5, to: member, now: harness.now)
    harness.say("PING\r\n", member)
    let effects = harness.broker.takeEffects(now: harness.now)
    #expect(effects.isEmpty)
  }

  @Test("Attachments and sockets receive each other's messages, and no attachment receives its own")
  func attachments() throws {
    var harness = BrokerHarness(only)
    let socket = try harness.member(greeting)
    let attachment = harness.attach(greeting)
    let attached = try #require(attachment)
    let subject = Subject(greeting.prefix + ".a")
    let noRefusal = harness.broker.subscribe(attached, to: subject, sid: subject.bytes)
    #expect(noRefusal == nil)
    harness.say("SUB \(subject) 1\r\nPUB \(subject) 2\r\nhi\r\n", socket)
    harness.broker.publish(ArraySlice("yo".utf8), to: subject, from: attached)
    harness.broker.publish(ArraySlice("no".utf8), to: Subject("other"), from: attached)
    harness.perform()
    #expect(harness.heard(socket) == "MSG \(subject) 1 2\r\nhi\r\nMSG \(subject) 1 2\r\nyo\r\n")
    #expect(
      harness.delivered[attached] == [
        "\(subject) hi", "warning: Permissions Violation for Publish to \"other\"",
      ])
    let refusal = harness.broker.subscribe(attached, to: Subject(">"), sid: [1])
    #expect(refusal == "Permissions Violation for Subscription to \">\"")
  }

  @Test("The shutdown is announced to members only")
  func lameDuck() throws {
    var harness = BrokerHarness(only)
    let member = try harness.member(greeting)
    let stranger = harness.open()
    _ = harness.heard(stranger)
    harness.blocked = [member]
    harness.broker.announceShutdown()
    harness.perform()
    let info = harness.heard(member)
    #expect(info.hasPrefix("INFO {") && info.contains("\"ldm\":true") && info.hasSuffix("PING\r\n"))
    #expect(harness.heard(stranger).isEmpty)
    #expect(!harness.broker.isDrained)
    harness.broker.wrote(info.utf8.count, to: member, now: harness.now)
    #expect(!harness.broker.isDrained)
    harness.say("PONG\r\n", member)
    #expect(harness.broker.isDrained)
  }

  @Test(
    "Who is cut off by the shutdown's announcement, or by a ping, ends alone",
    arguments: ["pending", "held"], ["shutdown", "ping"])
  func cutByAnnouncement(limit: String, cause: String) throws {
    let before = try evening { _ in }
    let (pending, held) = (
      before.harness.broker.connections[before.slow].pendingBytes,
      before.harness.broker.statistics.heldBytes
    )
    var cuts = 0
    // At some of the limits the first line is too much, at others the second, and at the last ones neither.
    let step = limit == "pending" ? 10 : 400
    for extra in (0...100).map({ $0 * step }) {
      var (harness, slow, others) = try evening {
        if limit == "pending" {
          $0.pendingBytes = pending + extra
        } else {
          $0.heldBytes = held + extra
        }
      }
      if cause == "shutdown" {
        harness.broker.announceShutdown()
        harness.perform()
      } else {
        harness.pass(.seconds(1))
      }
      #expect(harness.cut.isSubset(of: [slow]))
      cuts += harness.cut.count
      for other in others { #expect(harness.heard(other).hasSuffix("PING\r\n")) }
    }
    #expect(cuts <= 100)
    // The heap's blocks decide whether six more bytes exceed the limit.
    if (limit, cause) != ("held", "ping") { #expect(cuts > 0) }
  }

  /// Returns a broker of three members, of whom the second has read nothing of nine long messages.
  private func evening(
    _ limits: (inout RelayConfiguration.Limits) -> Void
  ) throws -> (harness: BrokerHarness, slow: ConnectionID, others: [ConnectionID]) {
    var harness = BrokerHarness(only) {
      $0.pingInterval = .seconds(1)
      limits(&$0)
    }
    let members = try (0..<3).map { _ in try harness.member(greeting) }
    harness.say("SUB \(greeting.prefix).a 1\r\n", members[1])
    harness.blocked = [members[1]]
    let text = String(repeating: "x", count: 900)
    for _ in 0..<9 { harness.say("PUB \(greeting.prefix).a 900\r\n\(text)\r\n", members[0]) }
    return (harness, members[1], [members[0], members[2]])
  }

  @Test("A subject with more tokens than allowed is invalid")
  func tokens() throws {
    var harness = BrokerHarness(only)
    let member = try harness.member(greeting)
    let deep = greeting.prefix + String(repeating: ".a", count: 30)
    harness.say("SUB \(deep) 1\r\nSUB \(deep).a 2\r\n", member)
    #expect(harness.heard(member) == "-ERR 'Invalid Subject'\r\n")
    // Publishing to such a subject costs nothing and reaches the subscribers of all subjects.
    harness.say("SUB \(greeting.prefix).a.> 3\r\nPUB \(deep).a 0\r\n\r\n", member)
    #expect(harness.heard(member) == "MSG \(deep).a 3 0\r\n\r\n")
  }

  @Test(
    "The broker's state stays consistent after any bytes from members", arguments: UInt64(0)..<20)
  func noise(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var harness = BrokerHarness(only, seed: seed) {
      $0.pendingBytes = 3000
      $0.connections = 6
    }
    let prefix = greeting.prefix
    let lines = [
      "PING\r\n", "SUB \(prefix).a 1\r\n", "SUB \(prefix).*b q 2\r\n", "SUB \(prefix).a.> q 2\r\n",
      "SUB \(prefix).* 3\r\n",
      "UNSUB 1\r\n", "UNSUB 2\r\n", "PUB \(prefix).a 3\r\nabc\r\n", "PUB x 0\r\n\r\n",
      "PUB \(prefix).a 0\r\n\r\n", "PUB \(prefix).b 0\r\n\r\n", "SUB x..y 9\r\n", "PONG\r\n",
      "FOO\r\n",
    ]
    var open: [ConnectionID] = []
    for _ in 0..<2000 {
      switch Int.random(in: 0..<40, using: &random) {
      case 0: open.append(harness.open())
      case 1...3: open.append(try harness.member(greeting))
      case 4:
        if let id = open.randomElement(using: &random) { harness.broker.closed(id) }
      case 5:
        if let id = open.randomElement(using: &random) { harness.blocked.insert(id) }
      case 6: harness.pass(.milliseconds(300))
      default:
        if let id = open.randomElement(using: &random) {
          harness.say(
            (0..<3).map { _ in lines.randomElement(using: &random)! }.joined(), id)
        }
      }
      let statistics = harness.broker.statistics
      #expect(statistics.connections <= 6, "seed \(seed)")
      #expect(statistics.heldBytes == harness.heldBytes, "seed \(seed)")
      #expect(statistics.subscriptions <= 3 * statistics.connections, "seed \(seed)")
    }
    for id in open { harness.broker.closed(id) }
    #expect(harness.broker.statistics.connections == 0)
    #expect(harness.broker.statistics.subscriptions == 0)
    #expect(harness.broker.statistics.parties == 0)
    #expect(harness.broker.statistics.heldBytes == 0)
    #expect(harness.broker.statistics.unprovenConnections == 0)
    #expect(harness.broker.statistics.messagesOut > 100, "seed \(seed)")
  }
}
