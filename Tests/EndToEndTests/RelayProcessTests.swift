import BrokerTesting
import Foundation
import GroupActivities
import ProcessTesting
import Testing

/// `matinee relay` in a process of its own, seen from outside.
@Suite("matinee relay")
struct RelayProcessTests {
  /// The limit for the process's growth while it is attacked, in MiB. The total limit is far more;
  /// this is the part for strangers.
  private static let growth = 24.0

  @Test("10,000 connections that never send a byte take little memory")
  func strangers() async throws {
    try await withRelay(["--max-connections", "4000"]) { relay in
      try await onThread {
        let greeting = Greeting(key: AdmissionKey())
        let member = try PlainSocket(port: relay.port)
        try member.greet(greeting)
        member.send("SUB \(greeting.prefix).a 1\r\nPING\r\n")
        try member.read(until: "PONG\r\n")
        member.forget()
        let before = try relay.residentMiB()
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
        #expect(try relay.residentMiB() - before < Self.growth)
        // A newcomer is admitted.
        try PlainSocket(port: relay.port).greet(Greeting(key: AdmissionKey()))
      }.get()
    }
  }

  @Test("The descriptors of strangers' connections are bounded, and are released")
  func descriptors() async throws {
    try await withRelay(["--max-connections", "2000"]) { relay in
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
  }

  @Test("The relay ends with code 0 after SIGTERM, and prints no secret")
  func ends() async throws {
    try await withRelay(["--monitor", "127.0.0.1:0"]) { relay in
      let greeting = Greeting(key: AdmissionKey())
      let heard = try await onThread {
        let member = try PlainSocket(port: relay.port)
        try member.greet(greeting)
        relay.child.terminate()
        return String(decoding: try member.readToEnd(), as: UTF8.self)
      }.get()
      #expect(heard.hasPrefix("INFO {") && heard.contains("\"ldm\":true"))
      let status = relay.child.wait()
      #expect(status == 0)
      let log = try relay.output()
      #expect(log.contains("relay: status page on http://127.0.0.1:"))
      for secret in [greeting.prefix, greeting.nkey] { #expect(!log.contains(secret)) }
    }
  }

  // MARK: The process

  private struct Running: Sendable {
    let child: ChildProcess
    let port: Int
    let file: URL

    func output() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// `VmRSS` of proc_pid_status(5).
    func residentMiB() throws -> Double {
      let status = try String(contentsOfFile: "/proc/\(child.id)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      guard let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
        let value = Double(kibibytes)
      else { throw TestFailure("/proc says \(status)") }
      return value / 1024
    }
  }

  private func withRelay(
    _ arguments: [String], _ body: (Running) async throws -> Void
  ) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "relay-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let child = try ChildProcess.start(
      [try MatineeProcess.executable.path, "relay", "--listen", "127.0.0.1:0"] + arguments,
      output: file)
    // The process has already ended if the body waited for it.
    defer { if kill(child.id, SIGKILL) == 0 { child.wait() } }
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("relay: listening on") }
      if text.contains("relay: use it for a party"),
        let port = line?.split(separator: ":").last.flatMap({ Int($0) })
      {
        try await body(Running(child: child, port: port, file: file))
        return
      }
      guard ContinuousClock.now < deadline else { throw TestFailure("it never listened: \(text)") }
      await Task.yield()
    }
  }
}
