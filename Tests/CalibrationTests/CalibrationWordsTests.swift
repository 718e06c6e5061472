import Calibration
import MPVPlayer
import SpeakerCalibration
import Testing
import Timekeeping

@Suite("The words of a calibration")
struct CalibrationWordsTests {
  private let device = AudioDevice(key: "pulse/bluez", name: "Kitchen\u{1B}[2J")

  @Test(
    "A delay below a millisecond is none, and others keep tenths",
    arguments: [(0.9, 0.0), (-0.9, 0), (183.26, 183.3), (-12.34, -12.3), (3999.96, 4000)])
  func offset(measured: Double, saved: Double) {
    #expect(CalibrationWords.offset(.milliseconds(measured)).inMilliseconds == saved)
  }

  @Test("A new value names the one before, and how to return to it")
  func saved() {
    let late = Duration.milliseconds(183.3)
    let before = Duration.milliseconds(-12.5)
    let text = CalibrationWords.saved(late, before: before, for: device)
    #expect(text.contains("Kitchen") && !text.contains("\u{1B}"))
    #expect(text.contains("is now +183.3 ms") && text.contains("/latency-offset -12.5 "))
    #expect(CalibrationWords.saved(late, before: late, for: device).hasPrefix("Nothing changed"))
  }

  @Test("Each refusal says that nothing was changed")
  func refusals() {
    let refusals: [OutputDelay.Refusal] = [
      .silent, .notHeard, .tooNoisy(decibels: nil), .tooNoisy(decibels: 12), .clipped,
      .inconsistent(spread: .milliseconds(7)), .unsteadyClock, .tooShort,
    ]
    for refusal in refusals { #expect(refusal.words.hasSuffix("Nothing was changed.")) }
    #expect(
      OutputDelay.Refusal.tooNoisy(decibels: 12).words.hasPrefix(
        "Too noisy: the tones are only 12 dB"))
  }

  @Test("Without a result two machines say that nothing was changed")
  func outcomes() {
    let outcomes: [PairMachine.Outcome] = [
      .apart(.milliseconds(20)), .otherFailed, .otherLeft, .otherSilent, .senseless,
    ]
    for outcome in outcomes {
      #expect(CalibrationWords.text(of: outcome).hasSuffix("Nothing was changed."))
    }
  }

  @Test(
    "Of two machines the later one is named",
    arguments: [
      (12.34, "Your sound is 12.3 ms later"), (-12.34, "It is corrected there"), (0.4, "in step"),
    ])
  func later(lateness: Double, words: String) throws {
    let delays = try PairedDelays(
      own: .init(own: .zero, other: .zero), other: .init(own: .zero, other: .zero))
    #expect(
      CalibrationWords.compared(delays, lateness: .milliseconds(lateness)).contains(words))
  }
}
