import Foundation
import ProcessTesting
import Testing
import Timekeeping

/// The programs of SharePlay's talks in a party with Matinee: real processes, real players, a real relay.
@Suite("The talks' programs in a party", .serialized)
struct TalkProgramTests {
  /// The environment of a player without sound and picture.
  private static func quiet(
    _ name: String, _ more: String = ""
  ) throws -> [String: String] {
    let folder = try Clips.newFolder(name)
    try "vo=null\nao=null\n\(more)\n".write(
      to: folder.appendingPathComponent("mpv.conf"), atomically: true, encoding: .utf8)
    return ["MPV_HOME": folder.path, "DISPLAY": "", "WAYLAND_DISPLAY": ""]
  }

  @Test("The sample program plays, seeks and pauses with Matinee, and Matinee with it")
  func filmNight() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let night = try ExampleProcess(
      "FilmNight", [invite, try Clips.film.get(), try Clips.otherFilm.get()],
      environment: try Self.quiet("night"))
    _ = try await night.line("film film")
    _ = try await night.line("itemDidBecomeReady")

    try ana.send("play")
    _ = try await night.line("rateDidChange(1.0")
    _ = try await night.wait { $0.first { $0.hasSuffix("TimeControlStatus.playing, nil)") } }
    _ = try await ana.state { state in
      state.roster.contains { member in
        member["name"] as? String == "Film night"
          && abs(member["syncErrorMs"] as? Double ?? .infinity) < 100
      }
    }
    try night.send("seek 60")
    _ = try await ana.state { ($0.number("playerPosition") ?? 0) >= 60 }
    try night.send("pause")
    let frame = try await ana.state {
      $0.flag("playerPaused") == true && $0.string("status") == "paused"
        && $0.number("playerPosition") == $0.number("groupPosition")
    }.number("playerPosition")!
    try await night.wait { lines in
      try night.send("where")
      let place = lines.last { $0.hasPrefix("position") }?.split(separator: " ").last
      return place.flatMap { Double($0) }.flatMap { abs($0 - frame) < 0.001 ? () : nil }
    }

    try ana.send("play")
    _ = try await ana.state { $0.string("status") == "playing" }
    try night.send("what")
    let reason = "org.example.film-night.what-happened"
    for isApart in [true, false] {
      _ = try await ana.state { state in
        #expect(state.string("status") != "paused")
        return state.roster.contains { member in
          member["name"] as? String == "Film night"
            && (member["suspensions"] as? [String]) == (isApart ? [reason] : [])
            && (isApart || abs(member["syncErrorMs"] as? Double ?? .infinity) < 100)
        }
      }
    }

    try night.send("film 1")
    _ = try await night.line("film other")
    _ = try await ana.next("activity") { $0.string("title") == "other" }
    try night.send("end")
    _ = try await night.line("the session is over")

    try night.send("film 0")
    _ = try await night.line("film: everyone, just me, or cancel?")
    try night.send("cancel")
    _ = try await night.line("cancelled")
    try night.send("film 0")
    try await night.wait { $0.count { $0.hasPrefix("film: everyone") } == 2 ? () : nil }
    try night.send("just me")
    try await night.wait { $0.count { $0 == "film film" } == 2 ? () : nil }
    try night.send("film 1")
    _ = try await night.line("other: everyone, just me, or cancel?")
    try night.send("everyone")
    _ = try await ana.next("activity") { $0.string("by") == "Film night" }
    #expect(try await ana.quit() == 0)
  }

  @Test("Strokes reach everyone, a newcomer gets the canvas, and a reset is a new session")
  func sketchpad() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let ben = try ExampleProcess("Sketchpad", [invite, "Ben"])
    let chi = try ExampleProcess("Sketchpad", [invite, "Chi"])
    for pad in [ben, chi] { _ = try await pad.line("[share]") }
    try ben.send("share")
    for pad in [ben, chi] { _ = try await pad.wait { $0.first { $0 == "0 points" } } }
    for x in 1...3 { try ben.send("\(x) 2") }
    _ = try await chi.line("3 points")
    try chi.send("5 2")
    _ = try await ben.line("4 points")
    let dan = try ExampleProcess("Sketchpad", [invite, "Dan"])
    _ = try await dan.line("4 points")
    #expect(try dan.lines.contains { $0.hasPrefix("| BBB C ") })

    try chi.send("reset")
    for pad in [ben, chi, dan] {
      try await pad.wait { lines in
        lines.contains { $0.hasPrefix("0 points, [share]") }
          && lines.last { $0.contains("points") } == "0 points" ? () : nil
      }
    }
    try dan.send("7 0")
    for pad in [ben, chi, dan] { _ = try await pad.line("1 points") }
    #expect(try await ana.quit() == 0)
  }

  @Test(
    "The desktop shows the promoted view, commands it with Matinee, and can't skip an advertisement"
  )
  func multiview() async throws {
    let bus = try await SessionBus()
    let (ana, invite) = try await MatineeProcess.host()
    let film = try Clips.film.get()
    let cinema = try ExampleProcess(
      "MultiviewCinema",
      [invite, film, try Clips.otherFilm.get()] + Array(repeating: film, count: 4),
      environment: try Self.quiet("cinema")
        .merging(["DBUS_SESSION_BUS_ADDRESS": bus.address]) { $1 })
    let playerctl = ["playerctl", "-p", "multiview"]
    func shows(_ title: String) async throws {
      try await bus.until(playerctl + ["metadata", "title"]) { $0 == title }
    }
    try await shows("The film")
    _ = try await ana.state {
      $0.roster.contains { $0["name"] as? String == "Multiview" && $0["item"] is String }
    }
    _ = try await bus.run(playerctl + ["play"])
    _ = try await ana.state { $0.string("status") == "playing" }
    _ = try await bus.run(playerctl + ["position", "15+"])
    _ = try await ana.state { ($0.number("playerPosition") ?? 0) >= 15 }
    _ = try await bus.run(playerctl + ["pause"])
    _ = try await ana.state { $0.string("status") == "paused" }

    try cinema.send("small")
    try await shows("The small picture")
    let length = try await bus.run(playerctl + ["metadata", "mpris:length"])
    #expect((109_000_000...111_000_000).contains(Int(length) ?? 0), "without its advertisement")
    func mayGoNext(_ value: Bool) async throws {
      try await bus.until([
        "busctl", "--address=\(bus.address)", "get-property", "org.mpris.MediaPlayer2.multiview",
        "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player", "CanGoNext",
      ]) { $0 == "b \(value)" }
    }
    try await mayGoNext(true)
    _ = try await bus.run(playerctl + ["next"])
    _ = try await bus.run(playerctl + ["play"])
    try await mayGoNext(false)
    #expect(try await ana.currentState().string("status") == "paused", "the small one is alone")

    try cinema.send("angles")
    try await shows("Angle 1")
    _ = try await bus.run(playerctl + ["play"])
    try await bus.until(playerctl + ["status"]) { $0 == "Playing" }
    try cinema.send("Evening news")
    try await shows("Evening news")
    try cinema.send("main")
    try await shows("The film")
    #expect(try await ana.quit() == 0)
  }
}
