import Calibration
import Foundation
import GroupActivities
import MPVPlayer
import Screening
import Timekeeping

/// The sentences about this machine's devices and the other machine's party.
extension CalibrationWords {
  package static func pairing(_ invite: Invite) -> String {
    """
    \(beside) On the other one, type “matinee calibrate -”, and paste this invite there:

      \(invite.text)

    Waiting for it; ctrl+c quits.
    """
  }

  /// Returns the offset that removes the delay.
  package static func offset(_ delay: Duration) -> Duration {
    guard delay.magnitude >= least else { return .zero }
    // More digits would say nothing.
    let offset = Duration.milliseconds((delay.inMilliseconds * 10).rounded() / 10)
    let range = MPVPlayer.outputLatencies
    return min(max(offset, range.lowerBound), range.upperBound)
  }

  package static func measured(_ measured: CalibrationRun.Measured) -> String {
    let offset = offset(measured.delay.delay)
    let size = String(format: "%.1f ms", offset.magnitude.inMilliseconds)
    let sentence =
      offset == .zero
      ? "Your sound is on time."
      : offset > .zero
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

  package static func saved(
    _ offset: Duration, before: Duration, for device: AudioDevice
  ) -> String {
    let name = PartyText.clean(device.name ?? device.key, limit: 80)
    let (now, then) = (StoryWords.delay(offset), StoryWords.delay(before))
    if offset == before { return "Nothing changed: the delay saved for \(name) is \(now)." }
    return """
      Corrected: the delay saved for \(name) is now \(now). It was \(then); to return to that, type \
      /latency-offset \(number(before)) during a film, or start with --latency-offset \(number(before)).
      """
  }

  private static func number(_ offset: Duration) -> String {
    String(format: "%g", offset.inMilliseconds)
  }
}
