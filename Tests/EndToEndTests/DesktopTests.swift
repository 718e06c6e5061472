import Foundation
import ProcessTesting
import Testing

/// The desktop's view of the program, and its commands, with the programs that people use for it.
@Suite("On the desktop, end to end", .serialized)
struct DesktopTests {
  let bus: SessionBus
  let cache: URL
  let temporary: URL
  let film: String
  let other: String
  private let name = "org.mpris.MediaPlayer2.matinee"

  init() async throws {
    bus = try await SessionBus()
    cache = bus.directory.appendingPathComponent("cache")
    temporary = bus.directory.appendingPathComponent("tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    film = try Clips.film.get()
    other = try Clips.otherFilm.get()
  }

  private func start(
    _ arguments: [String], on bus: SessionBus? = nil, display: String? = nil
  ) throws -> MatineeProcess {
    try MatineeProcess(
      arguments, display: display,
      environment: [
        "DBUS_SESSION_BUS_ADDRESS": (bus ?? self.bus).address, "XDG_CACHE_HOME": cache.path,
        "TMPDIR": temporary.path,
      ])
  }

  /// Begins Ana's party, with Ben, each with a desktop.
  private func party(
    _ options: [String] = []
  ) async throws -> (ana: MatineeProcess, ben: MatineeProcess, desktop: SessionBus) {
    let ana = try start(["host", "--listen", "127.0.0.1:0", "--name", "Ana"] + options + [film])
    let invite = try await ana.next("hosting").string("invite")!
    _ = try await ana.next("opened")
    let desktop = try await SessionBus()
    let ben = try start(["join", invite, "--name", "Ben", film], on: desktop)
    _ = try await ben.next("joined")
    _ = try await ben.next("opened")
    try await bus.untilPlayers { $0 == [name] }
    try await desktop.untilPlayers { $0 == [name] }
    return (ana, ben, desktop)
  }

  private func get(_ property: String, on bus: SessionBus) -> [String] {
    [
      "busctl", "--address=\(bus.address)", "get-property", name, "/org/mpris/MediaPlayer2",
      "org.mpris.MediaPlayer2.Player", property,
    ]
  }

  @Test(
    "If Debian's mpv-mpris is installed there is still only one player, and other scripts run")
  func oneMPRISPlayer() async throws {
    try #require(
      FileManager.default.fileExists(atPath: "/etc/mpv/scripts/mpris.so"),
      "the package mpv-mpris is missing")
    let home = temporary.appendingPathComponent("config")
    let scripts = home.appendingPathComponent("mpv/scripts")
    let mark = temporary.appendingPathComponent("mark").path
    try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
    // The script is loaded after mpris.so would have been.
    try Data("io.open('\(mark)', 'w'):close()\n".utf8)
      .write(to: scripts.appendingPathComponent("z.lua"))
    let matinee = try MatineeProcess(
      // The tests otherwise leave mpv's configuration out.
      [film, "--mpv", "config=yes"],
      environment: [
        "DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_CACHE_HOME": cache.path,
        "TMPDIR": temporary.path, "XDG_CONFIG_HOME": home.path,
      ])
    _ = try await matinee.next("opened")
    try await bus.untilPlayers { $0.contains(name) }
    let deadline = ContinuousClock.now + .seconds(20)
    while !FileManager.default.fileExists(atPath: mark) {
      try #require(ContinuousClock.now < deadline, "the user's script wasn't loaded")
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await bus.run("playerctl", "-l") == "matinee")
    #expect(try await matinee.quit() == 0)
  }

  @Test(
    "A pause from one desktop pauses both players; a seek on one is signalled as Seeked on the other"
  )
  func together() async throws {
    let (ana, ben, desktop) = try await party()
    _ = try await bus.run("playerctl", "play")
    for one in [ana, ben] {
      _ = try await one.next("command") {
        $0.string("command") == "play" && $0.string("by") == "Ana"
      }
      _ = try await one.state { $0.flag("playerPaused") == false }
    }
    #expect(try await desktop.run("playerctl", "status") == "Playing")
    let watcher = try await desktop.watch()
    _ = try await bus.run("playerctl", "position", "60")
    try await watcher.untilSignal("member=Seeked", "int64 60")
    _ = try await ben.state { $0.number("playerPosition") ?? 0 >= 60 }
    _ = try await desktop.run("playerctl", "pause")
    for one in [ana, ben] {
      _ = try await one.next("command") {
        $0.string("command") == "pause" && $0.string("by") == "Ben"
      }
      _ = try await one.state { $0.flag("playerPaused") == true }
    }
    try await bus.until(["playerctl", "status"], is: { $0 == "Paused" })
    try await watcher.untilSignal("\"PlaybackStatus\"", "\"Paused\"")
    // Both desktops name the frame on which Ben's player is, once the group has agreed on it: a
    // pause is signalled once for the instant, and once more for the frame.
    var (frame, named) = ("", [""])
    try await MatineeProcess.wait("\(named), not \(frame)") {
      frame = String(format: "%.6f", try await ben.currentState().number("playerPosition") ?? -1)
      named = [
        try await desktop.run("playerctl", "position"), try await bus.run("playerctl", "position"),
      ]
      return named == [frame, frame]
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
    try await bus.untilPlayers(\.isEmpty)
  }

  @Test("The desktop shows the playlist as the track list, and can select and change tracks")
  func playlist() async throws {
    let player = try start([film, other])
    try await bus.untilPlayers { $0 == [name] }
    try await bus.until(["playerctl", "metadata", "title"], is: { $0 == "film" })
    #expect(try await bus.run(get("CanGoNext", on: bus)) == "b true")
    #expect(try await bus.run(get("CanGoPrevious", on: bus)) == "b false")
    let first = try await bus.run("playerctl", "metadata", "mpris:trackid")
    #expect(first.hasPrefix("'/matinee/track/"))
    _ = try await bus.run("playerctl", "next")
    try await bus.until(["playerctl", "metadata", "title"], is: { $0 == "other" })
    try await bus.until(get("CanGoNext", on: bus), is: { $0 == "b false" })
    let second = try await bus.run("playerctl", "metadata", "mpris:trackid")
    #expect(first != second)
    func call(_ arguments: String...) async throws {
      _ = try await bus.run(
        [
          "busctl", "--address=\(bus.address)", "call", name, "/org/mpris/MediaPlayer2",
          "org.mpris.MediaPlayer2.TrackList",
        ] + arguments)
    }
    let path = first.filter { $0 != "'" }
    try await call("AddTrack", "sob", URL(fileURLWithPath: film).absoluteString, path, "false")
    #expect(
      try await player.next("playlist") {
        ($0.fields["playlist"] as? [Any])?.count == 3
      }.name == "playlist")
    try await call("RemoveTrack", "o", path)
    _ = try await player.state {
      ($0.fields["playlist"] as? [[String: Any]])?.map { $0["title"] as? String }
        == ["film", "other"]
    }
    // A position past the end belongs to the next film, and there is none.
    _ = try await bus.run("playerctl", "position", "500+")
    #expect(try await bus.run("playerctl", "metadata", "title") == "other")
    _ = try await bus.run("playerctl", "open", "file:\(film)")
    try await bus.until(["playerctl", "metadata", "title"], is: { $0 == "film" })
    await #expect(throws: ChildProcess.Failure.self) {
      try await bus.run("playerctl", "open", "file:///no/such/film.mkv")
    }
    await #expect(throws: ChildProcess.Failure.self) {
      try await bus.run("playerctl", "open", "edl://\(film)")
    }
    _ = try await bus.run(
      "busctl", "--address=\(bus.address)", "call", name, "/org/mpris/MediaPlayer2",
      "org.mpris.MediaPlayer2", "Quit")
    #expect(try await player.exitCode() == 0)
  }

  @Test("A film has a picture of its own, which only this user can read")
  func artwork() async throws {
    let player = try start([film])
    let url = try await bus.until(
      ["playerctl", "metadata", "mpris:artUrl"], is: { $0.hasPrefix("file://") })
    let path = try #require(URL(string: url)?.path)
    #expect(path.hasPrefix(cache.path))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).starts(with: [0xff, 0xd8, 0xff]))
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(path) == 0o600)
    #expect(try mode((path as NSString).deletingLastPathComponent) == 0o700)
    #expect(try await player.quit() == 0)
    // The address isn't anywhere else either, even if there is no time to make the picture.
    let hasty = try start([other])
    try await bus.untilPlayers { $0 == [name] }
    #expect(try await hasty.quit() == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test("A stream's picture is a frame from the screen after ten seconds of playback")
  func streamArtwork() async throws {
    _ = try Clips.stream.get()
    let server = try await NginxServer(Clips.folder)
    let player = try start([server.url("stream.mp4")])
    try await bus.untilPlayers { $0 == [name] }
    _ = try await player.next("opened")
    try player.send("play")
    _ = try await player.state { $0.number("playerPosition") ?? 0 >= 8 }
    await #expect(throws: ChildProcess.Failure.self) {
      try await bus.run("playerctl", "metadata", "mpris:artUrl")
    }
    let url = try await bus.until(
      ["playerctl", "metadata", "mpris:artUrl"], is: { $0.hasPrefix("file://") })
    let picture = try Data(contentsOf: URL(fileURLWithPath: #require(URL(string: url)?.path)))
    #expect(picture.starts(with: [0xff, 0xd8, 0xff]))
    #expect(try await player.quit() == 0)
  }

  @Test("A song has its own title, its artist, and the cover that is in its file")
  func song() async throws {
    let cover = bus.directory.appendingPathComponent("cover.png").path
    let song = bus.directory.appendingPathComponent("song.mp3").path
    try Clips.ffmpeg(["-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1", cover])
    try Clips.ffmpeg([
      "-f", "lavfi", "-i", "sine=d=20", "-i", cover, "-map", "0", "-map", "1", "-c:v", "copy",
      "-id3v2_version", "3", "-disposition:v", "attached_pic", "-metadata", "title=Blue Danube",
      "-metadata", "artist=Johann Strauss", "-metadata", "album=Waltzes", song,
    ])
    let player = try start([song])
    let url = try await bus.until(
      ["playerctl", "metadata", "mpris:artUrl"], is: { $0.hasPrefix("file://") })
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: URL(string: url)!.path))
        == Data(contentsOf: URL(fileURLWithPath: cover)))
    #expect(
      try await bus.run("playerctl", "metadata", "--format", "{{artist}} {{title}} {{album}}")
        == "Johann Strauss Blue Danube Waltzes")
    #expect(try await player.quit() == 0)
  }

  @Test("The desktop can make mpv's window fill the screen, and sees its keys")
  func window() async throws {
    let display = try VirtualDisplay()
    let player = try start([film], display: display.name)
    try await bus.untilPlayers { $0 == [name] }
    let property = [
      name, "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2", "Fullscreen",
    ]
    let bus = "--address=\(self.bus.address)"
    try await self.bus.until(["busctl", bus, "get-property"] + property, is: { $0 == "b false" })
    for value in ["true", "false"] {
      _ = try await self.bus.run(["busctl", bus, "set-property"] + property + ["b", value])
      try await self.bus.until(
        ["busctl", bus, "get-property"] + property, is: { $0 == "b \(value)" })
    }
    try await self.bus.until(["playerctl", "status"], is: { $0 == "Playing" })
    try display.press("space", inWindow: "film")
    try await self.bus.until(["playerctl", "status"], is: { $0 == "Paused" })
    #expect(try await player.quit() == 0)
  }
}
