import Concurrency
import Foundation
import Glibc
import PlaybackCoordination
import ProcessTesting
import Synchronization
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  /// Nudges a pure tone, and records the output. Each sample of a tone follows from the two samples before it, at any
  /// phase and loudness: the remainder is noise, and a click is a lot of it.
  @Suite(
    "The sound of speed adjustments",
    .enabled(if: Measurement.isWanted, "only when MEASURE is set (make bench-player)"))
  struct NudgeSound {
    enum Nudges: Sendable {
      case none
      /// The nudges of a controller: steady ones, corrections of up to half a per cent, and none in between.
      case ours
      /// A filter that comes and goes, as mpv's own does when the speed leaves 1 and returns.
      case byFilter
    }

    struct Case: Sendable {
      var frequency: Int
      var rate: Double
      var nudges: Nudges
    }

    static let duration = Duration.seconds(4)

    @Test(
      "Adjustments are inaudible: the tone is as smooth as without, and no filter is set up again")
    func tone() async throws {
      var cases = [Case(frequency: 440, rate: 1, nudges: .byFilter)]
      for (frequency, rate) in [(440, 1), (1000, 1), (440, 1.25)] {
        cases.append(Case(frequency: frequency, rate: rate, nudges: .none))
        cases.append(Case(frequency: frequency, rate: rate, nudges: .ours))
      }
      let results = try await withThrowingTaskGroup(of: (Case, ToneRecording.Result).self) {
        group in
        for test in cases { group.addTask { (test, try await Self.record(test)) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for (test, result) in results {
        print("  \(test.frequency) Hz at \(test.rate), nudges: \(test.nudges): \(result)")
        #expect(result.seconds > 8)
      }
      for (test, result) in results {
        switch test.nudges {
        case .none: #expect(result.roughness < 0.003)
        case .ours:
          let plain = results.first {
            $0.0.nudges == .none && $0.0.frequency == test.frequency && $0.0.rate == test.rate
          }
          #expect(result.roughness < 1.5 * (plain?.1.roughness ?? 0) + 0.0005)
          #expect(result.reconfigurations == 0 && result.filterChanges == 0)
        case .byFilter:
          // The values for audible faults, which show that the test can find them.
          #expect(result.roughness > 0.05 && result.reconfigurations > 0)
        }
      }
    }

    private static func record(_ test: Case) async throws -> ToneRecording.Result {
      let name = UUID().uuidString.prefix(8)
      let socket = Clips.folder.appendingPathComponent("\(name).sock").path
      let log = Clips.folder.appendingPathComponent("\(name).log").path
      let recording = try ToneRecording(
        path: Clips.folder.appendingPathComponent("\(name).pcm").path)
      let player = try PlayerUnderTest([
        MPVConfiguration.Option(name: "input-ipc-server", value: socket),
        MPVConfiguration.Option(name: "log-file", value: log),
        MPVConfiguration.Option(name: "ao", value: "pcm"),
        MPVConfiguration.Option(name: "ao-pcm-file", value: recording.path),
        MPVConfiguration.Option(name: "ao-pcm-waveheader", value: "no"),
        MPVConfiguration.Option(name: "audio-format", value: "float"),
        MPVConfiguration.Option(name: "audio-channels", value: "mono"),
      ])
      do {
        try await player.player.load(#require(Clips.tones[test.frequency]))
        let ipc = try IPCClient(path: socket)
        try ipc.command("observe_property", 1, "af")
        try await player.player.resetSpeed(toRate: test.rate)
        try await player.player.writePause(false)
        // Wait until the output is the tone at this speed.
        await player.sleep(.milliseconds(1000))
        _ = try ipc.double("speed")
        ipc.forgetEvents()
        recording.begin()
        let logged = log.lines().count
        let steady = [
          1.00005, 1, 1.00007, 0.99998, 1, 1.0002, 1.005, 1, 1.0031, 1, 0.995, 1.00006,
        ]
        let end = HostTime.now() + duration
        var index = 0
        while HostTime.now() < end {
          switch test.nudges {
          case .none: break
          case .ours:
            try await player.player.setNudge(steady[index % steady.count])
            index += 1
          case .byFilter: try ipc.command("af", "toggle", "@tempo:scaletempo2")
          }
          await player.sleep(DriftController.interval)
        }
        _ = try ipc.double("speed")
        var result = recording.end(frequency: Double(test.frequency))
        result.reconfigurations = ipc.events.count { $0 == "audio-reconfig" }
        result.filterChanges = ipc.events.count { $0 == "property-change" }
        await player.shutDown()
        recording.close()
        // mpv reports changes inside its chain of filters only in its log.
        result.reconfigurations += log.lines().dropFirst(logged).count {
          $0.contains("nserting") || $0.contains("emoving") || $0.contains("econfig")
        }
        return result
      } catch {
        _ = recording.end(frequency: 0)
        await player.shutDown()
        recording.close()
        throw error
      }
    }
  }
}

/// Reads sound from `ao=pcm`, through a pipe, at three times the speed of a sound card: mpv delivers more than a second
/// at once, and waits for its end.
///
/// A thread reads; the rest belongs to one test.
final class ToneRecording: Sendable {
  struct Result: Sendable, CustomStringConvertible {
    /// The largest part of a sample that doesn't follow from the two before it; the tone's amplitude is 1.
    var roughness = 0.0
    var seconds = 0.0
    var reconfigurations = 0
    var filterChanges = 0

    var description: String {
      let decibels = (20 * log10(max(roughness, 1e-9)) * 10).rounded() / 10
      return "roughness \((roughness * 1e5).rounded() / 1e5) (\(decibels) dB) in "
        + "\((seconds * 10).rounded() / 10) s, \(reconfigurations) reconfigurations, "
        + "\(filterChanges) changes of filters"
    }
  }

  private struct State: Sendable {
    var samples: [Float] = []
    var isRecording = false
    var isOver = false
    var isClosed = false
  }

  static let samplesPerSecond = 48_000.0
  private static let haste = 3.0

  let path: String
  private let state = Mutex(State())

  init(path: String) throws {
    self.path = path
    guard mkfifo(path, 0o600) == 0 else {
      throw MPVError(.call, "mkfifo", code: -errno)
    }
    // Without blocking, because the writer opens the pipe later.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { throw MPVError(.call, "open", code: -errno) }
    OwnedThread.start("recording") { self.read(descriptor) }
  }

  func begin() { state.withLock { $0.isRecording = true } }

  /// Ends the recording. Later samples are discarded as fast as they come.
  func end(frequency: Double) -> Result {
    let samples = state.withLock {
      $0.isOver = true
      return $0.samples
    }
    var result = Result()
    result.seconds = Double(samples.count) / Self.samplesPerSecond
    guard samples.count > 2 else { return result }
    let factor = Float(2 * cos(2 * Double.pi * frequency / Self.samplesPerSecond))
    var (amplitude, rest) = (Float(0), Float(0))
    samples.withUnsafeBufferPointer { samples in
      var index = 2
      while index < samples.count {
        amplitude = max(amplitude, abs(samples[index]))
        rest = max(rest, abs(samples[index] - factor * samples[index - 1] + samples[index - 2]))
        index += 1
      }
    }
    result.roughness = amplitude > 0 ? Double(rest / amplitude) : .infinity
    return result
  }

  /// Ends the thread. Call this after the player is gone: without a reader the player would wait for one.
  func close() { state.withLock { $0.isClosed = true } }

  private func read(_ descriptor: CInt) {
    defer { _ = Foundation.close(descriptor) }
    var buffer = [Float](repeating: 0, count: 480)
    var begin: HostTime?
    var count = 0
    // The rest of a sample that came in two parts is dropped: pipes of whole samples deliver whole samples.
    while true {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&request, 1, 20)
      let bytes = buffer.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress, $0.count)
      }
      let (isOver, isClosed) = state.withLock { ($0.isOver, $0.isClosed) }
      if isClosed { return }
      guard bytes > 0 else {
        // The pipe has no writer yet, is empty now, or mpv opens it again.
        usleep(2_000)
        continue
      }
      let samples = buffer.prefix(bytes / 4)
      count += samples.count
      state.withLock {
        if $0.isRecording, !$0.isOver { $0.samples += samples }
      }
      let start = begin ?? .now()
      begin = start
      let due = start + .seconds(Double(count) / Self.samplesPerSecond / Self.haste)
      let early = due - HostTime.now()
      if early > .zero, !isOver { usleep(UInt32(early.inSeconds * 1e6)) }
    }
  }
}

extension String {
  /// The lines of the text file at this path; none while it doesn't exist.
  fileprivate func lines() -> [Substring] {
    guard let data = FileManager.default.contents(atPath: self) else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }
}
