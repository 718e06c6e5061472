import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// What happened, in words for people: the same on the screen and for a screen reader.
enum Narration: Hashable, Sendable {
  enum Severity: Hashable, Sendable { case information, warning, error }

  case said(String, by: String, isOwn: Bool)
  case did(String, by: String)
  /// What is worth keeping.
  case note(String)
  /// What counts for the moment.
  case told(String, Severity)

  /// As one line.
  var sentence: String {
    switch self {
    case .said(let text, let author, _): "\(author): \(text)"
    case .did(let what, let author): "\(author) \(what)"
    case .note(let text), .told(let text, .information), .told(let text, .warning): text
    case .told(let text, .error): "error: \(text)"
    }
  }
}

/// Makes the words of events, of which some count only once.
struct Narrator: Sendable {
  private var wasDisconnected = false
  /// What was said last about how others get in.
  private var reachNews: String?

  mutating func narrate(_ event: TheaterEvent, _ status: TheaterStatus) -> [Narration] {
    switch event {
    case .reach(_, let reach):
      guard let news = reach.news, news != reachNews else { return [] }
      reachNews = news
      return [.note(news)]
    case .joined(let me): return [.note("you are in, as \(me.name)")]
    case .participantJoined(let participant): return [.did("joined", by: participant.name)]
    case .participantLeft(let participant, let announced):
      return [.did(announced ? "left" : "fell silent", by: participant.name)]
    case .renamed(let participant, let old): return [.did("is now \(participant.name)", by: old)]
    case .chat(let participant, let text):
      return [.said(text, by: participant.name, isOwn: participant.id == status.me?.id)]
    case .rules(let rules, let old, let by):
      return rules.changes(from: old, name: status.name(of:)).map { .did($0, by: by) }
    case .activity(let activity, let by):
      return [.did("opened \(PartyText.clean(activity.title, limit: 200))", by: by)]
    case .command(let change, let by): return Self.words(change).map { [.did($0, by: by)] } ?? []
    case .latencyOffset(let offset, let device):
      return [
        .told("latency offset \(offset.text)" + (device.map { " (\($0))" } ?? ""), .information)
      ]
    case .video(let mode, let isClosed):
      let place =
        switch mode {
        case .frames: "in the pane"
        case .window: "in a window"
        case .none: "nowhere"
        }
      return [
        .told((isClosed ? "the window was closed; " : "") + "picture: \(place)", .information)
      ]
    case .drawingBegan(let by, again: false):
      return [.did("draws on the picture", by: by)]
    case .drawingBegan(let by, again: true): return [.did("began another drawing", by: by)]
    case .sessionEnded(let by): return [.did("ended the film for everyone", by: by)]
    case .left: return [.note("you left the party")]
    case .connected:
      defer { wasDisconnected = false }
      return wasDisconnected ? [.told("the relay is back", .information)] : []
    case .disconnected(let reason):
      wasDisconnected = true
      return [
        .told("the relay is away (\(reason)): the film goes on, and it is tried again", .warning)
      ]
    case .met(let participant, let before):
      let name = before.name == participant.name ? "" : ", then as \(before.name)"
      return [
        .note(
          "\(participant.name): you have met before, on \(Remembered.day(before.seenAt))\(name)")
      ]
    case .listed(let listing): return listing.sentences.map { .note($0) }
    case .warning(let text): return [.told(text, .warning)]
    case .failed(let text): return [.told(text, .error)]
    case .hosting, .readyCheck, .mayOpen, .reaction, .drawing, .opened, .playlist, .waiting,
      .suspension, .openWanted, .library,
      .changed, .ended, .userQuit:
      return []
    }
  }

  private static func words(_ change: CoordinatedChange) -> String? {
    switch change.kind {
    case .play: "pressed play"
    case .pause: "paused at \(clock(change.itemTime))"
    case .seek: "went to \(clock(change.itemTime))"
    case .rate: "set the speed to \(rate(change.rate))"
    case .ended, .proposed: nil
    }
  }

  /// Why somebody is apart from the group.
  static func words(for reason: CoordinatedPlaybackSuspension.Reason) -> String {
    switch reason {
    case .stallRecovery: "catching up…"
    case .audioSessionInterrupted: "interrupted"
    case .playingInterstitial: "sees a trailer"
    case .coordinatedPlaybackNotPossible: "can't play it"
    case .userActionRequired: "busy"
    case .userIsChangingCurrentTime: "looks around"
    case .init(rawValue: "steppedAway"): "stepped away"
    case .init(rawValue: "whatHappened"): "what happened?"
    case Theater.readyCheck: "not ready yet"
    default: PartyText.clean(reason.rawValue, limit: 40)
    }
  }

  /// "12:41", "1:02:03"
  static func clock(_ place: MediaTime) -> String {
    let seconds = Int(max(0, place.seconds))
    return seconds >= 3600
      ? String(format: "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
      : String(format: "%d:%02d", seconds / 60, seconds % 60)
  }

  static func rate(_ rate: Double) -> String {
    String(format: "%g×", (rate * 100).rounded() / 100)
  }
}
