import BrokerTesting
import Concurrency
import Foundation
import GroupActivities
import Logging
import Testing

@testable import Relay

/// The relay over real sockets.
@Suite("The relay")
struct RelayTests {
  private let greeting = Greeting(key: AdmissionKey())

  private func configuration(host: String = "127.0.0.1") -> RelayConfiguration {
    var configuration = RelayConfiguration(
      admission: .only([greeting.key.publicKey]), host: host)
    // These clients don't answer pings, and the machine may be busy.
    configuration.limits.pingInterval = .seconds(60)
    return configuration
  }

  @Test(
    "The error names an address that is in use, and the relay can be started elsewhere afterwards")
  func addressInUse() async throws {
    try await withRelay(configuration()) { first in
      var taken = configuration()
      taken.port = try #require(first.boundPort)
      let second = Relay(configuration: taken, logger: .silent)
      let error = await #expect(throws: RelayError.self) { try await second.start() }
      #expect(error?.kind == .addressInUse)
      #expect(error?.description.contains("127.0.0.1:\(taken.port)") == true)
      await first.shutdown()
      #expect(try await second.start() == [RelayAddress(host: "127.0.0.1", port: taken.port)])
      await second.shutdown()
    }
  }

  @Test("The error says what is wrong with an address")
  func badAddress() async {
    let host = "192.0.2.1"
    let relay = Relay(configuration: configuration(host: host), logger: .silent)
    let error = await #expect(throws: RelayError.self) { try await relay.start() }
    #expect(error?.kind == .addressUnavailable)
    #expect(error?.description.contains(host) == true)
    await relay.shutdown()
  }

  @Test("It starts once, can be stopped repeatedly, and doesn't start again")
  func lifeCycle() async throws {
    let relay = Relay(configuration: configuration(), logger: .silent)
    try await relay.start()
    #expect(relay.boundPort != nil)
    let again = await #expect(throws: RelayError.self) { try await relay.start() }
    #expect(again?.kind == .alreadyStarted)
    await relay.shutdown()
    await relay.shutdown()
    #expect(relay.boundPort == nil)
    #expect(await relay.statistics() == RelayStatistics())
    let dead = await #expect(throws: RelayError.self) { try await relay.start() }
    #expect(dead?.kind == .alreadyStarted)
  }

  @Test("The host's own messages are refused while a thousand of them wait for the relay's thread")
  func offerLimit() async throws {
    let relay = Relay(configuration: configuration(), logger: .silent)
    let host = relay.attach(as: greeting.key.publicKey)
    try await host.connect()
    let (gate, isBusy) = (ThreadFlag(), OneShot<Void>())
    relay.thread.execute { _ in
      isBusy.fulfil(())
      gate.wait()
    }
    await isBusy.certainValue()
    for _ in 0..<RelayThread.offerLimit { try host.publish([1], to: "a") }
    let error = #expect(throws: TransportError.self) { try host.publish([1], to: "a") }
    #expect(error?.kind == .slow)
    gate.set()
    await host.close()
    await relay.shutdown()
  }

  @Test("What a client sent before it hung up arrives, however long it has to wait for its rate")
  func lastWords() async throws {
    var configuration = configuration()
    configuration.limits.messages = .init(perSecond: 200, burst: 10)
    try await withRelay(configuration) { relay in
      let port = try #require(relay.boundPort)
      let greeting = greeting
      try await onThread {
        let (reader, sender) = (try PlainSocket(port: port), try PlainSocket(port: port))
        try reader.greet(greeting)
        reader.send("SUB \(greeting.prefix).a 1\r\nPING\r\n")
        try reader.read(until: "PONG\r\n")
        try sender.greet(greeting)
        for number in 1...40 { sender.send("PUB \(greeting.prefix).a 2\r\n\(number + 10)\r\n") }
        sender.finish()
        try reader.read(until: "50\r\n")
        _ = try sender.readToEnd()
      }.get()
    }
  }

  @Test("It accepts IPv4 on every address")
  func everyAddress() async throws {
    try await withRelay(configuration(host: "*")) { relay in
      let port = try #require(relay.boundPort)
      let greeting = greeting
      try await onThread { try PlainSocket(port: port).greet(greeting) }.get()
    }
  }
}
