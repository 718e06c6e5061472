import NowPlaying
import ProcessTesting
import Testing

@Suite("The article's example")
struct PublishNowPlayingTests {
  @Test("The music box is shown on the bus, and can be commanded")
  func runs() async throws {
    let bus = try await SessionBus()
    let box = MusicBox()
    let (application, session) = show(box, busAddress: bus.address)
    try await bus.untilPlayers { $0 == ["org.mpris.MediaPlayer2.musicbox"] }
    #expect(await session.isActive)
    #expect(
      try await bus.run("playerctl", "metadata", "--format", "{{artist}}: {{title}}")
        == "Johannes Brahms: Lullaby")
    _ = try await bus.run("playerctl", "position", "20")
    _ = try await bus.run("playerctl", "position", "5+")
    #expect(try await bus.run("playerctl", "position") == "25.000000")
    _ = try await bus.run("playerctl", "play")
    #expect(try await bus.run("playerctl", "status") == "Playing")
    _ = try await bus.run("playerctl", "play-pause")
    #expect(try await bus.run("playerctl", "status") == "Paused")
    // Without a handler there is no such button.
    await #expect(throws: ChildProcess.Failure.self) { try await bus.run("playerctl", "previous") }
    // Next skips, since there are no tracks.
    _ = try await bus.run("playerctl", "position", "20")
    _ = try await bus.run("playerctl", "next")
    #expect(try await bus.run("playerctl", "position") == "30.000000")
    await application.invalidate()
    try await bus.untilPlayers(\.isEmpty)
  }
}
