import Foundation
import Timekeeping

/// The sentences of `matinee calibrate`, except those about devices.
package enum CalibrationWords {
  /// A shorter delay isn't heard, and isn't known so exactly.
  package static let least = Duration.milliseconds(1)

  package static let request = """
    Put the microphone where you sit, set the usual volume, and be quiet for twelve seconds: you will hear three \
    rising tones.
    """

  package static let start = "Press Enter to begin."

  package static let beside = """
    Put both machines beside one another, each with its microphone, and set the usual volumes.
    """

  package static let quiet = """
    Both are here. Be quiet for half a minute: you will hear three rising tones from each machine.
    """

  package static func compared(_ delays: PairedDelays, lateness: Duration) -> String {
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
  package static func text(of outcome: PairMachine.Outcome) -> String {
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

  /// Returns the warning for a setting that applies instead of the saved delay.
  package static func overridden(by origin: String) -> String {
    "But “latency-offset” is also set (\(origin)), and that applies instead. Remove it there."
  }
}

extension OutputDelay.Refusal {
  package var words: String {
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
