import Foundation
import PlaybackCoordination
import ProcessTesting
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  /// Real players with real controllers, combined as in the program, against the line of a group whose clock is faster
  /// than theirs. Another program measures the results.
  @Suite(
    "Following a group's line",
    .enabled(if: Measurement.isWanted, "only when MEASURE is set (make bench-player)"))
  struct DriftLoops {
    /// The drift of the group's clock against this machine's: more than the difference of two crystals.
    static let clockRate = 150e-6
    /// The players' initial distance from the line.
    static let beginning = Duration.milliseconds(15)
    static let settling = Duration.seconds(8)
    static let measuring = Duration.seconds(4)

    struct Case: Sendable {
      var name: String
      var clip: String
      var rate = 1.0
      var hasSound: Bool
    }

    @Test(
      "Players with and without sound, at all frame rates and speeds, reach the line and stay on it"
    )
    func all() async throws {
      var cases = [
        Case(name: "25 fps with sound", clip: Clips.longSound, hasSound: true),
        Case(name: "sound only", clip: Clips.sound, hasSound: true),
      ]
      for rate in [0.8, 1.25, 2] {
        cases.append(
          Case(name: "with sound, \(rate)×", clip: Clips.longSound, rate: rate, hasSound: true))
      }
      for (rate, clip) in Clips.silent {
        cases.append(Case(name: "silent, \(rate) fps", clip: clip, hasSound: false))
      }
      cases += [
        Case(name: "variable, one", clip: Clips.variable, hasSound: false),
        Case(name: "variable, two", clip: Clips.variable, hasSound: false),
        Case(name: "variable, 1.25×", clip: Clips.variable, rate: 1.25, hasSound: false),
      ]
      let line = GroupLine(at: .now() + .seconds(1))
      let results = try await withThrowingTaskGroup(of: (Case, DriftResult).self) { group in
        for test in cases {
          group.addTask { (test, try await DriftLoop.run(test, along: line)) }
        }
        var results: [(Case, DriftResult)] = []
        for try await result in group { results.append(result) }
        return results.sorted { $0.0.name < $1.0.name }
      }
      for (test, result) in results {
        print("  \(test.name): \(result)")
        // A third of a frame at 30 frames per second; the time of a shown frame is exact to a refresh at best.
        let limit = test.hasSound ? 3.0 : 12
        #expect(result.errors.count >= 10, "\(test.name)")
        #expect(median(result.errors.map(abs)) <= limit, "\(test.name)")
        #expect(result.nudges.count >= 4, "\(test.name)")
        #expect(result.nudges.allSatisfy { abs($0 - 1) <= 0.0091 }, "\(test.name): audible")
        // With a controller that trusted single frames this was up to 0.014.
        let most = test.hasSound ? 0.001 : 0.004
        #expect(result.spread <= most && result.turns <= 3, "\(test.name): swings")
        #expect(result.seeks == 0, "\(test.name)")
        #expect(result.rate == test.rate, "\(test.name)")
        #expect(result.foreign == [], "\(test.name)")
      }
      let pair = results.filter { $0.0.name.hasPrefix("variable, ") && $0.0.rate == 1 }
      let apart = zip(pair[0].1.errors, pair[1].1.errors).map { abs($0 - $1) }
      report("two of one variable film, apart", apart)
      #expect(median(apart) <= 12)
    }
  }
}

/// A line that is straight by a clock that runs faster than this machine's.
struct GroupLine: Sendable {
  let begin: HostTime

  init(at begin: HostTime) { self.begin = begin }

  /// Returns the line as a participant sees it who knows that clock now.
  func line(at time: HostTime, rate: Double) -> PlaybackLine {
    let elapsed = (time - begin).inSeconds * (1 + RealPlayerTests.DriftLoops.clockRate)
    return PlaybackLine(
      rate: rate, itemTime: MediaTime(seconds: elapsed * rate), hostTime: time)
  }
}

struct DriftResult: Sendable, CustomStringConvertible {
  /// Milliseconds ahead of the line, in the measuring phase.
  var errors: [Double] = []
  /// The nudges in the measuring phase.
  var nudges: [Double] = []
  var seeks = 0
  var rate = 0.0
  /// Events that report a foreign change although there was none.
  var foreign: [PlayerEvent] = []

  var spread: Double { (nudges.max() ?? 0) - (nudges.min() ?? 0) }

  /// The number of times that the nudge changed between growing and shrinking, ignoring negligible changes.
  var turns: Int {
    var turns = 0
    var (last, direction) = (nudges.first ?? 0, 0)
    for nudge in nudges where abs(nudge - last) > 100e-6 {
      let next = nudge > last ? 1 : -1
      if direction != 0, next != direction { turns += 1 }
      (last, direction) = (nudge, next)
    }
    return turns
  }

  var description: String {
    func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    let sorted = errors.sorted()
    return
      "median |error| \(text(median(errors.map(abs)))) ms of \(errors.count), from "
      + "\(text(sorted.first ?? 0)) to \(text(sorted.last ?? 0)); nudge "
      + "\(text((median(nudges) - 1) * 1e6)) ppm, spread \(text(spread * 1e6)) ppm, \(turns) turns"
  }
}

enum DriftLoop {
  typealias Suite = RealPlayerTests.DriftLoops

  static func run(_ test: Suite.Case, along group: GroupLine) async throws -> DriftResult {
    let name = UUID().uuidString.prefix(8)
    let socket = Clips.folder.appendingPathComponent("\(name).sock").path
    let stats = Clips.folder.appendingPathComponent("\(name).stats").path
    var options = [MPVConfiguration.Option(name: "input-ipc-server", value: socket)]
    if !test.hasSound { options.append(MPVConfiguration.Option(name: "dump-stats", value: stats)) }
    let player = try await PlayerUnderTest(test.clip, options: options)
    do {
      let ipc = try IPCClient(path: socket)
      _ = await player.seek(to: .zero, buffering: true)
      let start = group.line(at: max(group.begin, .now() + .milliseconds(500)), rate: test.rate)
      // For the group, the start is late by this time.
      let result = await player.play(
        from: start.itemTime, at: start.hostTime + Suite.beginning, rate: test.rate)
      #expect(result == .completed(itemTime: nil))
      await player.forgetEvents()
      var measured = try await loop(player, ipc, test, along: group)
      if !test.hasSound {
        measured.errors = try await frameErrors(
          player, ipc, test, stats: stats,
          since: start.hostTime + Suite.beginning, along: group)
      }
      await player.shutDown()
      return measured
    } catch {
      await player.shutDown()
      throw error
    }
  }

  /// Corrects drift as `SyncRoom.watch()` does.
  private static func loop(
    _ test: PlayerUnderTest, _ ipc: IPCClient, _ testCase: Suite.Case, along group: GroupLine
  ) async throws -> DriftResult {
    let player = test.player
    var result = DriftResult()
    var controller = DriftController()
    let measuring = HostTime.now() + Suite.settling
    let end = measuring + Suite.measuring
    while HostTime.now() < end {
      await test.sleep(DriftController.interval)
      let snapshot = await player.snapshot()
      guard !snapshot.isSettling else {
        controller.interrupted()
        continue
      }
      let line = group.line(at: .now(), rate: testCase.rate)
      guard let position = await player.position(), position.rate > 0 else { continue }
      let correction = controller.measured(
        position, against: line, clockRate: Suite.clockRate, snapshot: snapshot,
        outputLatency: player.outputLatency)
      switch correction {
      case .nudge(let factor): try await player.setNudge(factor)
      case .seek: result.seeks += 1
      }
      guard HostTime.now() > measuring else { continue }
      result.nudges.append(controller.nudge)
      if testCase.hasSound, let error = try heardError(ipc, testCase, along: group) {
        result.errors.append(error)
      }
    }
    result.rate = await player.snapshot().rate
    result.foreign = await test.events().filter {
      switch $0 {
      case .userChangedRate, .userSought, .userPaused, .userResumed, .rateChanged: true
      default: false
      }
    }
    return result
  }

  /// Measures the error with `audio-pts`, through another program's connection.
  private static func heardError(
    _ ipc: IPCClient, _ test: Suite.Case, along group: GroupLine
  ) throws -> Double? {
    var best: (took: Duration, error: Double)?
    for _ in 0..<5 {
      let asked = HostTime.now()
      guard let seconds = try ipc.double("audio-pts") else { return nil }
      let took = HostTime.now() - asked
      if let best, best.took <= took { continue }
      let line = group.line(at: asked + took / 2, rate: test.rate)
      best = (took, ((MediaTime(seconds: seconds) - line.itemTime) / test.rate).inMilliseconds)
    }
    return best?.error
  }

  /// Measures the errors with the instants at which mpv's output showed frames, which `dump-stats` records.
  private static func frameErrors(
    _ test: PlayerUnderTest, _ ipc: IPCClient, _ testCase: Suite.Case, stats: String,
    since start: HostTime, along group: GroupLine
  ) async throws -> [Double] {
    var best: (took: Duration, offset: Double)?
    for _ in 0..<20 {
      let asked = HostTime.now()
      guard let microseconds = try ipc.microseconds() else { continue }
      let took = HostTime.now() - asked
      if let best, best.took <= took { continue }
      best = (took, Double((asked + took / 2).nanoseconds) - microseconds * 1e3)
    }
    let offset = try #require(best?.offset)
    let end = HostTime.now()
    // Shutting down closes the file.
    await test.shutDown()
    let text = String(
      decoding: FileManager.default.contents(atPath: stats) ?? Data(), as: UTF8.self)
    let shown: [HostTime] = text.split(separator: "\n").compactMap { line in
      guard line.hasSuffix(" start video-flip"), let time = line.split(separator: " ").first,
        let microseconds = Double(time)
      else { return nil }
      return HostTime(nanoseconds: Int64(microseconds * 1e3 + offset))
    }
    return try frameErrors(
      of: shown.filter { $0 > start + .milliseconds(2) && $0 < end }, testCase, since: start,
      from: end - Suite.measuring, along: group)
  }

  /// Identifies the frames by counting them from the start: a frame that is late by a whole frame must not be taken for
  /// the next one. None or several may have been dropped.
  private static func frameErrors(
    of shown: [HostTime], _ test: Suite.Case, since start: HostTime, from measuring: HostTime,
    along group: GroupLine
  ) throws -> [Double] {
    let frames = try Clips.frameTimes(test.clip)
    // The delays of the last few frames against an even speed from the start.
    var lateness = [0.0]
    var errors: [Double] = []
    for time in shown {
      let elapsed = (time - start).inSeconds
      let position = (elapsed - median(lateness)) * test.rate
      guard let frame = frames.min(by: { abs($0 - position) < abs($1 - position) }) else {
        continue
      }
      lateness.append(elapsed - frame / test.rate)
      if lateness.count > 7 { lateness.removeFirst() }
      guard time > measuring else { continue }
      let due = group.line(at: time, rate: test.rate).itemTime.seconds
      errors.append((frame - due) / test.rate * 1e3)
    }
    return errors
  }
}
