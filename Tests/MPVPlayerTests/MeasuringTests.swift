import PlaybackCoordination
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  /// Asserts loosely, because the machine may be loaded; prints what it measured.
  @Suite("How exactly the player keeps to a line") struct Measuring {
    @Test(
      "A scheduled start lands on its line", arguments: [Clips.film, Clips.sound, Clips.silentFilm])
    func scheduledStart(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        var errors: [Double] = []
        for round in 0..<6 {
          let place = MediaTime(seconds: Double(round) * 2)
          let landed = await test.seek(to: place, buffering: true)
          #expect(landed == .completed(itemTime: place))
          let line = PlaybackLine(rate: 1, itemTime: place, hostTime: .now() + .milliseconds(300))
          #expect(await test.play(from: place, at: line.hostTime) == .completed(itemTime: nil))
          await test.sleep(.milliseconds(300))
          if let error = await test.error(against: line) { errors.append(error) }
        }
        report("scheduled start, \(clip.name)", errors)
        #expect(errors.count == 6)
        #expect(median(errors.map(abs)) < 80)
      }
    }

    @Test("Joining late lands on the line", arguments: [Clips.film, Clips.sound, Clips.silentFilm])
    func lateJoin(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        var errors: [Double] = []
        var later: [Double] = []
        for round in 0..<6 {
          _ = await test.seek(to: .zero)
          let line = PlaybackLine(
            rate: 1, itemTime: 1.0, hostTime: .now() - .milliseconds(1000 + 1700 * round))
          let begin = HostTime.now()
          #expect(
            await test.play(from: line.itemTime, at: line.hostTime) == .completed(itemTime: nil))
          print("  late join took", (HostTime.now() - begin).inMilliseconds, "ms")
          await test.sleep(.milliseconds(100))
          if let error = await test.error(against: line) { errors.append(error) }
          await test.sleep(.milliseconds(1400))
          if let error = await test.error(against: line) { later.append(error) }
        }
        report("late join, \(clip.name)", errors)
        report("late join, 1.5 s later, \(clip.name)", later)
        #expect(median(later.map(abs)) < 80)
      }
    }

    @Test("A rate change lands on its line", arguments: [500, 50], [1.5, 1.1])
    func rateChange(leadMilliseconds: Int, rate: Double) async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        let line = PlaybackLine(rate: 1, itemTime: .zero, hostTime: .now() + .milliseconds(200))
        _ = await test.play(from: line.itemTime, at: line.hostTime)
        await test.sleep(.milliseconds(600))
        var errors: [Double] = []
        var later: [Double] = []
        var last = line
        for round in 0..<4 {
          let change = HostTime.now() + .milliseconds(leadMilliseconds)
          let next = PlaybackLine(
            rate: round % 2 == 0 ? rate : 1, itemTime: last.itemTime(atHostTime: change),
            hostTime: change)
          #expect(
            await test.play(from: next.itemTime, at: next.hostTime, rate: next.rate)
              == .completed(itemTime: nil))
          await test.sleep(.milliseconds(600))
          if let error = await test.error(against: next) { errors.append(error) }
          await test.sleep(.milliseconds(1600))
          if let error = await test.error(against: next) { later.append(error) }
          last = next
        }
        report("rate change \(rate), lead \(leadMilliseconds) ms, 0.6 s later", errors)
        report("rate change \(rate), lead \(leadMilliseconds) ms, 2.2 s later", later)
        #expect(median(later.map(abs)) < 80)
      }
    }

    @Test("A nudge moves the position by its share, and nothing else")
    func nudge() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        let line = PlaybackLine(rate: 1, itemTime: .zero, hostTime: .now() + .milliseconds(100))
        _ = await test.play(from: line.itemTime, at: line.hostTime)
        await test.sleep(.milliseconds(600))
        let before = try #require(await test.error(against: line))
        try await test.player.setNudge(1.02)
        let soon = try #require(await test.error(against: line))
        await test.sleep(.milliseconds(1000))
        try await test.player.setNudge(1)
        await test.sleep(.milliseconds(600))
        let after = try #require(await test.error(against: line))
        print("nudge of 1.02 for 1 s: \(before) ms, just after \(soon) ms, in the end \(after) ms")
        #expect(abs(after - before - 20) < 15)
        #expect(await test.player.snapshot().rate == 1)
        #expect(
          await test.events().allSatisfy {
            if case .userChangedRate = $0 { false } else { true }
          })
      }
    }
  }
}

extension PlayerUnderTest {
  /// Milliseconds ahead of the line.
  func error(against line: PlaybackLine) async -> Double? {
    await player.position().map { $0.syncError(against: line).inMilliseconds }
  }

  /// Lets playback go on for a measured time: the passing of time is what is tested.
  func sleep(_ duration: Duration) async {
    _ = await player.sleep(until: .now() + duration, serial: player.transportSerial)
  }
}

func report(_ what: String, _ values: [Double]) {
  let texts = values.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: " ")
  print(
    "\(what): median |error| \((median(values.map(abs)) * 100).rounded() / 100) ms of [\(texts)]")
}

func median(_ values: [Double]) -> Double {
  values.isEmpty ? .infinity : values.sorted()[values.count / 2]
}

extension String {
  var name: Substring { self[index(after: lastIndex(of: "/") ?? startIndex)...] }
}
