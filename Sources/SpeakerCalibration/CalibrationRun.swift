import Calibration
import Foundation
import MPVPlayer
import SoundCapture
import Timekeeping

/// One calibration: the sweeps are played as a film is played, and recorded.
package enum CalibrationRun {
  package struct Measured: Hashable, Sendable {
    package var delay: OutputDelay
    package var device: AudioDevice
    package var microphone: Microphone
  }

  /// The time between two readings of the player's position.
  private static let interval = Duration.milliseconds(30)
  /// The longest time until the player reaches the sound's end.
  private static let patience = Duration.seconds(30)
  /// A reading that took longer doesn't count.
  private static let longestReading = Duration.milliseconds(1)

  /// Opens the microphone and closes it again.
  package static func checkMicrophone(_ name: String?) async throws(CalibrationFailure) {
    do {
      _ = try await SoundRecorder(microphone: name).stop()
    } catch {
      throw .capture(error)
    }
  }

  package static func measure(
    _ configuration: MPVConfiguration, microphone: String?
  ) async throws(CalibrationFailure) -> Measured {
    let recorder: SoundRecorder
    let source: Microphone
    do {
      recorder = try await SoundRecorder(microphone: microphone)
      source = try await recorder.source
    } catch {
      throw .capture(error)
    }
    let played = try await play(configuration)
    let recording: Recording
    do {
      recording = try await recorder.stop()
    } catch {
      throw .capture(error)
    }
    do {
      let delay = try OutputDelay(recording: recording, playback: played.marks)
      return Measured(delay: delay, device: played.device, microphone: source)
    } catch {
      throw .refused(error)
    }
  }

  /// Plays the sweeps to their end, and reads the player's position meanwhile.
  static func play(
    _ configuration: MPVConfiguration
  ) async throws(CalibrationFailure) -> (marks: [ClockMark], device: AudioDevice) {
    do {
      let player = try MPVPlayer(configuration: configuration)
      // mpv reads the file while it plays.
      let file = try MemoryFile(CalibrationSound.wave())
      let result: Result<(marks: [ClockMark], device: AudioDevice), any Error>
      do {
        try await player.load(file.path, paused: false)
        result = .success(try await listen(to: player))
      } catch {
        result = .failure(error)
      }
      await player.shutDown()
      withExtendedLifetime(file) {}
      return try result.get()
    } catch let failure as CalibrationFailure {
      throw failure
    } catch {
      throw .player("\(error)")
    }
  }

  private static func listen(
    to player: MPVPlayer
  ) async throws -> (marks: [ClockMark], device: AudioDevice) {
    var marks: [ClockMark] = []
    let end = HostTime.now() + patience
    while HostTime.now() < end {
      try await Task.sleep(for: interval, clock: .suspending)
      let snapshot = await player.snapshot()
      guard snapshot.audioOutput != "null" else { throw CalibrationFailure.noDevice }
      if snapshot.isAtEnd { break }
      guard let position = await player.position(), position.source == .audio,
        position.uncertainty <= longestReading
      else { continue }
      marks.append(ClockMark(seconds: position.itemTime.seconds, time: position.hostTime))
    }
    guard let device = await player.audioDevice, let last = marks.last else {
      throw CalibrationFailure.noDevice
    }
    // The player is at the end as soon as it has passed all sound on.
    let rest: Duration = CalibrationSound.duration - .seconds(last.seconds) + (last.time - .now())
    try await Task.sleep(for: max(rest, Duration.zero), clock: .suspending)
    return (marks, device)
  }
}
