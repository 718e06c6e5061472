import Foundation
import ProcessTesting
import Testing

/// The way out: a room on Syncplay's own server, with Syncplay's own client driving a real mpv as the witness.
@Suite(
  "A room of Syncplay", .serialized,
  .enabled(if: SyncplayServer.isInstalled, "syncplay is not installed: apt-get install syncplay"))
struct RoomTests {
  private let film: String
  private let server: SyncplayServer

  init() async throws {
    film = try PageGuest.film.get()
    server = try await SyncplayServer()
  }

  private func join(_ options: [String] = []) throws -> MatineeProcess {
    try MatineeProcess(
      ["join", "syncplay://\(server.address)/den", film, "--name", "Ana"] + options)
  }

  private func entry(of name: String, in state: MatineeProcess.Event) -> [String: Any]? {
    state.roster.first { $0["name"] as? String == name }
  }

  private func isKim(_ command: String) -> @Sendable (MatineeProcess.Event) -> Bool {
    { $0.string("command") == command && $0.string("by") == "Kim" }
  }

  @Test("Matinee goes to the room's position, and commands and chat go both ways")
  func takesPart() async throws {
    let client = try SyncplayClient("Kim", at: server.address, film)
    try await MatineeProcess.wait("the client has no film") { client.position() != nil }
    try await MatineeProcess.wait("the client doesn't jump") {
      client.press(#""seek",20,"absolute+exact""#)
      return client.position() == 20
    }
    try await MatineeProcess.wait("the client doesn't say it to the room") {
      client.output.contains("jumped")
    }

    let ana = try join()
    _ = try await ana.next("command", where: isKim("seek"))
    let state = try await ana.state {
      entry(of: "Kim", in: $0)?["item"] is String
        && abs(($0.number("playerPosition") ?? 0) - 20) < 0.1
    }
    let door = try #require(entry(of: "Kim", in: state)?["door"] as? [String: Any])
    #expect(door["kind"] as? String == "syncplay" && door["keeper"] as? String == "Ana")
    // The party has no invite for others.
    #expect(ana.history(of: "hosting").isEmpty)
    #expect(client.position() == 20)

    client.press(#""set_property","pause",false"#)
    _ = try await ana.next("command", where: isKim("play"))
    _ = try await ana.state { ($0.number("playerPosition") ?? 0) > 21 }
    try ana.send("pause")
    try await MatineeProcess.wait("the client doesn't pause") { client.isPaused() }
    try ana.send("seek 40")
    try await MatineeProcess.wait("the client doesn't jump") {
      abs((client.position() ?? 0) - 40) < 0.05
    }
    try ana.send("play")
    try await MatineeProcess.wait("the client doesn't play along") {
      let state = try await ana.currentState()
      guard let own = state.number("playerPosition"), let other = client.position() else {
        return false
      }
      return own > 41 && !client.isPaused() && abs(own - other) < 0.5
    }
    client.press(#""seek",10,"absolute+exact""#)
    _ = try await ana.next("command") {
      $0.string("by") == "Kim" && abs(($0.number("position") ?? 0) - 10) < 1
    }
    client.press(#""set_property","pause",true"#)
    _ = try await ana.next("command", where: isKim("pause"))
    _ = try await ana.state {
      abs(($0.number("playerPosition") ?? 0) - (client.position() ?? 0)) < 0.2
    }

    try client.type("ch Hello from Syncplay")
    _ = try await ana.next("chat") {
      $0.string("text") == "Hello from Syncplay" && $0.string("from") == "Kim"
    }
    try ana.send("chat " + String(repeating: "long ", count: 40))
    try await MatineeProcess.wait("the client doesn't get the chat") {
      client.output.contains("<Ana> long long") && client.output.contains("…")
    }
    client.end()
    _ = try await ana.next("participant-left") { $0.string("name") == "Kim" }
  }

  @Test("The server is lost, and found again: the film goes on meanwhile, and Matinee leads")
  func returns() async throws {
    let ana = try join()
    _ = try await ana.next("opened")
    try ana.send("play")
    _ = try await ana.state { ($0.number("playerPosition") ?? 0) > 1 }
    server.end()
    _ = try await ana.next("warning") { $0.string("message")?.contains("reconnecting") == true }
    try await server.start()
    _ = try await ana.next("notice") { $0.string("message") == "Back in the room." }
    let client = try SyncplayClient("Kim", at: server.address, film)
    try await MatineeProcess.wait("the client isn't where Ana is") {
      let state = try await ana.currentState()
      guard let own = state.number("playerPosition"), let other = client.position() else {
        return false
      }
      return own > 5 && !client.isPaused() && abs(own - other) < 1.5
    }
    let commands = ana.history(of: "command").map(\.event)
    #expect(commands.allSatisfy { $0.string("by") == "Ana" }, "\(commands)")
  }

  @Test("A taken name changes in the room, and a file that differs is said once")
  func differs() async throws {
    let other = Clips.folder.appendingPathComponent("other-room.mkv").path
    try Clips.ffmpeg([
      "-f", "lavfi", "-i", "color=s=64x64:r=25:d=30", "-c:v", "libx264", "-preset", "ultrafast",
      other,
    ])
    let client = try SyncplayClient("Ana", at: server.address, other)
    try await MatineeProcess.wait("the client has no film") { client.position() != nil }
    let ana = try join()
    _ = try await ana.next("notice") { $0.string("message")?.contains("Ana_") == true }
    _ = try await ana.next("notice") {
      $0.string("message")?.contains("by its name and size and duration") == true
    }
    _ = try await ana.state { $0.roster.count == 2 }
  }

  @Test("A password is asked for in words, and read from a file")
  func password() async throws {
    server.end()
    try await server.start(["--password", "secret"])
    let output = Clips.folder.appendingPathComponent("refused-room")
    let refused = try ChildProcess.start(
      [MatineeProcess.executable.path, "join", "syncplay://\(server.address)/den", "--headless"],
      output: output)
    #expect(refused.wait() >> 8 == 77)
    let words = try String(contentsOf: output, encoding: .utf8)
    #expect(words.contains("Password required") && words.contains("--password-file"))
    let file = Clips.folder.appendingPathComponent("room-password").path
    try "secret\n".write(toFile: file, atomically: true, encoding: .utf8)
    let ana = try join(["--password-file", file])
    _ = try await ana.next("opened")
  }
}
