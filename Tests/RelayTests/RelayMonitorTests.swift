import BrokerTesting
import Foundation
import GroupActivities
import Testing

@testable import Relay

@Suite("The relay's monitor")
struct RelayMonitorTests {
  private let greeting = Greeting(key: AdmissionKey())

  private func withMonitor(
    _ body: (_ relay: Relay, _ monitor: Int) async throws -> Void
  ) async throws {
    var configuration = RelayConfiguration(admission: .anyKey, host: "127.0.0.1")
    configuration.limits.pingInterval = .seconds(60)
    try await withRelay(configuration) { relay in
      let monitor = try await RelayMonitor(of: relay, host: "127.0.0.1", port: 0)
      do {
        try await body(relay, monitor.address.port)
      } catch {
        await monitor.shutdown()
        throw error
      }
      await monitor.shutdown()
    }
  }

  private func ask(_ port: Int, _ request: String) async throws -> String {
    try await onThread {
      let socket = try PlainSocket(port: port)
      socket.send(request)
      return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }.get()
  }

  @Test("It reports the relay's work, and no data of its clients")
  func reports() async throws {
    try await withMonitor { relay, monitor in
      let port = try #require(relay.boundPort)
      let greeting = greeting
      let answers = try await onThread {
        let socket = try PlainSocket(port: port)
        try socket.greet(greeting)
        socket.send("SUB \(greeting.prefix).a 1\r\nPUB \(greeting.prefix).a 5\r\nhello\r\n")
        try socket.read(until: "hello\r\n")
        return try ["/metrics", "/healthz"].map { path in
          let asking = try PlainSocket(port: monitor)
          asking.send("GET \(path)?x=1 HTTP/1.1\r\nHost: x\r\n\r\n")
          return String(decoding: try asking.readToEnd(), as: UTF8.self)
        }
      }.get()
      for answer in answers {
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        for secret in [greeting.prefix, greeting.nkey, "hello", "client"] {
          #expect(!answer.contains(secret), "\(secret)")
        }
      }
      let metrics = answers[0].components(separatedBy: "\n")
      let expected = [
        "connections": 1, "connections_total": 1, "subscriptions": 1, "messages_in_total": 1,
        "messages_out_total": 1, "bytes_in_total": 5, "bytes_out_total": 5, "parties": 1,
        "slow_consumers_total": 0, "max_connections": 1024,
      ]
      for (name, value) in expected {
        #expect(metrics.contains("matinee_relay_\(name) \(value)"), "\(name)")
      }
      #expect(metrics.contains("# TYPE matinee_relay_connections gauge"))
      #expect(metrics.contains("# TYPE process_cpu_seconds_total counter"))
      let memory = metrics.first { $0.hasPrefix("process_resident_memory_bytes ") }
      let bytes = try #require(memory?.split(separator: " ").last.flatMap { Int($0) })
      #expect(bytes > 1 << 20)
      #expect(answers[1].hasSuffix("{\"status\":\"ok\"}\n"))
      for (request, status) in ["GET /nothing": "404", "GET /": "404", "DELETE /metrics": "405"] {
        #expect(
          try await ask(monitor, request + " HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
      }
    }
  }

  @Test(
    "Bytes that are no request are refused, and so is a long head",
    arguments: [
      "\u{1}", "\u{16}\u{3}\u{1}", " GET", "GET\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n",
      "GET / HTTP/2\r\n\r\n", "GET / http\r\n\r\n",
      "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 20_000),
      "GET / HTTP/1.1\r\nA: " + String(repeating: "x", count: 200_000),
      "GET /" + String(repeating: "x", count: 200_000),
    ])
  func refusals(request: String) async throws {
    try await withMonitor { _, monitor in
      let answer = try await ask(monitor, request)
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 505"))
    }
  }

  @Test("A request may end with its head, and what follows it has no meaning")
  func singleAnswer() async throws {
    try await withMonitor { _, monitor in
      let request = "HEAD /healthz?a=?b HTTP/1.1\r\nHost: x\r\n\r\n"
      let answer = try await ask(monitor, request + request + "\0\0")
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n"))
      #expect(answer.components(separatedBy: "HTTP/1.1").count == 2)
      #expect(answer.contains("\r\nContent-Length: 16\r\n"))
      #expect(answer.contains("\r\nConnection: close\r\n"))
    }
  }

  @Test("It answers while others hold its connections open, and ends those")
  func patience() async throws {
    try await withMonitor { _, monitor in
      let answer = try await onThread {
        // More connections than it accepts at a time, all silent.
        let silent = try (0..<40).map { _ in
          let socket = try PlainSocket(port: monitor)
          socket.send("GET /healthz HTTP/1.1\r\nHost")
          return socket
        }
        let socket = try PlainSocket(port: monitor)
        socket.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        for socket in silent { _ = try socket.readToEnd() }
        return answer
      }.get()
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test("The error names an address that is in use, and a relay that has stopped")
  func unusable() async throws {
    try await withMonitor { relay, monitor in
      let error = await #expect(throws: RelayError.self) {
        _ = try await RelayMonitor(of: relay, host: "127.0.0.1", port: monitor)
      }
      #expect(error?.kind == .addressInUse)
      await relay.shutdown()
      let late = await #expect(throws: RelayError.self) {
        _ = try await RelayMonitor(of: relay, host: "127.0.0.1", port: 0)
      }
      #expect(late?.description.hasSuffix("the relay has stopped.") == true)
    }
  }
}
