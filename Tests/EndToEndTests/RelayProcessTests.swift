import BrokerTesting
import Foundation
import GroupActivities
import ProcessTesting
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

  @Test(
    "With a certificate an invite leads to it by the fingerprint; SIGHUP replaces a good pair only"
  )
  func certificate() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let folder = try URL.newFolder("relay-certificate")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (chain, key) = (
      folder.appendingPathComponent("relay.pem"), folder.appendingPathComponent("relay.key")
    )
    func use(_ files: (chain: String, key: String)) throws {
      for (from, to) in [(files.chain, chain), (files.key, key)] {
        try Data(contentsOf: URL(fileURLWithPath: from)).write(to: to)
      }
    }
    try use(try certificates.files(names: ["DNS:nowhere.example"]))
    let relay = try await RelayProcess(["--tls-certificate", chain.path, "--tls-key", key.path])
    let mark = try #require(
      try relay.output().firstMatch(of: /tls:..HOST:[0-9]+(\+[A-Za-z0-9_-]{43})\n/)?.output.1)
    let film = try Clips.film.get()
    let host = try MatineeProcess([
      "host", film, "--name", "Ana", "--relay", "tls://127.0.0.1:\(relay.port)\(mark)",
    ])
    let invite = try #require(try await host.next("hosting").string("invite"))
    #expect(invite.hasPrefix("matinee://127.0.0.1:\(relay.port)\(mark)/"))
    _ = try await host.next("joined")
    let guest = try MatineeProcess(["join", invite, film, "--name", "Ben"])
    _ = try await guest.next("joined")
    try guest.send("chat sealed twice")
    #expect(try await host.next("chat").string("text") == "sealed twice")

    try use(try certificates.files(names: ["DNS:other.example"]))
    kill(relay.child.id, SIGHUP)
    try await relay.says("New connections get the certificate ")
    try Data("nonsense".utf8).write(to: key)
    kill(relay.child.id, SIGHUP)
    try await relay.says("The relay keeps its certificate: \(key.path): ")
    let late = try MatineeProcess(["join", invite, "--name", "Chi"])
    _ = try await late.next("error")
    #expect(try await late.exitCode() == 69)
    for one in [host, guest] { #expect(try await one.quit() == 0) }
    relay.child.terminate()
    #expect(relay.child.wait() == 0)
  }

  @Test("A host's own relay with a certificate is in the invite with its fingerprint")
  func host() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let files = try certificates.files(names: ["DNS:nowhere.example"])
    let film = try Clips.film.get()
    let host = try MatineeProcess([
      "host", film, "--name", "Ana", "--listen", "127.0.0.1:0", "--tls-certificate", files.chain,
      "--tls-key", files.key,
    ])
    let invite = try #require(try await host.next("hosting").string("invite"))
    #expect(invite.contains(/^matinee:\/\/127\.0\.0\.1:[0-9]+\+[A-Za-z0-9_-]{43}\//))
    _ = try await host.next("joined")
    let guest = try MatineeProcess(["join", invite, film, "--name", "Ben"])
    _ = try await guest.next("joined")
    try guest.send("chat sealed twice")
    #expect(try await host.next("chat").string("text") == "sealed twice")
    for one in [guest, host] { #expect(try await one.quit() == 0) }
  }
}
