import BrokerTesting
import Foundation
import GroupActivities
import Synchronization
import Testing

@testable import Relay

/// A real relay for all parties, attacked over sockets, while an honest party continues to talk.
@Suite("The relay under attack")
struct RelayAttackTests {
  enum Attack: CaseIterable, Sendable {
    case neverGreets, neverReads, manySubjects, endlessLines, partialMessages, manyParties
    case pings, wrongKeys, deadSubjects
    case slowHeads, hugeBodies, handshakes, endlessFragments, framePings

    /// How often the attacker repeats it: enough to reach every limit more than once.
    var rounds: Int {
      switch self {
      case .neverGreets, .endlessLines, .wrongKeys, .slowHeads, .handshakes: 3000
      case .partialMessages, .neverReads, .pings, .deadSubjects: 200
      case .hugeBodies, .endlessFragments, .framePings: 200
      case .manySubjects, .manyParties: 60
      }
    }
  }

  private static let heldLimit = 4 << 20
  /// The limit for this process's CPU time while a message of the honest party is under way, in
  /// seconds. The attacker, the relay and both members share it, and no other process does, however
  /// busy the machine is. With a sanitizer everything takes up to ten times as long.
  private static let patience =
    ProcessInfo.processInfo.environment["SANITIZER"] == nil ? 2.0 : 20.0

  @Test(
    "The relay holds no more than its limits, and an honest party's messages arrive in time",
    arguments: Attack.allCases)
  func holds(attack: Attack) async throws {
    var configuration = RelayConfiguration(admission: .anyKey, host: "127.0.0.1")
    configuration.limits = .ofPublicRelay
    configuration.limits.connections = 400
    configuration.limits.connectionsPerParty = 100
    configuration.limits.unprovenConnections = 50
    configuration.limits.heldBytes = Self.heldLimit
    configuration.limits.pendingBytes = 1 << 20
    // The clients here don't answer pings.
    configuration.limits.pingInterval = .seconds(60)
    // Some attackers never speak, and the others wait to be greeted.
    configuration.limits.greetingDelay = .milliseconds(1)
    try await withRelay(configuration) { relay in
      let port = try #require(relay.boundPort)
      let isOver = Flag()
      // If more clients come than are accepted, the kernel keeps newcomers waiting, honest ones
      // too; this test is about the connected clients.
      let party = try await onThread { try HonestParty(port: port) }.get()
      async let attacking: Void = onThread {
        defer { isOver.set() }
        Attacker(port: port).run(attack)
      }.get()
      async let slowest = onThread { try party.converse(until: isOver) }.get()
      #expect(try await slowest < Self.patience)
      let statistics = await relay.statistics()
      #expect(statistics.heldBytes <= Self.heldLimit)
      #expect(statistics.connections <= 400)
      #expect(statistics.unprovenConnections <= 50)
      try await attacking
    }
  }

  final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}

/// Two members who send messages to each other.
///
/// `@unchecked Sendable`: handed from thread to thread, used by one at a time.
private final class HonestParty: @unchecked Sendable {
  private let sockets: [PlainSocket]
  private let prefix: String

  init(port: Int) throws {
    let greeting = Greeting(key: AdmissionKey())
    prefix = greeting.prefix
    sockets = try (0..<2).map { number in
      let socket = try PlainSocket(port: port)
      try socket.greet(greeting)
      socket.send("SUB \(greeting.prefix).to.\(number) 1\r\nPING\r\n")
      try socket.read(until: "PONG\r\n")
      socket.forget()
      return socket
    }
  }

  /// Sends messages, at least one.
  ///
  /// - Returns: the CPU time that passed during the slowest message there and back, in seconds.
  func converse(until isOver: RelayAttackTests.Flag) throws -> Double {
    var slowest = 0.0
    var number = 0
    repeat {
      let sent = Self.processTime
      for (from, to) in [(0, 1), (1, 0)] {
        let text = "message \(1_000_000 + number)"
        sockets[from].send("PUB \(prefix).to.\(to) \(text.utf8.count)\r\n\(text)\r\n")
        try sockets[to].read(until: text + "\r\n")
        sockets[to].forget()
      }
      number += 1
      slowest = max(slowest, Self.processTime - sent)
    } while !isOver.isSet
    return slowest
  }

  private static var processTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// An attacker that repeats one attack, with few descriptors of its own.
private struct Attacker {
  // Made once, since this build makes them slowly.
  private static let subject = String(repeating: "x", count: 3000)
  private static let line = "CONNECT {" + String(repeating: "x", count: 4000)
  private static let payload = String(repeating: "x", count: 8000)
  private static let part = String(repeating: "x", count: 59_000)
  private static let pings = String(repeating: "PING\r\nSUB x 1\r\nUNSUB 1\r\n", count: 3000)
  private static let fragment = WebSocketSocket.frame(0, [], isFinal: false)
  private static let framePing = WebSocketSocket.frame(9, [UInt8](repeating: 7, count: 125))
  private static let name = String(repeating: "y", count: 1000)

  let port: Int

  func run(_ attack: RelayAttackTests.Attack) {
    var kept: [PlainSocket] = []
    let greeting = Greeting(key: AdmissionKey())
    var connections = 0
    for round in 1...attack.rounds {
      // A refused or ended client connects again.
      if kept.count > 300 { kept.removeFirst(100) }
      guard let socket = try? PlainSocket(port: port, receiveBuffer: 4096, deadlineSeconds: 2)
      else { continue }
      connections += 1
      kept.append(socket)
      switch attack {
      case .neverGreets: break
      case .wrongKeys:
        _ = try? socket.send(Greeting(key: AdmissionKey()).line(nonce: "wrong"))
      case .endlessLines: socket.send(Self.line)
      case .slowHeads: socket.send("GET / HTTP/1.1\r\n" + Self.part)
      case .hugeBodies:
        socket.send("GET / HTTP/1.1\r\nContent-Length: 1000000000000\r\n\r\n" + Self.part)
      // The beginning of a TLS handshake, for a relay without a certificate.
      case .handshakes: socket.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])
      case .endlessFragments:
        // A message that never ends, of empty frames, from a client that hasn't proved a key.
        guard (try? socket.upgrade()) != nil else { continue }
        socket.send(Array(WebSocketSocket.frame(2, [], isFinal: false)))
        socket.send(Array(repeatElement(Self.fragment, count: 10_000).joined()))
      case .framePings:
        guard (try? socket.upgrade()) != nil else { continue }
        socket.send(Array(repeatElement(Self.framePing, count: 2000).joined()))
      case .neverReads, .manySubjects, .partialMessages, .manyParties, .pings, .deadSubjects:
        let own = attack == .manyParties ? Greeting(key: AdmissionKey()) : greeting
        guard (try? socket.greet(own)) != nil else { continue }
        abuse(socket, own.prefix, attack, round)
      }
    }
    #expect(connections > 0)
  }

  private func abuse(
    _ socket: PlainSocket, _ prefix: String, _ attack: RelayAttackTests.Attack, _ round: Int
  ) {
    switch attack {
    case .neverReads:
      // Each subscribes to the messages that all of them publish, and reads none of them.
      let message = "PUB \(prefix).a 8000\r\n\(Self.payload)\r\n"
      socket.send("SUB \(prefix).a 1\r\n")
      socket.send(String(repeating: message, count: 20))
    case .manySubjects, .manyParties:
      for number in 0..<300 {
        let subject = "\(prefix).s\(number).\(Self.subject)"
        guard socket.send("SUB \(subject) \(number)\r\n") else { return }
      }
    case .partialMessages:
      socket.send("PUB \(prefix).a 60000\r\n" + Self.part)
    case .pings:
      socket.send(Self.pings)
    case .deadSubjects:
      let messages = (0..<500).map { number in
        "PUB \(prefix).\(round).\(number)\(Self.name) 0\r\n\r\n"
      }
      socket.send("SUB \(prefix).\(round).> 1\r\n" + messages.joined())
    case .neverGreets, .wrongKeys, .endlessLines, .slowHeads, .hugeBodies, .handshakes,
      .endlessFragments, .framePings:
      break
    }
  }
}
