import BrokerTesting
import Foundation
import ProcessTesting
import Testing

/// The way out: a room on Syncplay's own server, with Syncplay's own client driving a real mpv as the witness.
@Suite(
  "A room of Syncplay", .serialized,
  .enabled(
    if: SyncplayServer.isInstalled,
    "a part of Syncplay is missing: apt-get install syncplay syncplay-server"))
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
    try ana.send("vote rewind")
    try await MatineeProcess.wait("the room isn't asked") {
      client.output.contains("<Ana> Ana asks: back by 30 s? Write yes or no.")
    }
    try client.type("ch no")
    let vote = try await ana.next("vote") { $0.flag("accepted") != nil }
    #expect(vote.flag("accepted") == false && vote.number("of") == 2)
    // Another vote begins when the session of this one is over, and the film's isn't.
    try await MatineeProcess.wait("the vote goes on") {
      try ana.send("vote rewind")
      return ana.history(of: "vote").count { $0.event.flag("accepted") == nil } == 2
    }
    client.press(#""seek",20,"absolute+exact""#)
    _ = try await ana.next("command") {
      $0.string("by") == "Kim" && abs(($0.number("position") ?? 0) - 20) < 1
    }
    client.end()
    _ = try await ana.next("participant-left") { $0.string("name") == "Kim" }
  }

  @Test(
    "One of three Matinees opens a party for the others in the room: they keep closely together, and one speaks for all"
  )
  func opensParty() async throws {
    let client = try SyncplayClient("Kim", at: server.address, film)
    try await MatineeProcess.wait("the client has no film") { client.position() != nil }
    let ana = try join(["--name", "Ana"])
    _ = try await ana.next("opened")
    let (ben, chi) = (try join(["--name", "Ben"]), try join(["--name", "Chi"]))
    for guest in [ben, chi] {
      _ = try await guest.next("opened")
      _ = try await ana.next("notice") { $0.string("message")?.contains("has Matinee too") == true }
    }
    try ana.send("host")
    _ = try await ana.next("hosting")
    _ = try await ana.state { entry(of: "Kim", in: $0)?["item"] is String }
    for guest in [ben, chi] {
      _ = try await guest.next("notice") {
        $0.string("message")?.hasPrefix("Ana has opened a party") == true
      }
      try guest.send("join")
    }
    // The two aren't clients of the room any more.
    _ = try await ana.state { state in
      state.roster.count == 4
        && ["Ben", "Chi"].allSatisfy { name in
          entry(of: name, in: state).map {
            $0["door"] as? [String: Any] == nil && $0["item"] is String
          }
            ?? false
        }
    }
    client.press(#""set_property","pause",false"#)
    for matinee in [ana, ben, chi] {
      _ = try await matinee.state {
        ($0.number("playerPosition") ?? 0) > 2 && $0.string("status") == "playing"
      }
      _ = try await matinee.state { abs($0.number("syncErrorMs") ?? 100) < 5 }
    }
    try ben.send("pause")
    try await MatineeProcess.wait("the client doesn't pause") { client.isPaused() }
    try chi.send("chat Hello from Chi")
    try await MatineeProcess.wait("the client doesn't hear Chi") {
      client.output.contains("<Ana> Chi: Hello from Chi")
    }
    try client.type("ch Hello from Kim")
    for matinee in [ana, ben, chi] {
      _ = try await matinee.next("chat") {
        $0.string("text") == "Hello from Kim" && $0.string("from") == "Kim"
      }
    }

    // Another one speaks for the room when Ana is gone, and the party stays where it is.
    try ben.send("seek 30")
    try await MatineeProcess.wait("the client doesn't jump") {
      abs((client.position() ?? 0) - 30) < 0.1
    }
    #expect(try await ana.quit() == 0)
    for matinee in [ben, chi] {
      _ = try await matinee.state { state in
        entry(of: "Kim", in: state)?["item"] is String && state.roster.count == 3
      }
      #expect(matinee.history(of: "command").last?.event.string("by") == "Ben")
    }
    try chi.send("seek 40")
    try await MatineeProcess.wait("the client doesn't jump along") {
      abs((client.position() ?? 0) - 40) < 0.1
    }
    client.press(#""set_property","pause",false"#)
    for matinee in [ben, chi] {
      _ = try await matinee.state {
        ($0.number("playerPosition") ?? 0) > 41 && $0.string("status") == "playing"
      }
    }
  }

  @Test("Who can't come to a party that was opened for the room stays in the room")
  func cannotCome() async throws {
    let client = try SyncplayClient("Kim", at: server.address, film)
    try await MatineeProcess.wait("the client has no film") { client.position() != nil }
    let ben = try join(["--name", "Ben"])
    _ = try await ben.next("opened")
    // A party without a relay, as behind a router that lets no one in.
    let key = "00112233445566778899aabbccddeeff#AAECAwQFBgcICQoLDA0ODw"
    try ben.send("join matinee://127.0.0.1:\(Loopback.lastingPort())/\(key)")
    _ = try await ben.next("error") {
      $0.string("message")?.hasSuffix("You are back in the room.") == true
    }
    _ = try await ben.state { entry(of: "Kim", in: $0)?["item"] is String }
    client.press(#""set_property","pause",false"#)
    _ = try await ben.next("command", where: isKim("play"))
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

  @Test("A server with a certificate of the named authority is encrypted; another one is refused")
  func encrypted() async throws {
    let (certificates, others) = (try Certificates(), try Certificates())
    defer {
      certificates.remove()
      others.remove()
    }
    let (chain, key) = try certificates.files(names: ["DNS:localhost"])
    let folder = try Clips.newFolder("room-tls")
    for (name, path) in ["cert": chain, "chain": certificates.authority, "privkey": key] {
      try FileManager.default.copyItem(
        atPath: path, toPath: folder.appendingPathComponent("\(name).pem").path)
    }
    server.end()
    try await server.start(["--tls", folder.path])
    let room = "syncplay://localhost:\(server.port)/den"
    let ana = try MatineeProcess([
      "join", room, film, "--name", "Ana", "--relay-ca", certificates.authority,
    ])
    let client = try SyncplayClient(
      "Kim", at: "localhost:\(server.port)", film, trusting: certificates.authority)
    let state = try await ana.state { entry(of: "Kim", in: $0)?["item"] is String }
    let door = try #require(entry(of: "Kim", in: state)?["door"] as? [String: Any])
    #expect(door["encrypted"] as? Bool == true)
    #expect(
      ana.history(of: "warning").allSatisfy {
        $0.event.string("message")?.contains("encrypted") != true
      })
    client.end()

    let output = Clips.folder.appendingPathComponent("refused-certificate")
    let refused = try ChildProcess.start(
      [MatineeProcess.executable.path, "join", room, "--headless"]
        + ["--relay-ca", others.authority],
      output: output)
    #expect(refused.wait() != 0)
    #expect(try String(contentsOf: output, encoding: .utf8).contains("certificate isn't valid"))
  }

  @Test("An operator controls a managed room; another member's command is taken back")
  func managed() async throws {
    // The name that the server gives the room "den" for this password and the tests' salt.
    let room = "syncplay://\(server.address)/+den:0690E733ACDC"
    let file = Clips.folder.appendingPathComponent("operators-password").path
    try "AB-123-456\n".write(toFile: file, atomically: true, encoding: .utf8)
    let ana = try MatineeProcess([
      "join", room, film, "--name", "Ana", "--operator-password-file", file,
    ])
    _ = try await ana.next("notice") {
      $0.string("message") == "You are an operator of the room."
    }
    _ = try await ana.next("opened")
    let ben = try MatineeProcess(["join", room, film, "--name", "Ben"])
    _ = try await ben.next("opened")
    _ = try await ana.state { entry(of: "Ben", in: $0)?["item"] is String }
    // The operator is a co-host in the other's list.
    _ = try await ben.state {
      entry(of: "Ana", in: $0)?["item"] is String
        && entry(of: "Ana", in: $0)?["role"] as? String == "co-host"
    }
    try ana.send("play")
    _ = try await ben.next("command") {
      $0.string("command") == "play" && $0.string("by") == "Ana"
    }
    _ = try await ben.state { ($0.number("playerPosition") ?? 0) > 2 }
    try ben.send("pause")
    _ = try await ben.next("notice") {
      $0.string("message") == "Only the operators of this room control it."
    }
    _ = try await ben.state { $0.flag("paused") == false }
    let commands = ana.history(of: "command").map(\.event)
    #expect(commands.allSatisfy { $0.string("by") == "Ana" }, "\(commands)")
  }

  /// Returns whether a person is ready by the last list in the client's console; nil without one.
  private func isReady(_ name: String, in client: SyncplayClient) -> Bool? {
    client.output.split(separator: "\n").last { $0.contains("<\(name)>") }
      .map { $0.contains("Ready") }
  }

  @Test("A pause says that the user isn't ready, and the room's next film opens")
  func listAndReadiness() async throws {
    let folder = try Clips.newFolder("room-list")
    let films = try ["a", "b"].map { name in
      let path = folder.appendingPathComponent("\(name).mkv").path
      try Clips.ffmpeg([
        "-f", "lavfi", "-i", "color=c=\(name == "a" ? "red" : "blue"):s=64x64:r=25:d=60",
        "-c:v", "libx264", "-preset", "ultrafast", path,
      ])
      return path
    }
    let client = try SyncplayClient("Kim", at: server.address, films[0])
    try await MatineeProcess.wait("the client has no film") { client.position() != nil }
    let ana = try MatineeProcess([
      "join", "syncplay://\(server.address)/den", films[0], "--name", "Ana",
    ])
    _ = try await ana.next("opened")
    _ = try await ana.state { entry(of: "Kim", in: $0)?["item"] is String }
    try await MatineeProcess.wait("the client doesn't see that Ana is ready") {
      try client.type("l")
      return isReady("Ana", in: client) == true
    }
    try ana.send("play")
    // A pause right after a start is lost: the client asks its player every 100 ms.
    try await MatineeProcess.wait("the client doesn't play along") {
      (client.position() ?? 0) > 2
    }
    try ana.send("pause")
    try await MatineeProcess.wait("the client doesn't pause") { client.isPaused() }
    try await MatineeProcess.wait("the client doesn't see that Ana isn't ready") {
      try client.type("l")
      return isReady("Ana", in: client) == false
    }
    try client.type("qa \(films[1])")
    try client.type("qs 2")
    _ = try await ana.next("opened") { $0.string("title") == "b" }
  }
}
