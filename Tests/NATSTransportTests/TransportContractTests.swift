import BrokerTesting
import GroupActivities
import NATSTransport
import Relay
import Testing
import Timekeeping

/// The promises of `GroupTransport`, tested on all implementations.
@Suite("A group transport")
struct TransportContractTests {
  @Test("It carries messages unchanged both ways, and stamps them", arguments: Wiring.allCases)
  func carries(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      try await pair.connect()
      try await pair.first.subscribe(to: pair.prefix + ".all")
      try await pair.second.subscribe(to: pair.prefix + ".all")
      let before = HostTime.now()
      let payloads: [[UInt8]] = [
        [], [0], Array(0...255), Array("\r\nPUB x 1\r\n".utf8), [UInt8](repeating: 7, count: 65536),
      ]
      for payload in payloads { try pair.first.publish(payload, to: pair.prefix + ".all") }
      for payload in payloads {
        let message = try await pair.secondEvents.message()
        #expect(message.subject == pair.prefix + ".all")
        #expect(message.payload == payload)
        #expect((before...HostTime.now()).contains(message.receivedAt))
      }
      try pair.second.publish([1, 2, 3], to: pair.prefix + ".all")
      // The first message is not its own: a transport doesn't receive its own messages.
      #expect(try await pair.firstEvents.message().payload == [1, 2, 3])
    }
  }

  @Test("It keeps a sender's order, across subjects too", arguments: Wiring.allCases)
  func order(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      try await pair.connect()
      for name in ["all", "to.me"] {
        try await pair.second.subscribe(to: "\(pair.prefix).\(name)")
      }
      for number in 0..<600 {
        let subject = pair.prefix + (number.isMultiple(of: 3) ? ".to.me" : ".all")
        try pair.first.publish(Array("\(number)".utf8), to: subject)
      }
      for number in 0..<600 { #expect(try await pair.secondEvents.text() == "\(number)") }
    }
  }

  @Test(
    "It matches wildcards, and delivers once to a double subscription", arguments: Wiring.allCases)
  func wildcards(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      try await pair.connect()
      for _ in 0..<2 { try await pair.second.subscribe(to: pair.prefix + ".x.>") }
      try await pair.second.subscribe(to: pair.prefix + ".y.*.one")
      try pair.first.publish([1], to: pair.prefix + ".other")
      try pair.first.publish([2], to: pair.prefix + ".x")
      try pair.first.publish([3], to: pair.prefix + ".x.a.b")
      try pair.first.publish([4], to: pair.prefix + ".y.a.one")
      #expect(try await pair.secondEvents.message().payload == [3])
      #expect(try await pair.secondEvents.message().payload == [4])
    }
  }

  @Test("It refuses subjects outside the party", arguments: Wiring.allCases)
  func confinement(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      try await pair.connect()
      for subject in [">", "matinee.>", "matinee.0123.all", pair.prefix] {
        let error = await #expect(throws: TransportError.self) {
          try await pair.first.subscribe(to: subject)
        }
        #expect(error?.kind == .refused)
        #expect(
          error?.description.contains("ermissions Violation for Subscription to \"\(subject)\"")
            == true)
      }
      try pair.second.publish([1], to: "elsewhere")
      let warning = try await pair.secondEvents.warning()
      #expect(warning.contains("ermissions Violation for Publish to \"elsewhere\""))
      // Neither refusal ends the connection.
      try await pair.first.subscribe(to: pair.prefix + ".all")
      try pair.second.publish([2], to: pair.prefix + ".all")
      #expect(try await pair.firstEvents.message().payload == [2])
    }
  }

  @Test("It refuses invalid subjects and payloads over the limit", arguments: Wiring.allCases)
  func arguments(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      try await pair.connect()
      for subject in ["", ".", "a.", "a..b", "a b", "a\r\nPING", "a.*", "a.>", "*"] {
        let error = #expect(throws: TransportError.self) { try pair.first.publish([], to: subject) }
        #expect(error?.kind == .invalidSubject, "\(subject)")
      }
      for subject in ["", ".", "a.", "a..b", "a b", "a\tb", "a.>.b"] {
        let error = await #expect(throws: TransportError.self) {
          try await pair.first.subscribe(to: subject)
        }
        #expect(error?.kind == .invalidSubject, "\(subject)")
      }
      let error = #expect(throws: TransportError.self) {
        try pair.first.publish([UInt8](repeating: 0, count: 65537), to: pair.prefix + ".all")
      }
      #expect(error?.kind == .payloadTooLarge)
    }
  }

  @Test("It knows whether it is connected", arguments: Wiring.allCases)
  func phases(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      let subject = pair.prefix + ".all"
      func kinds() async throws -> [TransportError.Kind?] {
        let publishing = #expect(throws: TransportError.self) {
          try pair.first.publish([], to: subject)
        }
        let subscribing = await #expect(throws: TransportError.self) {
          try await pair.first.subscribe(to: subject)
        }
        return [publishing?.kind, subscribing?.kind]
      }
      #expect(try await kinds() == [.notConnected, .notConnected])
      try await pair.first.connect()
      try await pair.firstEvents.connected()
      let again = await #expect(throws: TransportError.self) { try await pair.first.connect() }
      #expect(again?.kind == .closed)
      await pair.first.close()
      #expect(try await kinds() == [.closed, .closed])
      let late = await #expect(throws: TransportError.self) { try await pair.first.connect() }
      #expect(late?.kind == .closed)
      #expect(try await pair.firstEvents.closed() == nil)
    }
  }

  @Test("It sends queued messages before it closes, and closes once", arguments: Wiring.allCases)
  func closing(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      try await pair.connect()
      try await pair.second.subscribe(to: pair.prefix + ".all")
      for number in 0..<200 { try pair.first.publish([UInt8(number)], to: pair.prefix + ".all") }
      await pair.first.close()
      await pair.first.close()
      #expect(try await pair.firstEvents.closed() == nil)
      for number in 0..<200 {
        #expect(try await pair.secondEvents.message().payload == [UInt8(number)])
      }
      await pair.second.close()
      #expect(try await pair.secondEvents.closed() == nil)
      #expect(pair.firstEvents.events.count { $0 == .closed(nil) } == 1)
    }
  }

  @Test("It can be closed before it ever connected", arguments: Wiring.allCases)
  func closingUnused(wiring: Wiring) async throws {
    try await Pair.run(wiring) { pair in
      await pair.first.close()
      let error = try await pair.firstEvents.closed()
      #expect(error == nil)
      #expect(pair.firstEvents.events == [.closed(nil)])
    }
  }
}

/// A consumer that doesn't read needs a transport without a recorder.
@Suite("A group transport without a reader")
struct UnreadTransportTests {
  @Test(
    "It loses messages but not the end, and delays no other transport", arguments: [true, false])
  func unread(isAttached: Bool) async throws {
    let key = AdmissionKey()
    try await withRelay(key) { relay in
      let server = "127.0.0.1:\(relay.boundPort!)"
      let unread: any GroupTransport =
        isAttached ? relay.attach(as: key.publicKey) : try NATSTransport.to([server], key)
      let good = try NATSTransport.to([server], key)
      let publisher = try NATSTransport.to([server], key)
      let events = EventRecorder(good)
      let subject = PartySubjects(admissionPublicKey: key.publicKey).everyone
      for transport in [unread, good, publisher] as [any GroupTransport] {
        try await transport.connect()
      }
      try await unread.subscribe(to: subject)
      try await good.subscribe(to: subject)
      // 10 MB, more than the limit; in step with the reader that reads.
      let payload = [UInt8](repeating: 1, count: 50_000)
      for _ in 0..<20 {
        for _ in 0..<10 { try publisher.publish(payload, to: subject) }
        for _ in 0..<10 { #expect(try await events.message().payload == payload) }
      }
      await unread.close()
      var received = 0
      var last: TransportEvent?
      for await event in unread.events {
        if case .received = event { received += 1 }
        last = event
      }
      #expect((1..<200).contains(received))
      #expect(last == .closed(nil))
      await good.close()
      await publisher.close()
    }
  }
}
