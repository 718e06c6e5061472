import BrokerTesting
import Foundation
import GroupActivities
import Testing

/// `matinee relay` in a process of its own, seen from outside.
@Suite("matinee relay")
struct RelayProcessTests {
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
