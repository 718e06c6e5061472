import Foundation
import Testing

/// Real processes, real libmpv, real relay.
@Suite("A party, end to end", .serialized)
struct PartyTests {
  let film: String

  init() throws { film = try Clips.film.get() }

  @Test(
    "Host and two joiners play, seek, change speed, pause and end the film together, and see a reaction, a new name and a departure"
  )
  func together() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let ben = try await MatineeProcess.join(invite, name: "Ben")
    let second = try MatineeProcess(["join", invite, "--name", "ana", film])
    #expect(try await second.next("joined").string("name") == "ana 2")
    _ = try await second.next("opened")
    let everybody = [ana, ben, second]
    #expect(ana.history(of: "participant-joined").allSatisfy { $0.event.flag("wasHere") == false })
    _ = try await second.next("participant-joined") { $0.flag("wasHere") == true }

    try ana.send("play")
    for one in everybody {
      _ = try await one.next("command") {
        $0.string("command") == "play" && $0.string("by") == "Ana"
      }
      _ = try await one.state {
        $0.string("status") == "playing" && $0.flag("playerPaused") == false
      }
    }
    try ben.send("seek 60")
    for one in everybody {
      _ = try await one.next("command") {
        $0.string("command") == "seek" && $0.string("by") == "Ben"
      }
      _ = try await one.state {
        $0.string("status") == "playing" && $0.number("playerPosition") ?? 0 >= 60
      }
    }
    try second.send("rate 1.25")
    for one in everybody {
      _ = try await one.next("command") { $0.number("rate") == 1.25 }
      _ = try await one.state { $0.number("rate") == 1.25 }
    }
    try ben.send("pause")
    var places: Set<Double> = []
    for one in everybody {
      _ = try await one.next("command") { $0.string("command") == "pause" }
      let state = try await one.state {
        $0.flag("playerPaused") == true && $0.number("position") == $0.number("playerPosition")
      }
      places.insert(state.number("playerPosition")!)
      #expect(state.roster.count == 3)
      #expect(state.number("uncertaintyMs") != nil)
    }
    #expect(places.count == 1, "all stand on one frame: \(places)")
    try ben.send("react applause")
    for one in everybody {
      _ = try await one.next("reaction") {
        $0.string("from") == "Ben" && $0.string("symbol") == "👏"
      }
    }
    // The end of the film is its end for all, and the party continues.
    try ben.send("end")
    for one in everybody { #expect(try await one.next("ended").string("by") == "Ben") }
    try ben.send("name Bo")
    for one in everybody {
      _ = try await one.next("renamed") { $0.string("name") == "Bo" && $0.string("from") == "Ben" }
    }
    #expect(try await ben.quit() == 0)
    for one in [ana, second] {
      #expect(try await one.next("participant-left").flag("announced") == true)
      #expect(try await one.quit() == 0)
    }
  }

  @Test("A refused or impossible connection has its own exit code")
  func refusals() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let damaged = try MatineeProcess(["join", String(invite.dropLast(2)) + "A"])
    #expect(try await damaged.exitCode() == 77)
    let secretless = String(invite.prefix { $0 != "#" }) + "#AAAAAAAAAAAAAAAAAAAAAA"
    let stranger = try MatineeProcess(["join", secretless])
    #expect(try await stranger.exitCode() == 77)
    #expect(try await ana.quit() == 0)
    let late = try MatineeProcess(["join", invite])
    #expect(try await late.exitCode() == 69)
    for wrong in [
      ["--no-such-option"], ["jion"], ["-dash.mkv"], ["--latency-offset", "11s"],
      ["--sync-log", "/nowhere/at/all.csv"],
      ["host", "--relay", "nats://127.0.0.1:1", "--relay-credentials", "/no/such/file"],
      ["host", "--relay", "nats://127.0.0.1:1", "--relay-ca", "/no/such/file"],
      ["host", "--relay", "http://127.0.0.1:1"], ["host", "--relay-ca", "/no/such/file"],
    ] {
      #expect(try await MatineeProcess(wrong).exitCode() == 64, "\(wrong)")
    }
    #expect(try await MatineeProcess(["/no/such/film.mkv"]).exitCode() == 1)
  }

  @Test("A participant with another film is told so, and isn't ready until it has the party's")
  func readiness() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    // In a folder without the party's film, which would be found.
    let other = try Clips.newFolder("other").appendingPathComponent("other.mkv").path
    try FileManager.default.copyItem(atPath: try Clips.otherFilm.get(), toPath: other)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", other])
    @Sendable func isReady(_ name: String, _ state: MatineeProcess.Event) -> Bool? {
      state.roster.first { $0["name"] as? String == name }?["ready"] as? Bool
    }
    #expect(try await ben.next("error").string("message")?.contains("another film") == true)
    #expect(try await ben.currentState().string("status") == "empty")
    for one in [ana, ben] {
      _ = try await one.state { isReady("Ana", $0) == true && isReady("Ben", $0) == false }
    }
    try ben.send("load \(film)")
    _ = try await ben.next("opened")
    for one in [ana, ben] { _ = try await one.state { isReady("Ben", $0) == true } }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("No command of a fast script is lost, and a script may stop in the middle")
  func flood() async throws {
    let player = try MatineeProcess([])
    for number in 0..<2000 { try player.send("rate x\(number)") }
    _ = try await player.next("error") { $0.string("command") == "rate x1999" }
    // In one write: the program may no longer read afterwards.
    try player.send("quit" + String(repeating: "\nstate", count: 100))
    #expect(try await player.exitCode() == 0)
  }
}

extension MatineeProcess {
  /// Starts the host of a party, with the usual film if no other is given.
  static func host(
    _ more: [String] = [], film: String? = nil
  ) async throws -> (MatineeProcess, invite: String) {
    let file = Clips.folder.appendingPathComponent("invite-\(UUID().uuidString)").path
    let host = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--invite-file", file, "--name", "Ana"] + more
        + [try film ?? Clips.film.get()])
    let hosting = try await host.next("hosting")
    _ = try await host.next("opened")
    let invite = try String(contentsOfFile: file, encoding: .utf8)
    #expect(invite == hosting.string("invite")! + "\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    return (host, hosting.string("invite")!)
  }

  /// - Parameter more: further arguments, for example copies of other films.
  static func join(
    _ invite: String, name: String, film: String? = nil, _ more: [String] = []
  ) async throws -> MatineeProcess {
    let guest = try MatineeProcess(
      ["join", invite, "--name", name, try film ?? Clips.film.get()] + more)
    _ = try await guest.next("joined")
    _ = try await guest.next("opened")
    return guest
  }
}
