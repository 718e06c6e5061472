import PlaybackCoordination
import ProcessTesting
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  @Suite("Late outputs") struct OutputLatency {
    /// Returns the distance of mpv's core ahead of the line, in milliseconds.
    private func core(_ test: PlayerUnderTest, _ line: PlaybackLine) async -> Double? {
      await test.player.corePosition().map { $0.syncError(against: line).inMilliseconds }
    }

    /// Returns the median of the differences between two players, in milliseconds: measured right after one another, so
    /// that a disturbance of the machine affects both.
    private func difference(
      _ early: PlayerUnderTest, _ late: PlayerUnderTest, _ line: PlaybackLine
    ) async throws -> Double {
      var differences: [Double] = []
      for _ in 0..<9 {
        let first = try #require(await core(early, line))
        let second = try #require(await core(late, line))
        differences.append(first - second)
        await early.sleep(.milliseconds(30))
      }
      report("difference", differences)
      return median(differences)
    }

    @Test(
      "On one line, the player whose output is 200 ms late is 200 ms ahead",
      .enabled(if: Measurement.isWanted, "only when MEASURE is set (make bench-player)"),
      arguments: [200, -150])
    func twoPlayers(milliseconds: Int) async throws {
      try await PlayerUnderTest.with(Clips.film) { plain in
        try await PlayerUnderTest.with(Clips.film) { late in
          await late.player.setOutputLatency(.milliseconds(milliseconds))
          for test in [plain, late] {
            #expect(await test.seek(to: 2.0, buffering: true) == .completed(itemTime: 2.0))
          }
          let line = PlaybackLine(rate: 1, itemTime: 2.0, hostTime: .now() + .milliseconds(700))
          async let first = plain.play(from: line.itemTime, at: line.hostTime)
          async let second = late.play(from: line.itemTime, at: line.hostTime)
          #expect(await [first, second] == [.completed(itemTime: nil), .completed(itemTime: nil)])
          await plain.sleep(.milliseconds(2500))
          let difference = try await difference(late, plain, line)
          #expect(abs(difference - Double(milliseconds)) < 3, "\(difference)")
          // Each player's own report: perceived on the line.
          for test in [plain, late] {
            #expect(abs(try #require(await test.error(against: line))) < 10)
          }
          // Both are paused at one frame: the frame of the participant who paused, as the coordinator commands it.
          for test in [plain, late] {
            _ = await test.pause()
            #expect(await test.seek(to: 6.0) == .completed(itemTime: 6.0))
            #expect(await test.player.position()?.itemTime == 6.0)
          }
        }
      }
    }

    @Test(
      "A change of speed is perceived at its instant",
      .enabled(if: Measurement.isWanted, "only when MEASURE is set (make bench-player)"))
    func rateChange() async throws {
      try await PlayerUnderTest.with(Clips.film) { plain in
        try await PlayerUnderTest.with(Clips.film) { late in
          await late.player.setOutputLatency(.milliseconds(200))
          let line = PlaybackLine(rate: 1, itemTime: 1.0, hostTime: .now() + .milliseconds(700))
          for test in [plain, late] { _ = await test.seek(to: 1.0, buffering: true) }
          for test in [plain, late] { _ = await test.play(from: line.itemTime, at: line.hostTime) }
          await plain.sleep(.milliseconds(1500))
          let instant = HostTime.now() + .milliseconds(600)
          let faster = PlaybackLine(
            rate: 1.5, itemTime: line.itemTime(atHostTime: instant), hostTime: instant)
          async let first = plain.play(from: faster.itemTime, at: instant, rate: 1.5)
          async let second = late.play(from: faster.itemTime, at: instant, rate: 1.5)
          #expect(await [first, second] == [.completed(itemTime: nil), .completed(itemTime: nil)])
          await plain.sleep(.milliseconds(2500))
          // 200 ms are 300 ms of the film by then.
          let difference = try await difference(late, plain, faster)
          #expect(abs(difference - 300) < 5, "\(difference)")
        }
      }
    }

    @Test(
      "A latency that is set while playing applies from the next play command on",
      .enabled(if: Measurement.isWanted, "only when MEASURE is set (make bench-player)"))
    func changed() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        _ = await test.seek(to: 1.0, buffering: true)
        let line = PlaybackLine(rate: 1, itemTime: 1.0, hostTime: .now() + .milliseconds(300))
        _ = await test.play(from: line.itemTime, at: line.hostTime)
        await test.sleep(.milliseconds(1500))
        let before = try #require(await core(test, line))
        await test.forgetEvents()
        await test.player.setOutputLatency(.milliseconds(60))
        _ = await test.play(from: line.itemTime, at: line.hostTime)
        await test.sleep(.milliseconds(2500))
        let after = try #require(await core(test, line))
        print("latency 0 → 60 ms: \(before) → \(after) ms ahead")
        #expect(abs(after - before - 60) < 6)
        // The player got there by catching up, not by a seek, which would pause it.
        #expect(await test.events().allSatisfy { $0 != .pausedChanged(true) })
      }
    }

    @Test("The end is reported when it is perceived, and not after a seek away from it")
    func end() async throws {
      try await PlayerUnderTest.with(Clips.film, at: 19.5) { test in
        await test.player.setOutputLatency(.milliseconds(800))
        try await test.player.set(MPVProperty.pause, .flag(false))
        #expect(await test.snapshot { $0.isAtEnd })
        let reached = HostTime.now()
        #expect(await test.player.position() == nil)
        #expect(
          await test.event { if case .ended(_, isEarly: false, _) = $0 { true } else { nil } }
            == true)
        let waited = HostTime.now() - reached
        // Not before the picture's end is perceived; a busy machine may take longer.
        #expect(waited > .milliseconds(600), "\(waited)")

        await test.forgetEvents()
        _ = await test.seek(to: 19.0)
        try await test.player.set(MPVProperty.pause, .flag(false))
        #expect(await test.snapshot { $0.isAtEnd })
        _ = await test.seek(to: 3.0)
        await test.sleep(.milliseconds(1200))
        #expect(await test.events().allSatisfy { if case .ended = $0 { false } else { true } })
      }
    }

    @Test("A latency beyond its range is clamped")
    func range() async throws {
      let test = try PlayerUnderTest()
      #expect(test.player.outputLatency == .zero)
      await test.player.setOutputLatency(.seconds(60))
      #expect(test.player.outputLatency == .seconds(10))
      await test.player.setOutputLatency(.seconds(-60))
      #expect(test.player.outputLatency == .seconds(-2))
      await test.shutDown()
    }

    @Test("The device is reported once there is sound, and again when another one is chosen")
    func device() async throws {
      let test = try PlayerUnderTest()
      #expect(await test.player.audioDevice == nil)
      try await test.player.load(Clips.film)
      let first = await test.event {
        if case .audioDeviceChanged(let device) = $0 { device } else { nil }
      }
      #expect(first == AudioDevice(key: "auto/null", name: nil))
      await test.forgetEvents()
      try await test.player.load(Clips.film)
      try await test.player.set(MPVProperty.audioDevice, .string("null/speaker"))
      let second = await test.event {
        if case .audioDeviceChanged(let device) = $0 { device } else { nil }
      }
      #expect(second?.key == "null/speaker")
      await test.shutDown()
    }
  }
}

@Suite("The identity of a sound device")
struct AudioDeviceTests {
  private let devices = [
    "auto": "Autoselect device", "pulse": "Default (pulseaudio)", "pulse/a": "Speakers",
    "pulse/b": "Headphones", "alsa/x": "Card", "pulsewidth/c": "Odd",
  ]

  @Test("A chosen device is known by its name")
  func chosen() {
    #expect(
      AudioDevice(choice: "pulse/b", output: "pulse", devices: devices)
        == AudioDevice(key: "pulse/b", name: "Headphones"))
    #expect(AudioDevice(choice: "alsa/gone", output: "alsa", devices: [:]).key == "alsa/gone")
  }

  @Test("mpv's choice is known by the only device of its output, or else by the output")
  func automatic() {
    for choice in ["auto", "", nil] {
      #expect(
        AudioDevice(choice: choice, output: "alsa", devices: devices)
          == AudioDevice(key: "alsa/x", name: "Card"))
      #expect(AudioDevice(choice: choice, output: "pulse", devices: devices).key == "auto/pulse")
      #expect(AudioDevice(choice: choice, output: "jack", devices: devices).key == "auto/jack")
    }
  }
}
