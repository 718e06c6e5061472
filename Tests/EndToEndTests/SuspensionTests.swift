import Foundation
import ProcessTesting
import Testing

/// Participants apart from the group, with real players.
@Suite("Apart and back, end to end", .serialized)
struct ApartTests {
  let party: PartyTests

  init() throws { party = try PartyTests() }

  @Test("Trailers play before the film for one participant only, and the others wait for it")
  func preroll() async throws {
    let trailer = try Clips.film.get()
    let (ana, invite) = try await party.host()
    let ben = try MatineeProcess([
      "join", invite, "--name", "Ben", "--preroll", trailer, trailer,
    ])
    _ = try await ben.next("suspension") {
      ($0.fields["reasons"] as? [String]) == ["playingInterstitial"]
    }
    try ana.send("play")
    _ = try await ana.next("waiting") { ($0.fields["for"] as? [String]) == ["Ben"] }
    // Two minutes of trailer are enough: Ben wants the film.
    try ben.send("resume")
    for one in [ana, ben] {
      _ = try await one.state {
        $0.string("status") == "playing" && $0.flag("playerPaused") == false
          && $0.number("playerPosition") ?? 99 < 30
      }
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }

  @Test("A start waits for the asked participants that haven't reported that they are ready")
  func readyCheck() async throws {
    let (ana, invite) = try await party.host()
    let ben = try await party.join(invite, name: "Ben")
    try ana.send("ready-check")
    #expect(try await ben.next("ready-check").string("by") == "Ana")
    _ = try await ben.next("attention")
    _ = try await ana.state {
      $0.roster.contains { ($0["suspensions"] as? [String]) == ["readyCheck"] }
    }
    try ana.send("play")
    let waiting = try await ana.next("waiting") { ($0.fields["for"] as? [String]) == ["Ben"] }
    #expect(waiting.number("seconds")! > 30)
    #expect(try await ben.currentState().flag("playerPaused") == true)
    try ben.send("ready")
    for one in [ana, ben] {
      _ = try await one.state {
        $0.string("status") == "playing" && $0.flag("playerPaused") == false
      }
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }

  @Test("A guest without the right to choose returns to the party's film after any change in mpv")
  func putBack() async throws {
    let other = try Clips.otherFilm.get()
    let socket = Clips.folder.appendingPathComponent("mpv-\(UUID().uuidString.prefix(8))").path
    let (ana, invite) = try await party.host(["--control", "hosts"])
    let ben = try await party.join(
      invite, name: "Ben", ["--mpv", "input-ipc-server=\(socket)"])
    try ana.send("seek 50")
    for one in [ana, ben] { _ = try await one.state { $0.number("playerPosition") == 50 } }
    for command in [#"["loadfile","\#(other)"]"#, #"["stop"]"#, #"["playlist-next","force"]"#] {
      let mpv = try UnixSocket(path: socket)
      #expect(mpv.write(#"{"command":"# + command + "}\n"))
      let name = command.contains("loadfile") ? "choose" : "close"
      let words = "Only hosts \(name) films in this party."
      #expect(try await ben.next("error").string("message")?.hasPrefix(words) == true)
      _ = try await ben.state {
        $0.string("title") == "film" && $0.number("playerPosition") == 50
      }
      #expect(try await ana.currentState().string("title") == "film")
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }
}
