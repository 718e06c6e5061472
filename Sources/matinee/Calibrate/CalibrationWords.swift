import ArgumentParser
import Calibration
import Foundation
import GroupActivities
import MPVPlayer
import Screening
import SoundCapture
import Timekeeping

/// The sentences of `matinee calibrate`.
enum CalibrationWords {
  /// A shorter delay isn't heard, and isn't known so exactly.
  private static let least = Duration.milliseconds(1)

  static let request = """
    Put the microphone where you sit, set the usual volume, and be quiet for twelve seconds: you will hear three \
    rising tones.
    """

  static let start = "Press Enter to begin."

  /// Returns the offset that removes the delay.
  static func offset(_ delay: Duration) -> LatencyOffset {
    guard delay.magnitude >= least else { return .zero }
    // More digits would say nothing.
    return LatencyOffset(clamping: .milliseconds((delay.inMilliseconds * 10).rounded() / 10))
  }

  static func measured(_ measured: CalibrationRun.Measured) -> String {
    let offset = offset(measured.delay.delay)
    let size = String(format: "%.1f ms", offset.duration.magnitude.inMilliseconds)
    let sentence =
      offset == .zero
      ? "Your sound is on time."
      : offset.duration > .zero
        ? "Your sound is \(size) late." : "Your sound is \(size) early."
    let figures = String(
      format: "The three agree within %.1f ms, %.0f dB above the noise.",
      measured.delay.spread.inMilliseconds, measured.delay.decibels)
    return """
      \(sentence) \(figures)
      Recorded with \(PartyText.clean(measured.microphone.description, limit: 80)). A delay of the microphone that the \
      sound server doesn't report is part of the result: a few milliseconds, more with a wireless one.
      """
  }

  static func saved(
    _ offset: LatencyOffset, before: LatencyOffset, for device: AudioDevice
  ) -> String {
    let name = PartyText.clean(device.name ?? device.key, limit: 80)
    if offset == before { return "Nothing changed: the delay saved for \(name) is \(offset.text)." }
    return """
      Corrected: the delay saved for \(name) is now \(offset.text). It was \(before.text); to return to that, type \
      /latency-offset \(number(before)) during a film, or start with --latency-offset \(number(before)).
      """
  }

  private static func number(_ offset: LatencyOffset) -> String {
    String(format: "%g", offset.duration.inMilliseconds)
  }
}

extension CalibrationFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .capture(let error): error.words
    case .refused(let refusal): refusal.words
    case .noDevice:
      "No audio device plays the tones. Check it with matinee doctor, or choose one with --mpv audio-device=NAME."
    case .player(let text): text
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .capture, .noDevice: ExitStatus.unreachable
    case .refused, .player: .failure
    }
  }
}

extension SoundCaptureError {
  var words: String {
    switch self {
    case .unavailable(let reason):
      "Nothing can be recorded: the sound server isn't available (\(reason)). Matinee records through PulseAudio or PipeWire."
    case .noMicrophone(let name?):
      "There is no microphone “\(name)”. The names: pactl list short sources"
    case .noMicrophone(nil): "There is no microphone."
    case .onlyMonitor(let name):
      "There is no microphone: the default source is \(name), which is the sound itself. Choose one with --microphone NAME; the names: pactl list short sources"
    case .interrupted(let reason): "The recording was interrupted: \(reason)."
    case .noSound: "The microphone delivers nothing. Is it used by another program?"
    }
  }
}

extension OutputDelay.Refusal {
  var words: String {
    switch self {
    case .silent: "The microphone is silent. Is it muted? Nothing was changed."
    case .notHeard:
      "The tones weren't heard. Turn the volume up, or bring the microphone nearer. Nothing was changed."
    case .tooNoisy(let decibels):
      "Too noisy: the tones \(decibels.map { String(format: "are only %.0f dB above the noise", $0) } ?? "are lost in the noise"). Wait until it is quieter, turn the volume up, or bring the microphone nearer. Nothing was changed."
    case .clipped:
      "The microphone is overdriven. Turn it or the volume down. Nothing was changed."
    case .inconsistent(let spread):
      String(
        format:
          "The three tones came with delays that differ by %.0f ms. Something else was heard, or the output's delay changes. Try again. Nothing was changed.",
        spread.inMilliseconds)
    case .unsteadyClock:
      "The sound was interrupted, or its device doesn't know its time. Try again. Nothing was changed."
    case .tooShort: "The recording ended too early. Try again. Nothing was changed."
    }
  }
}
