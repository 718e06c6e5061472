import BrokerTesting
import Foundation
import Testing

/// Parties on servers that prove their identity and require one from their clients.
@Suite("A party on other people's servers", .serialized)
struct BrokerAccessTests {
  private let film: String

  init() throws { film = try Clips.film.get() }

  /// Opens a party there, and returns its invite.
  private func host(
    _ arguments: [String]
  ) async throws -> (process: MatineeProcess, invite: String) {
    let host = try MatineeProcess(["host", film, "--name", "Ana"] + arguments)
    let invite = try await host.next("hosting").string("invite")!
    _ = try await host.next("joined")
    return (host, invite)
  }

  @Test("It changes to TLS for a guest with only the invite, and connects to no untrusted server")
  func tls() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let settings = try certificates.serverSettings(names: ["DNS:localhost"])
    try await NATSServer.run(settings) { server in
      let (ana, invite) = try await host([
        "--relay", "tls://localhost:\(server.port)", "--relay-ca", certificates.authority,
      ])
      #expect(invite.hasPrefix("matinee://localhost:\(server.port)+tls/"))
      // One guest has the authority among the system's, the other gets it as an option.
      let ben = try MatineeProcess(
        ["join", invite, film, "--name", "Ben"],
        environment: ["SSL_CERT_FILE": certificates.authority])
      let chi = try MatineeProcess([
        "join", invite, film, "--name", "Chi", "--relay-ca", certificates.authority,
      ])
      for guest in [ben, chi] { _ = try await guest.next("joined") }
      try ben.send("chat sealed twice")
      for one in [ana, chi] {
        #expect(try await one.next("chat").string("text") == "sealed twice")
      }
      let stranger = try MatineeProcess(["join", invite])
      let error = try await stranger.next("error").string("message") ?? ""
      #expect(error.contains("isn't trusted here") && error.contains("--relay-ca"), "\(error)")
      #expect(try await stranger.exitCode() == 69)
      let misled = try MatineeProcess([
        "join", invite, "--relay", "tls://127.0.0.1:\(server.port)", "--relay-ca",
        certificates.authority,
      ])
      let other = try await misled.next("error").string("message") ?? ""
      #expect(other.contains("isn't valid for 127.0.0.1"), "\(other)")
      #expect(try await misled.exitCode() == 69)
      for one in [ana, ben, chi] { #expect(try await one.quit() == 0) }
    }
  }

  @Test("Guests over WebSocket meet those over plain connections", arguments: [true, false])
  func webSocket(usesTLS: Bool) async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let protection =
      usesTLS ? try certificates.serverSettings(names: ["DNS:localhost"]) : "no_tls: true"
    let settings = "websocket { host: \"127.0.0.1\", port: -1, \(protection) }"
    try await NATSServer.run(settings) { server in
      let port = try #require(server.webSocketPort)
      let (ana, invite) = try await host(["--relay", "nats://\(server.address)"])
      let way =
        usesTLS
        ? ["--relay", "wss://localhost:\(port)", "--relay-ca", certificates.authority]
        : ["--relay", "ws://127.0.0.1:\(port)"]
      let ben = try MatineeProcess(["join", invite, film, "--name", "Ben"] + way)
      _ = try await ben.next("joined")
      try ben.send("chat through the frames")
      #expect(try await ana.next("chat").string("text") == "through the frames")
      try ana.send("chat and back")
      #expect(
        try await ben.next("chat") { $0.string("from") == "Ana" }.string("text") == "and back")
      for one in [ana, ben] { #expect(try await one.quit() == 0) }
    }
  }

  @Test("It admits guests with its operator's credentials, and reports to others what they lack")
  func credentials() async throws {
    let authority = Operator()
    let file = Clips.folder.appendingPathComponent("\(UUID().uuidString).creds").path
    let credentials = try authority.credentials()
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data(credentials.utf8), attributes: [.posixPermissions: 0o600]))
    try await NATSServer.run(authority.serverSettings) { server in
      let (ana, invite) = try await host([
        "--relay", "nats://\(server.address)", "--relay-credentials", file,
      ])
      let seed = try #require(credentials.split(separator: "\n").first { $0.hasPrefix("SU") })
      #expect(!invite.contains(seed.dropFirst(2)))
      let ben = try MatineeProcess([
        "join", invite, film, "--name", "Ben", "--relay-credentials", file,
      ])
      _ = try await ben.next("joined")
      try ben.send("chat let in")
      #expect(try await ana.next("chat").string("text") == "let in")
      let stranger = try MatineeProcess(["join", invite])
      let error = try await stranger.next("error").string("message") ?? ""
      #expect(error.contains("--relay-credentials"), "\(error)")
      #expect(try await stranger.exitCode() == 77)
      // A host with a relay of others doesn't close the party when it quits.
      #expect(try await ana.quit() == 0)
      _ = try await ben.next("participant-left") { $0.string("name") == "Ana" }
      #expect(ben.history(of: "party-closed").isEmpty)
      #expect(try await ben.currentState().flag("connected") == true)
      #expect(try await ben.quit() == 0)
    }
  }
}
