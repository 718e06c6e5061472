import MPVPlayer
import PlaybackCoordination
import Screening
import Testing
import Timekeeping

@testable import MatineeKit

@Suite("The adapter of the player")
@ScreeningActor
struct PlayerAdapterTests {
  private func with(
    _ body: @ScreeningActor (PlayerAdapter, AdapterStage) async throws -> Void
  ) async throws {
    try await AdapterStage.run { stage in
      let latency = LatencyMemory(
        offset: nil, file: nil, player: stage.player, runner: stage.runner, events: stage.events)
      try await body(
        PlayerAdapter(
          player: stage.player, latency: latency, runner: stage.runner, events: stage.events),
        stage)
      latency.close()
    }
  }

  private func notice(_ adapter: PlayerAdapter, _ order: PlayerOrder) async throws -> String? {
    guard case .notice(let text) = try await adapter.perform(order).command else { return nil }
    return text
  }

  @Test("The facts are those of the film in the player")
  func facts() async throws {
    try await with { adapter, stage in
      let empty = await adapter.facts()
      #expect(!empty.isLoaded && empty.canSeek && empty.duration == nil)
      try await stage.open(try SilentFilm.make(seconds: 60))
      let shown = await adapter.facts()
      #expect(shown.isLoaded && shown.canSeek && !shown.isAtEnd && !shown.isStalled)
      #expect(shown.duration == MediaTime(seconds: 60))
      #expect(try #require(shown.itemTime).seconds.magnitude < 0.001)
      #expect(shown.picture == .none && shown.earliest == nil)
    }
  }

  @Test("A change of the volume is answered with the volume")
  func volume() async throws {
    try await with { adapter, stage async throws in
      #expect(try await notice(adapter, .setVolume(40)) == "Volume 40 %")
      #expect(try await notice(adapter, .changeVolume(by: -15)) == "Volume 25 %")
      #expect(try await notice(adapter, .toggleMute) == nil)
      await eventually { await stage.player.snapshot().isMuted }
      #expect(try await notice(adapter, .changeVolume(by: 5)) == "Volume 30 % (muted)")
    }
  }

  @Test("Tracks are named, or missed")
  func tracks() async throws {
    try await with { adapter, stage in
      try await stage.open(try SilentFilm.make())
      #expect(try await notice(adapter, .cycleAudio) == "Only one audio track")
      #expect(try await notice(adapter, .cycleSubtitles(by: 1)) == "No subtitles")
      #expect(try await notice(adapter, .toggleSubtitles)?.hasPrefix("No subtitles sel") == true)
    }
  }

  @Test("A command of mpv's is answered with its text, and a failure with a sentence")
  func commands() async throws {
    try await with { adapter, _ async throws in
      let delay = PlayerCommand.add("sub-delay", "+0.1")
      #expect(try await notice(adapter, .perform(delay)) == "Subtitle delay: 100 ms")
      let unknown = PlayerCommand(["no-such-command"], feedback: .none)
      let problem = await #expect(throws: PlayerCommandProblem.self) {
        try await adapter.perform(.perform(unknown))
      }
      #expect(problem?.description == "mpv can't do “no-such-command” now.")
      let noPicture = await #expect(throws: PlayerCommandProblem.self) {
        try await adapter.perform(.perform(.screenshot))
      }
      #expect(noPicture?.description.contains("Open a film") == true)
    }
  }

  @Test("The latency and the location of the picture are set and reported")
  func reported() async throws {
    try await with { adapter, stage in
      let events = stage.events.follow(atMost: 8)
      _ = try await adapter.perform(.setLatencyOffset(.milliseconds(180)))
      _ = try await adapter.perform(.changeLatencyOffset(by: -2))
      #expect(stage.player.outputLatency == .milliseconds(160))
      _ = try await adapter.perform(.show(.none, isClosed: true))
      stage.events.finish()
      var all: [ScreeningEvent] = []
      for await event in events { all.append(event) }
      #expect(
        all.suffix(2)
          == [.latencyOffset(.milliseconds(160), device: nil), .video(.none, isClosed: true)])
    }
  }
}
