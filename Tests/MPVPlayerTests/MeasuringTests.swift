import PlaybackCoordination
import ProcessTesting
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  /// A comparison with plain mpv's own commands, sent at the instant in the same run, so that the machine and its load
  /// are the same for both.
  @Suite(
    "The player's precision on a line",
    .enabled(if: Measurement.isWanted, "only when MEASURE is set (make bench-player)"))
  struct Measuring {
    @Test(
      "A scheduled start lands on its line", arguments: [Clips.film, Clips.sound, Clips.silentFilm])
    func scheduledStart(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        var errors: [Double] = []
        var plain: [Double] = []
        for round in 0..<6 {
          let position = MediaTime(seconds: Double(round) * 2)
          let landed = await test.seek(to: position, buffering: true)
          #expect(landed == .completed(itemTime: position))
          let line = PlaybackLine(
            rate: 1, itemTime: position, hostTime: .now() + .milliseconds(300))
          #expect(await test.play(from: position, at: line.hostTime) == .completed(itemTime: nil))
          await test.sleep(.milliseconds(300))
          if let error = await test.error(against: line) { errors.append(error) }

          _ = await test.seek(to: position, buffering: true)
          let other = PlaybackLine(
            rate: 1, itemTime: position, hostTime: .now() + .milliseconds(300))
          try await test.plain(pause: false, at: other.hostTime)
          await test.sleep(.milliseconds(300))
          if let error = await test.error(against: other) { plain.append(error) }
        }
        #expect(errors.count == 6)
        compare("scheduled start, \(clip.name)", errors, plain)
      }
    }

    @Test("Joining late lands on the line", arguments: [Clips.film, Clips.sound, Clips.silentFilm])
    func lateJoin(clip: String) async throws {
      try await PlayerUnderTest.with(clip) { test in
        var errors: [Double] = []
        var later: [Double] = []
        var plain: [Double] = []
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

          _ = await test.seek(to: .zero)
          let other = PlaybackLine(
            rate: 1, itemTime: 1.0, hostTime: .now() - .milliseconds(1000 + 1700 * round))
          _ = await test.seek(to: other.itemTime(atHostTime: .now()))
          try await test.plain(pause: false, at: .now())
          await test.sleep(.milliseconds(1500))
          if let error = await test.error(against: other) { plain.append(error) }
        }
        report("late join, \(clip.name)", errors)
        compare("late join, 1.5 s later, \(clip.name)", later, plain)
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
        var plain: [Double] = []
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
        for round in 0..<4 {
          // From the beginning, since the film is short.
          _ = await test.seek(to: .zero, buffering: true)
          try await test.player.resetSpeed(toRate: round % 2 == 0 ? 1 : rate)
          try await test.player.writePause(false)
          await test.sleep(.milliseconds(600))
          let here = try #require(await test.player.position())
          let change = HostTime.now() + .milliseconds(leadMilliseconds)
          let next = PlaybackLine(
            rate: round % 2 == 0 ? rate : 1, itemTime: here.itemTime(atHostTime: change),
            hostTime: change)
          await test.sleep(change - .now())
          try await test.player.resetSpeed(toRate: next.rate)
          await test.sleep(.milliseconds(2200))
          if let error = await test.error(against: next) { plain.append(error) }
        }
        report("rate change \(rate), lead \(leadMilliseconds) ms, 0.6 s later", errors)
        compare("rate change \(rate), lead \(leadMilliseconds) ms, 2.2 s later", later, plain)
      }
    }

    @Test("A speed adjustment moves the position by its share, and has no other effect")
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
      }
    }
  }
}

extension PlayerUnderTest {
  /// Returns the distance ahead of the line, in milliseconds.
  func error(against line: PlaybackLine) async -> Double? {
    await player.position().map { $0.syncError(against: line).inMilliseconds }
  }

  /// Behaves as a program without a plan: waits for the instant, then writes the property.
  func plain(pause: Bool, at instant: HostTime) async throws {
    await sleep(instant - .now())
    try await player.writePause(pause)
  }

  /// Lets playback continue for a measured time: the passing of time is the subject of the test.
  func sleep(_ duration: Duration) async {
    _ = await player.sleep(until: .now() + duration, serial: player.transportSerial)
  }
}

/// Prints both medians and their ratio. The player may be worse than plain mpv by no more than the rounding to a frame.
func compare(_ what: String, _ errors: [Double], _ plain: [Double]) {
  report(what, errors)
  report("  plain mpv", plain)
  let (ours, theirs) = (median(errors.map(abs)), median(plain.map(abs)))
  print("  ratio to plain mpv: \((ours / theirs * 100).rounded() / 100)")
  #expect(ours <= theirs + 2, "\(what)")
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
