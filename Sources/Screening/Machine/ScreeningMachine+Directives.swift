import PlaybackCoordination
import Timekeeping
import WatchTogether

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
    /// A start waits for participants who are apart for these reasons, in a group of at most this many.
    case waitFor(Set<CoordinatedPlaybackSuspension.Reason>, upTo: Int)
    /// Return the player to the group's position, because it did something that the group doesn't do.
    case reapply
    case whatHappened
    case endReplay

    // MARK: Films
    /// Give the film machine an event, and wait until its directives are performed.
    case film(FilmMachine<Refusal>.Event)
    /// Wait until the file that this user chose is open, or can't be opened.
    case waitForFile
    /// Read the identity of the film at this location, and return with it for this purpose.
    case identify(String, FilmPurpose)
    /// Remember copies that the user named.
    case rememberCopies([FilmIdentity])
    /// Make this the list of the party's session.
    case setList(ListEdit)
    /// Begin a session of the party with this film.
    case beginSession(FilmIdentity)
    /// Settle whether this list is for everyone in the party, and return with the answer to this question.
    case prepareActivation(FilmChoice.Number, Playlist)
    /// Trust the server that the user is asked about.
    case allowServer(forGood: Bool)

    // MARK: The rooms
    case player(PlayerOrder)
    case trailer(TrailerOrder)
    case drawing(UserCommand.Drawing)
    case party(PartyOrder)
    case library(UserCommand.Library)

    // MARK: Answers
    case report(ScreeningEvent)
    /// Answer with the state.
    case tellState
    /// Report the participants with their states.
    case reportToParticipants
    /// Decide about this command with a fresh reading, as a part of the command before it.
    case then(UserCommand)
    /// Refuse the rest of the command.
    case refuse(CoordinationError)
    /// Perform these; a failure isn't the command's, but leads to this.
    case attempt([Directive], orElse: FailureEffect)
  }
}

/// The use of a film that was identified.
package enum FilmPurpose: Hashable, Sendable {
  case watch, watchAlone, enqueue
  /// To watch the film from where the user stopped watching it.
  case resume
  /// The user loaded the film in the player itself.
  case loadedInPlayer
}

/// The consequence of a failure that isn't the command's.
package enum FailureEffect: Hashable, Sendable {
  /// Report the error, after these words.
  case report(String)
  /// Warn of the error, after these words.
  case warn(String)
  /// Report the error, and return the player to the group's position.
  case reapply
}
