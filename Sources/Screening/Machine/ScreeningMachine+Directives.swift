import GroupActivities
import PlaybackCoordination
import Timekeeping

extension ScreeningMachine {
  /// An effect that the shell brings about. Directives are performed in order; the first that fails ends the rest, and
  /// its error is the answer to the command.
  package indirect enum Directive: Hashable, Sendable {
    // MARK: The group's playback
    case setRate(Double, immediately: Bool)
    case setDefaultRate(Double)
    case seek(to: MediaTime)
    /// Tell the coordinator that the user sought in the player.
    case reportSeek(to: MediaTime)
    /// Tell the coordinator that the film ended, and return to the machine with ``Event/endReported(item:isEarly:isOver:)``.
    case reportEnd(at: MediaTime, item: String?, isEarly: Bool)
    case reportLoadedPercent
    /// A start waits for participants who are apart for these reasons.
    case waitFor(Set<CoordinatedPlaybackSuspension.Reason>)
    /// Return the player to the group's position, because it did something that the group doesn't do.
    case reapply
    case whatHappened
    case endReplay

    // MARK: Films
    /// Give the programme an event, and wait until its directives are performed.
    case film(Programme<Refusal>.Event)
    /// Wait until the file that this user chose is open, or can't be opened.
    case waitForFile
    /// Read the identity of the film at this location, and return with it for this purpose.
    case identify(String, Purpose)
    /// Remember copies that the user named.
    case rememberCopies([FilmIdentity])
    /// Make this the list of the party's session.
    case setList(ListEdit)
    /// Begin a session of the party with this film.
    case beginSession(FilmIdentity)
    /// Trust the server that the user is asked about.
    case allowServer(forGood: Bool)

    // MARK: The rooms
    case player(PlayerOrder)
    case trailer(TrailerOrder)
    case drawing(DrawingOrder)
    case party(PartyOrder)
    case library(LibraryOrder)

    // MARK: Answers
    case tell(ScreeningEvent)
    /// Answer with the state.
    case tellState
    /// Report the participants with their states.
    case tellParticipants
    /// Decide about this command with a fresh reading, as a part of the command before it.
    case then(UserCommand)
    /// Refuse the rest of the command.
    case refuse(CoordinationError)
    /// Perform these; a failure isn't the command's, but leads to this.
    case attempt([Directive], orElse: Failure)
  }

  /// The use of a film that was identified.
  package enum Purpose: Hashable, Sendable {
    case watch, watchAlone, enqueue
    /// The user loaded the film in the player itself.
    case loadedInPlayer
  }

  /// The consequence of a failure.
  package enum Failure: Hashable, Sendable {
    /// Report the error, after these words.
    case tell(String)
    case warn
    /// Report the error, and return the player to the group's position.
    case reapply
  }

  /// An edit of the party's playlist.
  package struct ListEdit: Hashable, Sendable {
    package var playlist: Playlist
    /// The list before the edit, which holds again if the session's list can't be set.
    var before: SharedPlaylist
    /// A Boolean value that indicates whether the edit also lets the next film play.
    var plays: Bool
  }

  /// An order to this participant's own player.
  package enum PlayerOrder: Hashable, Sendable {
    case setVolume(Double)
    case changeVolume(by: Double)
    case toggleMute
    case setLatencyOffset(Duration)
    case changeLatencyOffset(by: Int)
    case cycleAudio
    case cycleSubtitles(by: Int)
    case toggleSubtitles
    case cycleVideo
    case togglePictureInPicture
    case setFullscreen(Bool)
    case perform(PlayerCommand)
  }

  package enum TrailerOrder: Hashable, Sendable { case playPause, stop }

  package enum DrawingOrder: Hashable, Sendable {
    /// Take part in the drawing on this item, and draw a line through these points, if there are any.
    case draw([UserCommand.Point])
    case press(at: UserCommand.Point)
    case move(to: UserCommand.Point)
    case lift
    case undo
    case reset
    case leave
  }

  package enum PartyOrder: Hashable, Sendable {
    case host
    case join(invite: String)
    case rejoin(String?)
    case leave(closing: Bool)
    /// The party is over for this participant.
    case leaveEnded(PartyEnding)
    case endSession
    case change(UserCommand.Rule)
    case say(String)
    case react(Reaction)
    case rename(String)
    case askWhetherReady
    /// Remember a participant, unless the party is a crowd.
    case meet(Participant)
    case rememberRules
    /// Remember why this participant doesn't return to the party.
    case rememberEnding(String)
  }

  package enum LibraryOrder: Hashable, Sendable {
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
  }
}
