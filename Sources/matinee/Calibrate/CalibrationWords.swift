import ArgumentParser
import Calibration
import Foundation
import GroupActivities
import MPVPlayer
import SoundCapture
import Timekeeping

/// The sentences of `matinee calibrate`.
enum CalibrationWords {
  /// A shorter delay isn't heard, and isn't known so exactly.
  static let least = Duration.milliseconds(1)

  static let request = """
    Put the microphone where you sit, set the usual volume, and be quiet for twelve seconds: you will hear three \
    rising tones.
    """

  static let start = "Press Enter to begin."

  static let beside = """
    Put both machines beside one another, each with its microphone, and set the usual volumes.
    """

  static func pairing(_ invite: Invite) -> String {
    """
    \(beside) On the other one, type “matinee calibrate -”, and paste this invite there:

      \(invite.text)

    Waiting for it; ctrl c quits.
    """
  }

  static let quiet = """
    Both are here. Be quiet for half a minute: you will hear three rising tones from each machine.
    """

  static func compared(_ delays: PairedDelays, lateness: Duration) -> String {
    let size = String(format: "%.1f ms", lateness.magnitude.inMilliseconds)
    let sentence =
      lateness.magnitude < least
      ? "Both sounds are in step."
      : lateness > .zero
        ? "Your sound is \(size) later than the other machine's."
        : "The other machine's sound is \(size) later than yours. It is corrected there."
    let way = String(format: "%.1f ms", max(delays.way, .zero).inMilliseconds)
    return "\(sentence) The sound takes \(way) from one to the other, which is not part of it."
  }

  /// Returns the reason for which two machines have no result.
  static func text(of outcome: PairMachine.Outcome) -> String {
    switch outcome {
    case .compared, .failed: ""
    case .apart(let way):
      String(
        format:
          "The sound seems to take %.0f ms from one machine to the other. Put them beside one another, and try again. Nothing was changed.",
        way.inMilliseconds)
    case .otherFailed: "The other machine has no result; it shows the reason. Nothing was changed."
    case .otherLeft: "The other machine left. Nothing was changed."
    case .otherSilent: "The other machine is silent. Try again. Nothing was changed."
    case .senseless:
      "The other machine sent impossible figures. Is its Matinee another version? Nothing was changed."
    }
  }

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

  /// Returns the warning for a setting that applies instead of the saved delay.
  static func overridden(by origin: String) -> String {
    "But “latency-offset” is also set (\(origin)), and that applies instead. Remove it there."
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
    case .otherRefused(let refusal): "The other machine's sound: \(refusal.words)"
    case .offsets(let text), .party(let text): text
    case .otherParty:
      "Nobody calibrates in this party. Use the invite that matinee calibrate --pair shows."
    case .otherLeft: "The other machine isn't there. Start again with matinee calibrate --pair."
    case .crowd: "More than two machines came. Start again with matinee calibrate --pair."
    case .clock(let doubt):
      "The two clocks are known only to \(doubt.map { String(format: "%.0f ms", $0.inMilliseconds) } ?? "nothing"). Connect both machines to the same network, by cable if you can."
    case .noDevice:
      "No audio device plays the tones. Check it with matinee doctor, or choose one with --mpv audio-device=NAME."
    case .player(let text): text
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .capture, .noDevice, .party, .otherParty, .otherLeft: ExitStatus.unreachable
    case .refused, .otherRefused, .player, .offsets, .crowd, .clock: .failure
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
