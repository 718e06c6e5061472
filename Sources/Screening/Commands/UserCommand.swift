import DrawTogether
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// A command of the user: every request to the program except those that concern only the screen.
///
/// Keys, `keys.conf`, lines after a slash, `--headless` lines, mpv's window and the desktop all produce these values.
/// ``UserCommandTable`` has their names, arguments and help.
package enum UserCommand: Hashable, Sendable {
  /// A point in the picture.
  package typealias Point = PicturePoint

  // Playback, for the group.
  /// Plays. `immediately` doesn't wait for participants who aren't ready.
  case play(immediately: Bool)
  /// Pauses at this participant's frame.
  case pause
  /// Pauses if the group plays or is about to, otherwise plays.
  case playPause
  /// Pauses, and returns to the beginning; a live stream only pauses.
  case stop
  /// Seeks to a position in the item.
  case seek(to: MediaTime)
  /// Seeks by a distance; back if negative.
  case skip(by: Duration)
  /// Seeks to a position in per cent of the duration, or by that part of it.
  case seekPercent(Double, isRelative: Bool)
  /// Moves by this number of chapters, or of ten minutes if there are no chapters; back if negative.
  case seekChapter(by: Int)
  /// Moves one frame on (1) or back (-1), and pauses.
  case frameStep(by: Int)
  /// Sets the rate, 0.01 to 100.
  case setRate(Double)
  /// Changes the rate by this difference.
  case addRate(Double)
  /// Multiplies the rate by this factor.
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
  /// Opens a file or a URL for the group, also in place of a film that is missing here.
  case loadForEveryone(String)
  /// Opens a file in the place of the party's film, of which this participant has no copy.
  case sameFilm(String)
  /// Sets the time by which the own copy's times are larger than the party's, or adds to it.
  case offset(Duration, isChange: Bool)
  /// Opens a film where the user stopped watching it, in a party for everyone.
  case loadResumed(String)
  /// Opens a file or a URL for this participant only.
  case loadAlone(String)
  /// Appends a file or a URL to the playlist.
  case enqueue(String)
  /// Moves by this number of films in the playlist; back if negative.
  case advance(by: Int)
  /// Plays the playlist's film at this index, from 0.
  case watch(entry: Int)
  /// Moves an entry of the playlist; `to` is its index afterwards. Both count from 0.
  case moveEntry(from: Int, to: Int)
  /// Removes the playlist's film at this index, from 0.
  case dropEntry(Int)

  // This participant's video and sound.
  /// Sets the volume, in per cent of full volume.
  case setVolume(Double)
  /// Changes the volume by this difference, in per cent of full volume.
  case changeVolume(by: Double)
  /// Turns the sound off or on.
  case toggleMute
  /// Lowers the film while a call is audible, or no longer; nil for the opposite of now.
  case duck(Bool?)
  /// Sets the delay of the output that mpv doesn't know about.
  case setLatencyOffset(Duration)
  /// Changes that delay by this number of steps.
  case changeLatencyOffset(by: Int)
  /// Selects the next audio track.
  case cycleAudio
  /// Selects the next subtitles (1) or the previous ones (-1).
  case cycleSubtitles(by: Int)
  /// Hides or shows the subtitles.
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
  /// Replays the last seconds faster, for this participant only, until it has caught up with the group.
  case whatHappened
  /// Leaves the group's playback for this reason, until ``resume``.
  case suspend(CoordinatedPlaybackSuspension.Reason)
  /// Rejoins the group's playback at its position.
  case resume
  /// Reports whether this participant is ready: a start waits for one that isn't, for a limited time.
  case setReady(Bool)
  /// Reports the opposite of the last report.
  case toggleReady
  /// Asks all participants whether they are ready; a start waits for each answer.
  ///
  /// - Parameter countdown: the number of seconds that are counted down before the start.
  case askWhetherReady(countdown: Int = 0)

  // Between people.
  /// Sends a chat message.
  case say(String)
  /// Shows a sign over the picture of all participants.
  case react(Reaction)
  /// Asks the party whether to do this.
  case propose(Voting.Proposal)
  /// Writes the chat and the reactions about the film to a file: subtitles, or text.
  case export(String)
  /// Shows the remarks of earlier evenings at their places in the film, or no longer.
  case toggleEchoes
  /// Changes this participant's name.
  case setName(String)
  /// Takes part in the drawing over the picture.
  case drawing(Drawing)

  // The party.
  /// Opens a party, of which this participant is the host.
  case host
  /// Joins a party through a pasted invite; nil for the one to which a person in a room elsewhere invited.
  case join(invite: String?)
  /// Rejoins the remembered party with this id; nil for the last one.
  case rejoin(String?)
  /// Makes a link for one friend with a browser, and writes its page to this file, unless it is nil.
  case page(String?)
  /// Opens the door for friends with Syncplay at this address; nil for the open one, or else the usual one.
  case syncplay(ListenAddress?)
  /// Lets the others watch the films that are files of this user from here, or no longer.
  case share(Bool, ShareQuality? = nil)
  /// Lets the others choose subtitles from a file of this user; nil for the file of the selected ones.
  case shareSubtitles(String?)
  /// Keeps a complete copy of the film that another participant shares, in a folder; nil for the current one.
  case keep(folder: String?)
  /// Leaves the party; without a party, dismisses the note that the last one ended.
  case leave
  /// Ends the film for all participants; the party continues.
  case endFilm
  /// Pauses, and ends the party for all participants.
  case endParty
  /// Changes the party's rules.
  case rule(Rule)
  /// Answers the question whether a film may be opened from its server, for this run or permanently.
  case answer(Bool, forGood: Bool)

  // The library.
  /// Lists and changes what is remembered.
  case library(Library)

  // The program.
  /// Reports the state of playback and the party.
  case state
  /// Ends the program, and lets this machine relay for the party until its last participant has left.
  case keepRelay
  /// Leaves the party, and ends the program.
  case quit

  /// A part of drawing together.
  package enum Drawing: Hashable, Sendable {
    /// Takes part in the drawing. With points, it also draws a line through them.
    case draw([Point])
    /// Begins a stroke.
    case press(at: Point)
    /// Draws to a point while the pen is down.
    case move(to: Point)
    /// Ends the stroke.
    case lift
    /// Removes this participant's last stroke.
    case undo
    /// Begins another drawing, for the whole party.
    case reset
    /// Leaves the drawing; the others continue.
    case leave
  }

  /// A request to the library.
  package enum Library: Hashable, Sendable {
    /// Lists the media folders.
    case folders
    /// Adds a media folder, and scans it.
    case addFolder(String)
    /// Removes a media folder and its known files from the library; the files themselves are kept.
    case dropFolder(String)
    /// Scans the media folders again.
    case scan
    /// Lists the films whose names contain these words.
    case search(String)
    /// Lists the moments that several people marked.
    case moments
    /// Lists the remembered parties.
    case parties
    /// Forgets the party with this id, and all people met in it.
    case forgetParty(String)
    /// Lists the people met in parties.
    case people
    /// Lists the servers that are trusted permanently.
    case hosts
    /// Stops trusting a server.
    case forgetHost(String)
  }

  /// A change of the party's rules.
  package enum Rule: Hashable, Sendable {
    /// Chooses the participants that may control playback.
    case control(PartyRules.Control)
    /// Chooses the fate of the party when its host leaves.
    case lifetime(PartyRules.Lifetime)
    /// Chooses the participants that a start waits for.
    case waitFor(PartyRules.Waiting)
    /// Makes the participant with this name a co-host.
    case coHost(name: String)
    /// Makes the co-host with this name a guest again.
    case guest(name: String)
    /// Makes the participant with this name the host.
    case handOver(name: String)
    /// Removes the participant with this name from the party.
    case remove(name: String)
    /// Refuses newcomers; the present participants stay admitted.
    case close
    /// Admits newcomers again.
    case open
  }
}

/// The reason why a text isn't a command, as text for the user.
package struct UserCommandProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
  /// A Boolean value that indicates whether no command has the name.
  package var isUnknownCommand = false

  /// - Parameter description: a sentence with an example.
  package init(_ description: String) { self.description = description }
}

extension CoordinatedPlaybackSuspension.Reason {
  /// The user watches apart from the group for a while.
  package static let steppedAway = Self(rawValue: "steppedAway")
}
