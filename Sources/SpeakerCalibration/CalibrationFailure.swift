import Calibration
import Foundation
import SoundCapture
import Timekeeping

/// The reason for which a calibration has no result.
package enum CalibrationFailure: Error, Hashable, Sendable {
  case capture(SoundCaptureError)
  case refused(OutputDelay.Refusal)
  /// The other machine's sound gave no result.
  case otherRefused(OutputDelay.Refusal)
  /// The sound goes to no device.
  case noDevice
  /// The saved latency offsets can't be read, with the reason.
  case offsets(String)
  /// The party of the pair failed, with the reason and a suggestion.
  case party(String)
  /// The invite's party doesn't calibrate.
  case otherParty
  /// The other machine isn't there.
  case otherLeft
  /// More than two machines came.
  case crowd
  /// The group's time is this uncertain, or unknown.
  case clock(Duration?)
  /// The player failed, with its own words.
  case player(String)
}

extension CalibrationFailure: CustomStringConvertible {
  package var description: String {
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
}

extension SoundCaptureError {
  fileprivate var words: String {
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
