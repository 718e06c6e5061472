import Foundation
import PlaybackCoordination
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  @Suite("Events") struct Events {
    @Test(
      "At the end the player is paused at the last frame", arguments: [Clips.film, Clips.sound])
    func end(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        _ = await test.play(from: 19.6, at: .now())
        let isEarly = await test.event {
          if case .ended(_, let early, _) = $0 { early } else { nil }
        }
        #expect(isEarly == false)
        #expect(await test.player.snapshot().isAtEnd)
        // Playback can continue from there.
        #expect(await test.seek(to: 2.0) == .completed(itemTime: 2.0))
        #expect(await test.play(from: 2.0, at: .now()) == .completed(itemTime: nil))
        #expect(await test.snapshot { ($0.itemTime ?? .zero) > 2.1 && !$0.isAtEnd })
      }
    }

    @Test(
      "A start that is too late for the rest of the film reports its end, too",
      arguments: [Clips.film, Clips.silentFilm, Clips.sound])
    func lateForTheEnd(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        for round in 0..<3 {
          _ = await test.seek(to: 3.0)
          await test.forgetEvents()
          _ = await test.play(from: 19.6, at: .now() - .seconds(2))
          let isEarly = await test.event(within: 10) {
            if case .ended(_, let early, _) = $0 { early } else { nil }
          }
          #expect(isEarly == false, "round \(round)")
        }
      }
    }

    @Test("A truncated file ends early, and this is reported")
    func cutOff() async throws {
      try await PlayerUnderTest.with(Clips.cutOff) { test in
        _ = await test.play(from: 7.5, at: .now())
        let isEarly = await test.event {
          if case .ended(_, let early, _) = $0 { early } else { nil }
        }
        #expect(isEarly == true)
        let sought = await test.seek(to: 1.0)
        guard case .completed(let position?) = sought else {
          Issue.record("\(sought)")
          return
        }
        #expect(position >= 1.0 && position < 1.05)
      }
    }

    @Test("A start too late even for the promised end of a truncated file is its early end")
    func tooLateForCutOff() async throws {
      try await PlayerUnderTest.with(Clips.cutOff) { test in
        _ = await test.play(from: 19.6, at: .now() - .seconds(2))
        let isEarly = await test.event(within: 10) {
          if case .ended(_, let early, _) = $0 { early } else { nil }
        }
        #expect(isEarly == true)
      }
    }

    @Test("A start beyond the last frame of a truncated file is its end", arguments: [1.0, 8.0])
    func startBeyondCutOff(rate: Double) async throws {
      try await PlayerUnderTest.with(Clips.cutOff) { test in
        _ = await test.play(from: 16.0, at: .now() + .milliseconds(50), rate: rate)
        let isEarly = await test.event(within: 10) {
          if case .ended(_, let early, _) = $0 { early } else { nil }
        }
        #expect(isEarly == true)
      }
    }

    @Test("Without a sound card the film continues, and the loss is reported")
    func noSoundCard() async throws {
      // An output that exists and can't open: no server listens there.
      let options = [
        MPVConfiguration.Option(name: "ao", value: "pulse"),
        MPVConfiguration.Option(name: "pulse-host", value: "/nowhere/pulse"),
      ]
      try await PlayerUnderTest.with(Clips.sound, options: options) { test in
        #expect(await test.event { $0 == .audioDeviceLost ? true : nil } == true)
        let line = PlaybackLine(rate: 1, itemTime: .zero, hostTime: .now())
        #expect(
          await test.play(from: line.itemTime, at: line.hostTime) == .completed(itemTime: nil))
        #expect(await test.snapshot { ($0.itemTime ?? .zero) > 0.2 })
      }
    }

    @Test(
      "A window that can't open is reported, and the film continues without it",
      arguments: [Clips.film, Clips.silentFilm])
    func noWindow(clip: String) async throws {
      // No server listens there. The suite runs its tests one by one.
      let display = ProcessInfo.processInfo.environment["DISPLAY"]
      setenv("DISPLAY", ":64000", 1)
      defer { if let display { setenv("DISPLAY", display, 1) } else { unsetenv("DISPLAY") } }
      let options = [MPVConfiguration.Option(name: "vo", value: "x11")]
      try await PlayerUnderTest.with(clip, options: options) { test in
        let isReported = await test.event { if case .windowUnavailable = $0 { true } else { nil } }
        #expect(isReported == true)
        #expect(await test.play(from: 3.0, at: .now()) == .completed(itemTime: nil))
        #expect(await test.snapshot { ($0.itemTime ?? .zero) > 3.2 && $0.hasVideo })
      }
    }

    @Test("Local controls change their values, and the changes are reported")
    func localControls() async throws {
      try await PlayerUnderTest.with(Clips.tracks) { test in
        let player = test.player
        #expect(try await player.addVolume(-25) == 75)
        #expect(
          await test.event { event -> Bool? in
            event == .volumeChanged(volume: 75, isMuted: false) ? true : nil
          } == true)
        #expect(try await player.toggleMute())
        #expect(await test.snapshot { $0.isMuted })
        let audio = try await player.cycleAudioTrack()
        #expect(audio.track?.language == "deu" && audio.number == 2 && audio.count == 2)
        #expect(
          await test.snapshot {
            $0.tracks.contains { $0.kind == .audio && $0.isSelected && $0.language == "deu" }
          })
        #expect(try await player.toggleSubtitleVisibility() == false)
        #expect(await test.snapshot { !$0.areSubtitlesVisible })
        // All of them and no subtitles, in either direction.
        let count = await player.snapshot().tracks.count { $0.kind == .subtitles }
        let first = try await player.cycleSubtitleTrack()
        #expect(first.count == count)
        var numbers = [first.number]
        for _ in 0..<count { numbers.append(try await player.cycleSubtitleTrack(by: -1).number) }
        #expect(Set(numbers) == Set(0...count))
      }
    }

    @Test("With a single audio track, choosing the next one doesn't turn the sound off")
    func onlyAudioTrack() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        for _ in 0..<3 {
          let choice = try await test.player.cycleAudioTrack()
          #expect(choice.number == 1 && choice.count == 1)
        }
        #expect(
          await test.snapshot { $0.tracks.contains { $0.kind == .audio && $0.isSelected } })
        #expect(try await test.player.get("aid").value.integer == 1)
      }
    }

    @Test("Shutting down ends the events, and all waiting calls")
    func shutDown() async throws {
      let test = try await PlayerUnderTest(Clips.film)
      async let start = test.play(from: 5.0, at: .now() + .seconds(3600))
      #expect(await test.snapshot { $0.itemTime == 5.0 })
      await test.shutDown()
      #expect(await start != .completed(itemTime: nil))
      let events = await test.events()
      #expect(events.last == .shutdown)
      #expect(!events.contains(.userQuit))
      // A second call has no effect.
      await test.shutDown()
    }

    @Test("A player that is released releases its core")
    func released() async throws {
      var player: MPVPlayer? = try MPVPlayer(
        configuration: MPVConfiguration(
          video: .none, noConfig: true,
          options: [MPVConfiguration.Option(name: "ao", value: "null")]))
      try await player?.load(Clips.film)
      let handle = try #require(player?.handle)
      player = nil
      await handle.destroyed.certainValue()
    }
  }
}
