import PlaybackCoordination
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  @Suite("Sound without a picture at its position, or with one that lasts") struct SoundAlone {
    private static let nearness = Duration.milliseconds(60)

    /// Waits until the player plays and its start is corrected, and returns its distance from the line. A late start on a
    /// slow machine is made up for; a wrong one stays as far off as it is.
    private func distance(
      _ test: PlayerUnderTest, from line: PlaybackLine
    ) async throws -> Duration {
      var distance = Duration.zero
      for _ in 0..<100 {
        #expect(await test.snapshot { !$0.isPaused && !$0.isSettling })
        distance = try #require(await test.player.position()).syncError(against: line)
        if distance.magnitude < Self.nearness { break }
        try await Task.sleep(for: .milliseconds(50))
      }
      return distance
    }

    private func foreignChanges(_ test: PlayerUnderTest) async -> [PlayerEvent] {
      await test.events().filter {
        switch $0 {
        case .userPaused, .userResumed, .userSought, .userChangedRate: true
        default: false
        }
      }
    }

    @Test(
      "A seek ends exactly at its target, and playback begins there on the line",
      arguments: [Clips.still, Clips.shortPicture])
    func seeks(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        for seconds in [8.3, 12.0, 9.7] {
          let target = MediaTime(seconds: seconds)
          let sought = await test.seek(to: target, buffering: true)
          #expect(sought == .completed(itemTime: target))
          let line = PlaybackLine(
            rate: 1, itemTime: target, hostTime: .now() + .milliseconds(200))
          #expect(
            await test.play(from: target, at: line.hostTime) == .completed(itemTime: nil))
          // A wrong beginning is 170 ms off; a slow machine starts late, and is corrected.
          let distance = try await self.distance(test, from: line)
          #expect(distance.magnitude < Self.nearness)
          _ = await test.pause()
        }
        let foreign = await foreignChanges(test)
        #expect(foreign == [])
      }
    }

    @Test(
      "A change of speed right before a seek moves nobody",
      arguments: [Clips.still, Clips.shortPicture, Clips.sound, Clips.film])
    func rateAndSeek(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        for seconds in [12.0, 15.5] {
          _ = await test.seek(to: 8.0, buffering: true)
          _ = await test.play(from: 8.0, at: .now(), rate: 1.5)
          #expect(await test.snapshot { ($0.itemTime ?? .zero) > 8.3 })
          let before = await test.player.transportSerial
          async let changed = test.play(from: 9.0, at: .now() + .milliseconds(500))
          while await test.player.transportSerial == before { await Task.yield() }
          let target = MediaTime(seconds: seconds)
          let result = await test.seek(to: target, buffering: true)
          _ = await changed
          guard case .completed(let landed?) = result else {
            Issue.record("\(result)")
            return
          }
          #expect((landed - target).magnitude <= .milliseconds(40))
          await test.settleDown()
        }
        let foreign = await foreignChanges(test)
        #expect(foreign == [])
      }
    }

    @Test(
      "A seek to the end, where mpv goes to the last picture on its own, moves nobody",
      arguments: [Clips.still, Clips.shortPicture])
    func end(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        for _ in 0..<3 {
          await test.forgetEvents()
          _ = await test.play(from: 19.0, at: .now())
          let end = await test.event { if case .ended(let at, _, _) = $0 { at } else { nil } }
          let position = try #require(end)
          _ = await test.seek(to: position)
          // mpv goes there after the seek's end.
          await test.sleep(.milliseconds(200))
          let foreign = await foreignChanges(test)
          #expect(foreign == [])
          // The sound's last tenths may already have been handed to the output.
          #expect((await test.player.snapshot().itemTime ?? .zero) > position - .seconds(1))
        }
      }
    }

    @Test("The sound of a recording of slides begins with the first one")
    func beginning() async throws {
      try await PlayerUnderTest.with(Clips.slides) { test in
        _ = await test.seek(to: .zero, buffering: true)
        let line = PlaybackLine(rate: 1, itemTime: .zero, hostTime: .now() + .milliseconds(200))
        #expect(await test.play(from: .zero, at: line.hostTime) == .completed(itemTime: nil))
        let distance = try await self.distance(test, from: line)
        #expect(distance.magnitude < Self.nearness)
      }
    }

    @Test("A pause while a picture lasts stays at the sound, and playback continues there")
    func pauses() async throws {
      try await PlayerUnderTest.with(Clips.slides) { test in
        guard case .completed(let first?) = await test.seek(to: 3.0, buffering: true) else {
          Issue.record("no next picture")
          return
        }
        await test.settleDown()
        await test.forgetEvents()
        let played = await test.play(from: first, at: .now() + .milliseconds(500))
        #expect(played == .completed(itemTime: nil), "from \(first)")
        #expect(await test.snapshot { !$0.isPaused && ($0.itemTime ?? .zero) > 6.0 })
        guard case .completed(let position?) = await test.pause() else {
          Issue.record("no position")
          return
        }
        #expect(position > 5.9)
        // Another participant may have paused a little earlier.
        for target in [position, position - .milliseconds(30)] {
          let sought = await test.seek(to: target, buffering: true)
          #expect(sought == .completed(itemTime: target))
        }
        let line = PlaybackLine(
          rate: 1, itemTime: position, hostTime: .now() + .milliseconds(300))
        #expect(await test.play(from: position, at: line.hostTime) == .completed(itemTime: nil))
        let distance = try await self.distance(test, from: line)
        #expect(distance.magnitude < Self.nearness)
        let foreign = await foreignChanges(test)
        #expect(foreign == [])
      }
    }
  }
}
