import Foundation
import MPVPlayer

extension DoctorCheck {
  package static let display = DoctorCheck(subject: "display", progress: "") {
    let environment = ProcessInfo.processInfo.environment
    let display = environment["WAYLAND_DISPLAY"] ?? environment["DISPLAY"] ?? ""
    return [
      display.isEmpty
        ? .notice("display", "none; films are shown in the terminal") : .good("display", display)
    ]
  }

  /// The player, its decoder and its clock, with a silent file.
  package static let player = DoctorCheck(subject: "libmpv", progress: "Playing a test file…") {
    do {
      let player = try MPVPlayer(
        configuration: MPVConfiguration(
          video: .none, noConfig: true, options: [.init(name: "ao", value: "null")]))
      try await TestSound.with { path in try await player.load(path) }
      let duration = await player.snapshot().duration
      await player.shutDown()
      guard let duration else {
        return [.bad("libmpv", "opened a test file but found no audio in it. \(reinstall)")]
      }
      return [.good("libmpv", "opens and decodes (\(duration.seconds) s of test audio)")]
    } catch {
      return [.bad("libmpv", "\(error). \(reinstall)")]
    }
  }

  /// The user's mpv configuration and its scripts.
  package static let configuration = DoctorCheck(
    subject: "mpv.conf", progress: "Reading your mpv configuration…"
  ) {
    do {
      var configuration = MPVConfiguration(video: .none)
      configuration.isSecondary = true
      let player = try MPVPlayer(configuration: configuration)
      // A script may take as long as it likes.
      let report = await withTaskGroup(of: ConfigurationReport?.self) { group in
        group.addTask {
          for await event in player.events {
            if case .configured(let report) = event { return report }
          }
          return nil
        }
        group.addTask {
          try? await Task.sleep(for: .seconds(4), clock: .suspending)
          return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
      }
      await player.shutDown()
      return report?.findings ?? [.notice("mpv.conf", "a script doesn't finish loading")]
    } catch {
      return [.notice("mpv.conf", "can't be tested: \(error)")]
    }
  }

  private static let reinstall = "Reinstall it (Debian: apt install --reinstall libmpv2)."

  /// The audio device that the user's mpv configuration leads to.
  package static let sound = DoctorCheck(subject: "audio", progress: "Opening the audio device…") {
    do {
      let player = try MPVPlayer(configuration: MPVConfiguration(video: .none, noConfig: false))
      let device = try await TestSound.with { path in
        try await player.load(path)
        return await AudioOutput.first(of: player, within: .seconds(4))
      }
      let latency = await SoundServer.latency()
      await player.shutDown()
      let kernel = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
      return [finding(device, latency)] + (kernel.flatMap(advice(forKernel:)).map { [$0] } ?? [])
    } catch {
      return [.notice("audio", "the audio device can't be tested: \(error)")]
    }
  }

  /// Returns the advice about sound for a Linux on Windows; nil elsewhere.
  static func advice(forKernel release: String) -> DoctorFinding? {
    guard release.lowercased().contains("microsoft") else { return nil }
    return .notice(
      "audio",
      "Windows plays the sound, perhaps later than this Linux knows; measure it: matinee calibrate")
  }

  static func finding(_ output: AudioOutput?, _ latency: SoundServer.Latency?) -> DoctorFinding {
    switch output {
    case nil:
      .notice("audio", "the audio device doesn't open; films may play without audio")
    case .some(.missing):
      .notice("audio", "no audio device; films play without audio")
    case .device(let driver, _)? where driver == "null":
      .notice("audio", "switched off in your mpv configuration (ao=null)")
    case .device(let driver, let name)?:
      .good(
        "audio",
        [driver, name, latency.map { "latency \($0)" }].compactMap { $0 }.joined(separator: ", "))
    }
  }

  package static let webPages = DoctorCheck(subject: "yt-dlp", progress: "") {
    [
      Executable.exists("yt-dlp", ProcessInfo.processInfo.environment)
        ? .good("yt-dlp", "found (plays web pages)")
        : .notice("yt-dlp", "not found; web pages need it (Debian: apt install yt-dlp)")
    ]
  }
}

/// The result of the search for an audio device.
enum AudioOutput: Hashable, Sendable {
  /// mpv's driver, such as `pulse`, and the device's name, if it is known.
  case device(driver: String, name: String?)
  case missing

  /// - Returns: nil if the player doesn't report a device in time.
  static func first(of player: MPVPlayer, within limit: Duration) async -> AudioOutput? {
    await withTaskGroup(of: AudioOutput?.self) { group in
      group.addTask {
        for await event in player.events {
          if event == .audioDeviceLost { return .missing }
          if case .audioDeviceChanged(let device) = event {
            let driver = await player.snapshot().audioOutput ?? ""
            return .device(driver: driver, name: device.name)
          }
        }
        return nil
      }
      group.addTask {
        try? await Task.sleep(for: limit, clock: .suspending)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

/// A short silent file.
enum TestSound {
  static func with<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-doctor-\(UUID().uuidString).wav")
    try silence(seconds: 2).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file.path)
  }

  /// Returns a WAV file of 8 kHz, 8-bit mono.
  private static func silence(seconds: Int) -> Data {
    func little(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let samples = UInt32(seconds * 8000)
    var data = Array("RIFF".utf8) + little(36 + samples, 4) + Array("WAVEfmt ".utf8)
    data += little(16, 4) + little(1, 2) + little(1, 2) + little(8000, 4) + little(8000, 4)
    data += little(1, 2) + little(8, 2) + Array("data".utf8) + little(samples, 4)
    return Data(data) + Data(repeating: 128, count: Int(samples))
  }
}
