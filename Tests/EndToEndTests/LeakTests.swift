import Foundation
import GroupActivities
import Testing

@testable import GroupActivities

/// Secrets of a party stay in it.
@Suite("Leaks", .serialized)
struct LeakTests {
  /// An evening through a relay that records all bytes that pass it.
  private struct Evening {
    var secrets: [Secret]
    var recorded: Data
    var relayMemory: Data
    var errors: Data
    /// The host's own memory, to show that the search finds secrets that are there.
    var hostMemory: Data
  }

  private static let names = ["Ana-Lovelace-Zuse", "Benoît-Turing-Hopper", "Chiquita-Shannon"]
  private static let position = 83.123457

  private func evening() async throws -> Evening {
    let relay = try await RelayProcess()
    let proxy = try RecordingProxy(to: relay.port)
    let folder = try Clips.newFolder("Very-Private-Folder")
    defer { try? FileManager.default.removeItem(at: folder) }
    let film = folder.appendingPathComponent("Embarrassing-Documentary-7.mp4").path
    try FileManager.default.copyItem(atPath: try Clips.film.get(), toPath: film)
    let errors = folder.appendingPathComponent("errors").path

    let address = "nats://127.0.0.1:\(proxy.port)"
    let ana = try MatineeProcess(
      ["host", "--name", Self.names[0], "--relay", address, film], errors: errors)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    var guests: [MatineeProcess] = []
    for name in Self.names.dropFirst() {
      let guest = try MatineeProcess(
        ["join", invite, "--name", name, "--relay", address, film], errors: errors)
      guests.append(guest)
      _ = try await guest.next("opened")
    }
    let everybody = [ana] + guests
    for number in 0..<60 {
      let (speaker, text) = (number % 3, "whispering-\(number)-behind-closed-doors")
      try everybody[speaker].send("chat \(text)")
      for one in everybody { _ = try await one.next("chat") { $0.string("text") == text } }
    }
    let url = "http://127.0.0.1:9/Forbidden-Stream/with-token-8841.mkv"
    try ana.send("enqueue \(url)")
    for one in everybody { _ = try await one.next("playlist") { "\($0)".contains("8841") } }
    try guests[0].send("seek \(Self.position)")
    for one in everybody {
      _ = try await one.state { abs(($0.number("playerPosition") ?? 0) - Self.position) < 0.1 }
    }
    try ana.send("play")
    for one in everybody { _ = try await one.state { $0.flag("playerPaused") == false } }
    try ana.send("pause")
    for one in everybody { _ = try await one.state { $0.flag("playerPaused") == true } }
    try guests[1].send("suspend hiding-in-the-kitchen")
    _ = try await ana.state { "\($0.roster)".contains("hiding-in-the-kitchen") }

    let parsed = try Invite(invite)
    let keys = PartyKeys(secret: parsed.secret, party: parsed.party)
    var secrets = Self.names.map { Secret("the name \($0)", $0) }
    secrets += [
      Secret("a chat line", "behind-closed-doors"), Secret("a chat line", "whispering-41-"),
      Secret("the film's title", "Embarrassing-Documentary"),
      Secret("the film's folder", "Very-Private-Folder"), Secret("the URL", "Forbidden-Stream"),
      Secret("the URL's token", "with-token-8841"), Secret("a reason", "hiding-in-the-kitchen"),
      Secret("the position as text", "83123457"),
      Secret(
        "the position",
        bytes: withUnsafeBytes(of: Int64(83_123_457_000).littleEndian) { Data($0) }),
      Secret("the invite's secret", parsed.secret.text),
      Secret("the invite's secret", bytes: Data(parsed.secret.bytes)),
      Secret("the content key", bytes: keys.content.withUnsafeBytes { Data($0) }),
      Secret(
        "the fingerprint of the film", String(try #require(try await item(of: ana)).dropFirst(7))),
    ]
    let relayMemory = try ProcessMemory.read(of: relay.child.id)
    let hostMemory = try ProcessMemory.read(of: ana.id)
    for one in everybody { #expect(try await one.quit() == 0) }
    let said = try Data(contentsOf: URL(fileURLWithPath: errors))
    return Evening(
      secrets: secrets, recorded: proxy.recorded, relayMemory: relayMemory, errors: said,
      hostMemory: hostMemory)
  }

  private func item(of process: MatineeProcess) async throws -> String? {
    try await process.currentState().string("item")
  }

  @Test("A broker sees no name, no message, no title, no address, no position and no key")
  func brokerSeesNothing() async throws {
    let evening = try await evening()
    #expect(evening.recorded.count > 50_000, "hardly anything went through the proxy")
    #expect(evening.relayMemory.count > 1_000_000, "hardly anything of the relay was read")
    for secret in evening.secrets {
      #expect(!secret.isIn(evening.recorded), "\(secret.name) went to the broker")
      #expect(!secret.isIn(evening.relayMemory), "\(secret.name) is in the relay's memory")
      #expect(!secret.isIn(evening.errors), "\(secret.name) is on standard error")
    }
    // The search would have found them: they are in the host's own memory, the held ones always,
    // and some of those that were only passed on, whose memory may be used again.
    let found = Set(evening.secrets.filter { $0.isIn(evening.hostMemory) }.map(\.name))
    for name in ["the film's title", "the invite's secret"] {
      #expect(found.contains(name), "\(name)")
    }
    let names = ["a chat line", "the URL", "a reason", "the content key", "the film's folder"]
    #expect(names.contains { found.contains($0) }, "\(found)")
  }

  @Test(
    "A crash in a party prints no secret, and leaves no core",
    arguments: [SIGSEGV, SIGABRT, SIGTRAP])
  func crash(signal: Int32) async throws {
    let errors = Clips.folder.appendingPathComponent("crash-\(UUID().uuidString)").path
    let ana = try MatineeProcess(
      ["host", "--name", Self.names[0], "--listen", "127.0.0.1:0", try Clips.film.get()],
      // The names of functions are no secrets, and finding them in a debug build takes a minute of CPU.
      environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no,symbolicate=off"],
      errors: errors)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    try ana.send("chat behind-closed-doors")
    _ = try await ana.next("chat")
    let limits = try String(contentsOfFile: "/proc/\(ana.id)/limits", encoding: .utf8)
    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    #expect(core?.split(whereSeparator: \.isWhitespace)[4] == "1")
    // A fault recurs when its handler returns, but a signal from another process doesn't: the
    // second signal ends the process after the output of the first.
    let faults = Task {
      while !Task.isCancelled {
        kill(ana.id, signal)
        try? await Task.sleep(for: .seconds(5))
      }
    }
    defer { faults.cancel() }
    _ = try await ana.exitCode(within: .seconds(300))
    let said = try Data(contentsOf: URL(fileURLWithPath: errors))
    let parsed = try Invite(invite)
    for secret in [
      Secret("the name", Self.names[0]), Secret("a chat line", "behind-closed-doors"),
      Secret("the secret", parsed.secret.text),
      Secret("the secret", bytes: Data(parsed.secret.bytes)),
    ] {
      #expect(!secret.isIn(said), "\(secret.name) was printed")
    }
  }
}
