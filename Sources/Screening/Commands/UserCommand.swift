import DrawTogether
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// A command of the user: every request to the program except those that concern only the screen.
///
/// Keys, `keys.conf`, lines after a slash, `--headless` lines, mpv's window and the desktop all produce these values.
/// ``UserCommandTable`` has their names, arguments and help.
public enum UserCommand: Hashable, Sendable {
  /// A point in the picture.
  public typealias Point = PicturePoint

  // Playback, for the group.
  /// Plays. `immediately` doesn't wait for participants who aren't ready.
  case play(immediately: Bool)
  case pause
  case playPause
  /// Pauses, and returns to the beginning; a live stream only pauses.
  case stop
  case seek(to: MediaTime)
  case skip(by: Duration)
  /// Seeks to a position in per cent of the duration, or by that part of it.
  case seekPercent(Double, isRelative: Bool)
  /// Moves by this number of chapters, or of ten minutes if there are no chapters; back if negative.
  case seekChapter(by: Int)
  /// Moves one frame on (1) or back (-1), and pauses.
  case frameStep(by: Int)
  case setRate(Double)
  case addRate(Double)
  case multiplyRate(by: Double)
  /// Selects the rate that follows the current one.
  case cycleRates([Double])
  /// Shows this position to this participant alone.
  case scrub(to: MediaTime)
  /// Ends the preview: the group moves to the position, or, with nil, this player returns to the group.
  case endScrub(at: MediaTime?)

  // Films.
  /// Opens a file or a URL, for the group.
  case load(String)
  /// Opens a file or a URL for this participant only.
  case loadAlone(String)
  case enqueue(String)
  /// Moves by this number of films in the playlist; back if negative.
  case advance(by: Int)
  /// Plays the playlist's film at this index, from 0.
  case watch(entry: Int)
  /// Moves an entry of the playlist; `to` is its index afterwards. Both count from 0.
  case moveEntry(from: Int, to: Int)
  case dropEntry(Int)

  // This participant's video and sound.
  /// Sets the volume, in per cent of full volume.
  case setVolume(Double)
  case changeVolume(by: Double)
  case toggleMute
  /// Sets the delay of the output that mpv doesn't know about.
  case setLatencyOffset(Duration)
  /// Changes that delay by this number of steps.
  case changeLatencyOffset(by: Int)
  case cycleAudio
  /// Selects the next subtitles (1) or the previous ones (-1).
  case cycleSubtitles(by: Int)
  case toggleSubtitles
  /// Moves the video into the terminal, into a window of its own, or nowhere.
  case cycleVideo
  /// Makes mpv's window a small one in the corner, or restores it.
  case togglePictureInPicture
  /// Sets whether mpv's window covers the whole screen.
  case setFullscreen(Bool)
  /// A command of mpv's that concerns only this player.
  case player(PlayerCommand)

  // Apart from the group, and ready for it.
  case whatHappened
  case suspend(CoordinatedPlaybackSuspension.Reason)
  case resume
  case setReady(Bool)
  case toggleReady
  case askWhetherReady

  // Between people.
  case say(String)
  case react(Reaction)
  case setName(String)
  /// Takes part in the drawing. With points, it also draws a line through them.
  case draw([Point])
  case pressPen(at: Point)
  case movePen(to: Point)
  case liftPen
  /// Removes this participant's last stroke.
  case undoStroke
  /// Begins another drawing, for the whole party.
  case resetDrawing
  case leaveDrawing

  // The party.
  case host
  case join(invite: String)
  /// Rejoins the remembered party with this id; nil for the last one.
  case rejoin(String?)
  /// Leaves the party; without a party, dismisses the note that the last one ended.
  case leave
  /// Ends the film for all participants; the party continues.
  case endFilm
  case endParty
  case rule(Rule)
  /// Answers the question whether a film may be opened from its server, for this run or permanently.
  case answer(Bool, forGood: Bool)

  // The library.
  case folders
  case addFolder(String)
  case dropFolder(String)
  case scan
  case search(String)
  case parties
  case forgetParty(String)
  case people
  case hosts
  case forgetHost(String)

  // The program.
  case state
  case quit

  /// A change of the party's rules.
  public enum Rule: Hashable, Sendable {
    case control(PartyRules.Control)
    case lifetime(PartyRules.Lifetime)
    case waitFor(PartyRules.Waiting)
    case coHost(name: String)
    case guest(name: String)
    case handOver(name: String)
    case remove(name: String)
    case close
    case open
  }
}

/// The reason why a text isn't a command, in words for the user.
public struct UserCommandProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  /// - Parameter description: a sentence with an example.
  public init(_ description: String) { self.description = description }
}

extension CoordinatedPlaybackSuspension.Reason {
  /// The user watches apart from the group for a while.
  public static let steppedAway = Self(rawValue: "steppedAway")
}
