import BrokerTesting
import Foundation
import GroupActivities
import Testing

/// `matinee relay` in a process of its own, seen from outside.
@Suite("matinee relay")
struct RelayProcessTests {
  /// The limit for the process's growth while it is attacked, in MiB. The total limit is far more;
  /// this is the part for strangers.
  private static let growth = 24.0

  @Test("10,000 connections that never send a byte take little memory")
  func strangers() async throws {
    let relay = try await RelayProcess(["--max-connections", "4000"])
    try await onThread {
      let greeting = Greeting(key: AdmissionKey())
      let member = try PlainSocket(port: relay.port)
      try member.greet(greeting)
      member.send("SUB \(greeting.prefix).a 1\r\nPING\r\n")
      try member.read(until: "PONG\r\n")
      member.forget()
      let before = try Self.residentMiB(of: relay.child.id)
      var kept: [PlainSocket] = []
      var slowest = 0.0
      for number in 0..<10_000 {
        // Only a few are open at a time on the test's side, so that the test needs few
        // descriptors.
        if kept.count == 500 { kept.removeFirst(250) }
        let socket = try PlainSocket(port: relay.port, receiveBuffer: 4096)
        if number.isMultiple(of: 2) { socket.send("CONNECT {\"name\":\"half") }
        kept.append(socket)
        guard number.isMultiple(of: 50) else { continue }
        let sent = Date.timeIntervalSinceReferenceDate
        member.send("PUB \(greeting.prefix).a 5\r\n\(10_000 + number)\r\nPONG\r\n")
        try member.read(until: "\(10_000 + number)\r\n")
        member.forget()
        slowest = max(slowest, Date.timeIntervalSinceReferenceDate - sent)
      }
      #expect(slowest < 2)
      #expect(try Self.residentMiB(of: relay.child.id) - before < Self.growth)
      // A newcomer is admitted.
      try PlainSocket(port: relay.port).greet(Greeting(key: AdmissionKey()))
    }.get()
  }

  /// `VmRSS` of proc_pid_status(5).
  private static func residentMiB(of process: pid_t) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let match = try #require(status.firstMatch(of: /VmRSS:\s+([0-9]+)/), "\(status)")
    return try #require(Double(match.output.1)) / 1024
  }

  @Test("The descriptors of strangers' connections are bounded, and are released")
  func descriptors() async throws {
    let relay = try await RelayProcess(["--max-connections", "2000"])
    try await onThread {
      let before = try OpenDescriptors.count(of: relay.child.id)
      var idle = try (0..<600).map { _ in try PlainSocket(port: relay.port, from: "127.0.0.2") }
      // The last connection was accepted, and so were those before it.
      _ = try idle.last!.readInfo()
      // A quarter of the share of all strangers, and the connections whose end was announced.
      #expect(try OpenDescriptors.count(of: relay.child.id) - before <= 256 + 256)
      // The clients still hold their ends; the relay's ends close after the deadlines.
      try OpenDescriptors.wait(for: relay.child.id, atMost: before)
      idle.removeAll()
    }.get()
  }

  @Test("The relay ends with code 0 after SIGTERM, and prints no secret")
  func ends() async throws {
    let relay = try await RelayProcess(["--monitor", "127.0.0.1:0"])
    let greeting = Greeting(key: AdmissionKey())
    let heard = try await onThread {
      let member = try PlainSocket(port: relay.port)
      try member.greet(greeting)
      relay.child.terminate()
      return String(decoding: try member.readToEnd(), as: UTF8.self)
    }.get()
    #expect(heard.hasPrefix("INFO {") && heard.contains("\"ldm\":true"))
    #expect(relay.child.wait() == 0)
    let log = try relay.output()
    #expect(log.contains("relay: status page on http://127.0.0.1:"))
    for secret in [greeting.prefix, greeting.nkey] { #expect(!log.contains(secret)) }
  }
}
