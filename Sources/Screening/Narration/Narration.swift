import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// An event as a text for people. It is the same on the screen, in mpv's window and for a screen reader.
package enum Narration: Hashable, Sendable {
  package enum Severity: Hashable, Sendable { case information, warning, error }

  case said(String, by: String, isOwn: Bool)
  case did(String, by: String)
  /// A message from before this participant came back.
  case recalled(String, by: String, ago: Duration)
  /// A lasting event that no participant caused.
  case note(String)
  /// A temporary message.
  case told(String, Severity)

  /// The narration as one line.
  package var sentence: String {
    switch self {
    case .said(let text, let author, _), .recalled(let text, let author, _): "\(author): \(text)"
    case .did(let what, let author): "\(author) \(what)"
    case .note(let text), .told(let text, .information), .told(let text, .warning): text
    case .told(let text, .error): "error: \(text)"
    }
  }
}

/// A narration and its place in the story.
package struct StoryLine: Hashable, Sendable {
  /// The line's number. It is larger than that of every line before it, unless the line replaces an earlier line and
  /// has its number.
  package var id: Int
  package var narration: Narration
  /// A Boolean value that indicates whether a later line is likely to replace this one within seconds, such as while a
  /// key that seeks is pressed repeatedly.
  package var isUnsettled = false
}

/// The words for values that events carry.
package enum StoryWords {
  /// Returns the reason why a participant is not in sync with the group.
  package static func words(for reason: CoordinatedPlaybackSuspension.Reason) -> String {
    switch reason {
    case .stallRecovery: "catching up…"
    case .audioSessionInterrupted: "interrupted"
    case .playingInterstitial: "watching a trailer"
    case .coordinatedPlaybackNotPossible: "can't play it"
    case .userActionRequired: "deciding"
    case .userIsChangingCurrentTime: "previewing"
    case .steppedAway: "stepped away"
    case .watchingAlone: "watching alone"
    case .cannotKeepUp: "can't keep up"
    case .notInCopy: "not in their copy"
    case .init(rawValue: "whatHappened"): "replaying"
    case .init(rawValue: "readyCheck"): "not ready yet"
    default: PartyText.clean(reason.rawValue, limit: 40)
    }
  }

  /// Returns a position as text: "12:41", "1:02:03".
  package static func clock(_ position: MediaTime) -> String {
    let seconds = Int(max(0, position.seconds))
    return seconds >= 3600
      ? String(format: "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
      : String(format: "%d:%02d", seconds / 60, seconds % 60)
  }

  /// Returns a duration in whole seconds: "40 s", "2 min 5 s".
  package static func duration(_ seconds: Int) -> String {
    seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
  }

  /// Returns the place of another copy on the party's timeline: "+12.4 s", "+0.0 s and 2 cuts".
  package static func place(of timeline: CopyTimeline?) -> String {
    let cuts = (timeline?.pieces.count ?? 1) - 1
    return String(format: "%+.1f s", (timeline?.offset ?? .zero).inSeconds)
      + (cuts == 0 ? "" : cuts == 1 ? " and a cut" : " and \(cuts) cuts")
  }

  /// Returns a file's size: "480 kB", "47 MB", "1.4 GB".
  package static func size(_ bytes: Int) -> String {
    bytes < 999_500
      ? "\(max(1, (bytes + 500) / 1000)) kB"
      : bytes < 999_500_000
        ? "\((bytes + 500_000) / 1_000_000) MB" : String(format: "%.1f GB", Double(bytes) / 1e9)
  }

  /// Returns a day: "2026-07-18".
  package static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }

  /// Returns a delay as the user enters it: "+180 ms", "0 ms", "-12.5 ms".
  package static func delay(_ delay: Duration) -> String {
    let milliseconds = (delay.inMilliseconds * 10).rounded() / 10
    return milliseconds == 0 ? "0 ms" : String(format: "%+g ms", milliseconds)
  }

  package static func rate(_ rate: Double) -> String {
    String(format: "%g×", (rate * 100).rounded() / 100)
  }

  /// Returns the text for a user whose player can't keep up at a rate.
  package static func cannotKeepUp(at rate: Double) -> String {
    "This player can't keep up at \(self.rate(rate)). It goes on at its own pace; everyone else continues. "
      + "A slower speed, --mpv hwdec=auto, --mpv audio-channels=stereo or a smaller version may help."
  }

  /// Returns a list of names: "Ana", "Ana and Ben", "Ana, Ben and Chi", "Ana, Ben and 3 others".
  package static func list(_ names: [String]) -> String {
    switch names.count {
    case 0: ""
    case 1: names[0]
    case 2, 3: names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    default: names.prefix(2).joined(separator: ", ") + " and \(names.count - 2) others"
    }
  }
}

extension ReplayEnd {
  /// The end of a replay as a sentence for its user.
  package var sentence: String {
    switch self {
    case .caughtUp: "Replay over. You caught up"
    case .stopped: "You're back with everyone"
    case .groupMoved: "Replay over: everyone moved on"
    case .filmChanged: "Replay over: another film began"
    case .filmEnded: "Replay over: the film ended"
    case .sessionChanged: "Replay over"
    }
  }
}
