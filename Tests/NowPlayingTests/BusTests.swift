import Foundation
import NowPlaying
import ProcessTesting
import Testing
import Timekeeping

/// A real bus, and common desktop programs that read from it.
@Suite("On a real bus", .serialized)
struct BusTests {
  let bus: SessionBus
  let name = "org.mpris.MediaPlayer2.example"

  init() async throws { bus = try await SessionBus() }

  private func application(_ name: String = "example") -> NowPlayingApplication {
    NowPlayingApplication(
      .init(
        name: name, identity: "Example", desktopEntry: "example", urlSchemes: ["file", "https"],
        mediaTypes: ["video/mp4"]), busAddress: bus.address)
  }

  private func started(
    _ state: NowPlayingState = .example()
  ) async throws -> (NowPlayingApplication, NowPlayingSession, ExamplePlayer) {
    let application = application()
    let player = ExamplePlayer(state)
    let session = NowPlayingSession(players: [player], in: application)
    player.obey(session.remoteCommandCenter)
    try await bus.untilPlayers { $0 == [name] }
    return (application, session, player)
  }

  private func playerctl(_ arguments: String...) async throws -> String {
    try await bus.run(["playerctl", "-p", "example"] + arguments)
  }

  @Test("playerctl reads and commands the player, and sees a command's result at once")
  func playerctl() async throws {
    let (application, _, player) = try await started()
    #expect(try await bus.run("playerctl", "--list-all") == "example")
    #expect(try await playerctl("status") == "Playing")
    #expect(try await playerctl("metadata", "title") == "Title of orbits")
    #expect(try await playerctl("metadata", "artist") == "Ana, Ben")
    #expect(try await playerctl("metadata", "mpris:length") == "100000000")
    for _ in 0..<5 {
      _ = try await playerctl("pause")
      #expect(try await playerctl("status") == "Paused")
      _ = try await playerctl("play-pause")
      #expect(try await playerctl("status") == "Playing")
    }
    _ = try await playerctl("pause")
    _ = try await playerctl("position", "42")
    #expect(try await playerctl("position") == "42.000000")
    _ = try await playerctl("position", "5-")
    #expect(try await playerctl("position") == "37.000000")
    _ = try await playerctl("volume", "0.25")
    #expect(try await playerctl("volume") == "0.250000")
    _ = try await playerctl("next")
    #expect(player.asked.suffix(4) == ["position 42.0", "position 37.0", "volume 0.25", "next"])
    await application.invalidate()
    try await bus.untilPlayers(\.isEmpty)
  }

  @Test("playerctl doesn't use disabled commands")
  func permissions() async throws {
    let (application, session, player) = try await started()
    let center = session.remoteCommandCenter
    center.pauseCommand.isEnabled = false
    center.changePlaybackPositionCommand.isEnabled = false
    _ = try await bus.until(
      ["busctl", "--address=\(bus.address)", "get-property", name] + Self.object + ["CanPause"],
      is: { $0 == "b false" })
    await #expect(throws: ChildProcess.Failure.self) { try await playerctl("pause") }
    await #expect(throws: ChildProcess.Failure.self) { try await playerctl("position", "10") }
    #expect(player.asked.isEmpty)
    await application.invalidate()
  }

  private static let object = ["/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player"]

  @Test("busctl and gdbus introspect the player, read all its properties, and get its errors")
  func introspection() async throws {
    let (application, _, player) = try await started()
    let tree = try await bus.run("busctl", "--address=\(bus.address)", "tree", "--list", name)
    #expect(tree.split(separator: "\n").last == "/org/mpris/MediaPlayer2")
    let all = try await bus.run(
      "busctl", "--address=\(bus.address)", "introspect", name, "/org/mpris/MediaPlayer2")
    for part in [
      ".PlaybackStatus", ".Metadata", ".GetTracksMetadata", ".Introspect", ".PropertiesChanged",
      ".Ping",
    ] {
      #expect(all.contains(part), "\(part)")
    }
    let values = try await bus.run(
      "gdbus", "call", "--address", bus.address, "--dest", name, "--object-path",
      "/org/mpris/MediaPlayer2", "--method", "org.freedesktop.DBus.Properties.GetAll",
      "org.mpris.MediaPlayer2.Player")
    #expect(values.contains("'xesam:artist': <['Ana', 'Ben']>"))
    #expect(values.contains("'mpris:trackid': <objectpath '/example/track/orbits'>"))
    #expect(values.contains("'mpris:length': <int64 100000000>"))
    do {
      _ = try await playerctl("stop")
      Issue.record("a command that fails is no success")
    } catch {
      #expect("\(error)".contains("the command failed"))
    }
    #expect(player.asked == ["stop"])
    await application.invalidate()
  }

  @Test("KDE's and GNOME's rules hold for all data on the bus")
  func readersRules() async throws {
    let (application, _, _) = try await started()
    func all(_ interface: String) async throws -> [String: (type: String, value: Any)] {
      let text = try await bus.run(
        "busctl", "--address=\(bus.address)", "--json=short", "call", name,
        "/org/mpris/MediaPlayer2", "org.freedesktop.DBus.Properties", "GetAll", "s", interface)
      let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect(answer?["type"] as? String == "a{sv}")
      return typed((answer?["data"] as? [Any])?.first)
    }
    func typed(_ value: Any?) -> [String: (type: String, value: Any)] {
      (value as? [String: [String: Any]] ?? [:]).compactMapValues { field in
        guard let type = field["type"] as? String, let data = field["data"] else { return nil }
        return (type, data)
      }
    }
    // KDE: if either call fails, or the identity is empty, the player isn't shown.
    let root = try await all("org.mpris.MediaPlayer2")
    let player = try await all("org.mpris.MediaPlayer2.Player")
    #expect(root["Identity"]?.value as? String == "Example")
    for (name, type) in [
      "CanQuit": "b", "CanRaise": "b", "HasTrackList": "b", "DesktopEntry": "s",
      "SupportedUriSchemes": "as", "SupportedMimeTypes": "as",
    ] {
      #expect(root[name]?.type == type, "\(name)")
    }
    for (name, type) in [
      "PlaybackStatus": "s", "Rate": "d", "MinimumRate": "d", "MaximumRate": "d", "Volume": "d",
      "Position": "x", "Metadata": "a{sv}", "CanGoNext": "b", "CanGoPrevious": "b",
      "CanPlay": "b", "CanPause": "b", "CanSeek": "b", "CanControl": "b",
    ] {
      #expect(player[name]?.type == type, "\(name)")
    }
    // GNOME: shown if it can play; artists are a list, the other values are texts.
    #expect(player["CanPlay"]?.value as? Bool == true)
    let metadata = typed(player["Metadata"]?.value)
    for (name, type) in [
      "mpris:trackid": "o", "mpris:length": "x", "xesam:title": "s", "xesam:artist": "as",
    ] {
      #expect(metadata[name]?.type == type, "\(name)")
    }
    let track = metadata["mpris:trackid"]?.value as? String
    #expect(track?.hasPrefix("/org/mpris") == false)
    let rates = ["MinimumRate", "Rate", "MaximumRate"].compactMap {
      (player[$0]?.value as? NSNumber)?.doubleValue
    }
    #expect(rates.count == 3 && rates == rates.sorted() && rates[0] <= 1 && rates[2] >= 1)
    await application.invalidate()
  }

  @Test("Steady playback causes no signal; each change causes one")
  func silence() async throws {
    let (application, _, player) = try await started()
    let watcher = try await bus.watch()
    // Elements of the stream without a change.
    for _ in 0..<50 { player.change { _ in } }
    #expect(try await playerctl("status") == "Playing")
    #expect(try await watcher.signals().isEmpty)
    _ = try await playerctl("pause")
    _ = try await playerctl("position", "50")
    let signals = try await watcher.signals()
    #expect(signals.count == 2, "\(signals)")
    #expect(signals.first?.contains("\"PlaybackStatus\"") == true)
    #expect(signals.first?.contains("Position") == false)
    #expect(signals.last?.contains("int64 50000000") == true)
    await application.invalidate()
  }

  @Test(
    "Further instances have names of their own, and the plain name is free again after the first")
  func instances() async throws {
    let (first, _, _) = try await started()
    let (second, player) = (application(), ExamplePlayer(.example("second")))
    let session = NowPlayingSession(players: [player], in: second)
    let instance = "\(name).instance\(ProcessInfo.processInfo.processIdentifier)"
    try await bus.untilPlayers { $0 == [name, instance] }
    let third = application()
    _ = NowPlayingSession(players: [player], in: third)
    try await bus.untilPlayers { $0.count == 3 }
    await third.invalidate()
    #expect(
      try await bus.until(
        ["playerctl", "--list-all"], is: { $0.split(separator: "\n").count == 2 }
      )
      .contains("example.instance"))
    await first.invalidate()
    try await bus.untilPlayers { $0 == [instance] }
    #expect(await session.isActive)
    await second.invalidate()
    try await bus.untilPlayers(\.isEmpty)
  }

  @Test("One of several sessions is active; another can be made active, also by its end")
  func sessions() async throws {
    let (application, film, _) = try await started()
    let inset = ExamplePlayer(nil)
    let picture = NowPlayingSession(players: [inset], in: application)
    inset.obey(picture.remoteCommandCenter)
    #expect(await picture.canBecomeActive == false)
    #expect(await picture.becomeActiveIfPossible() == false)
    inset.set(.example("inset", .paused))
    #expect(await picture.becomeActiveIfPossible())
    #expect(await picture.isActive)
    #expect(await film.isActive == false)
    #expect(try await playerctl("metadata", "title") == "Title of inset")
    #expect(try await playerctl("status") == "Paused")
    await picture.invalidate()
    #expect(await film.isActive)
    #expect(try await playerctl("status") == "Playing")
    await application.invalidate()
  }

  @Test("Information that is set explicitly is published instead of the players' state")
  func manual() async throws {
    let (application, session, _) = try await started()
    session.automaticallyPublishesNowPlayingInfo = false
    session.publish(.example("manual", .paused, at: 30))
    try await bus.until(["playerctl", "-p", "example", "position"], is: { $0 == "30.000000" })
    #expect(try await playerctl("metadata", "title") == "Title of manual")
    await application.invalidate()
  }

  @Test("When a bus dies, the player takes its name again on the next one")
  func death() async throws {
    let (application, _, player) = try await started()
    bus.kill9()
    player.change { $0.status = .paused }
    let next = try await SessionBus(in: bus.directory)
    try await next.untilPlayers { $0 == [name] }
    #expect(try await next.run("playerctl", "status") == "Paused")
    await application.invalidate()
    try await next.untilPlayers(\.isEmpty)
  }

  @Test("Without a bus nothing happens, and nothing fails")
  func noBus() async throws {
    let application = NowPlayingApplication(
      .init(name: "example", identity: "Example"), busAddress: "unix:path=/nowhere/at/all")
    let player = ExamplePlayer(.example())
    let session = NowPlayingSession(players: [player], in: application)
    player.obey(session.remoteCommandCenter)
    #expect(await session.becomeActiveIfPossible())
    player.change { $0.status = .paused }
    #expect(await session.isActive)
    await application.invalidate()
  }

  @Test("The player continues whatever messages it gets")
  func hostile() async throws {
    let (application, _, player) = try await started()
    let arguments = [
      ["Seek", "s", "x"], ["Seek", "xx", "1", "2"], ["SetPosition", "ox", "/", "5"],
      ["OpenUri", "s", "edl://x"], ["Nothing"], ["Seek", "x", "9223372036854775807"],
      ["Play", "a{sv}", "1", "k", "s", "v"], ["Play", "(ii)", "1", "2"],
      ["Play", "aas", "1", "1", "x"], ["Play", "v", "v", "s", "x"],
    ]
    for argument in arguments {
      let call = ["busctl", "--address=\(bus.address)", "call", name] + Self.object + argument
      _ = try? await bus.run(call)
    }
    #expect(try await playerctl("status") == "Playing")
    // A position past the end is a request for the next track.
    #expect(player.asked == ["next"])
    await application.invalidate()
  }
}
