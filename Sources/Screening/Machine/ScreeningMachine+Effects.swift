import DrawTogether
import GroupActivities
import PlaybackCoordination
import Timekeeping
import WatchTogether

extension ScreeningMachine {
  /// An action for an adapter. The effects of an event are performed in order; the first that fails ends the rest, and
  /// its error is the answer to the command.
  package indirect enum Effect: Hashable, Sendable {
    // MARK: The group's playback
    case setRate(Double, immediately: Bool)
    case setDefaultRate(Double)
    case seek(to: MediaTime)
    /// Tell the coordinator that the user sought in the player.
    case reportSeek(to: MediaTime)
    /// Tell the coordinator that the film ended; the answer is ``PlaybackEvent/endReported(item:isEarly:isOver:)``.
    case reportEnd(at: MediaTime, item: String?, isEarly: Bool)
    /// Tell the coordinator that the film ends here, without further consequences.
    case endHere(at: MediaTime)
    case reportLoadedPercent(Int?)
    /// A start waits for participants who are apart for these reasons, in a group of at most this many.
    case waitFor(Set<CoordinatedPlaybackSuspension.Reason>, upTo: Int)
    /// Return the player to the group's position, because it did something that the group doesn't do.
    case reapply
    case whatHappened
    case endReplay
    case separate(Separation, for: CoordinatedPlaybackSuspension.Reason)
    case rejoin(Separation, proposing: MediaTime?)
    /// Tell the coordinator that the player has a film that can be played.
    case tellReady
    /// Leave the coordinator without an item.
    case clearItem
    /// Read the position, then decide.
    case look(Inquiry)
    case sync(SyncOrder)

    // MARK: The other adapters
    case film(FilmOrder)
    case player(PlayerOrder)
    case trailer(TrailerOrder)
    case drawing(DrawingOrder)
    case party(PartyOrder)
    case library(LibraryOrder)
    case share(ShareOrder)
    /// Settle whether this list is for everyone in the party; the answer is ``Event/intentSettled(_:_:)``.
    case prepareActivation(FilmChoice.Number, Playlist)

    // MARK: Answers
    case report(ScreeningEvent)
    /// Answer the command with the state.
    case tellState
    /// Report the participants with their states.
    case reportToParticipants

    // MARK: The order of effects
    /// Go on with this event once the effects before it are performed.
    case then(Event)
    /// Wait until this is true.
    case wait(Condition)
    /// Refuse the rest of the command.
    case refuse(CoordinationError)
    /// Perform these; a failure isn't the command's, but leads to this.
    case attempt([Effect], orElse: FailureEffect)
  }

  /// A decision that needs the position at this moment.
  package enum Inquiry: Hashable, Sendable {
    case command(UserCommand)
    /// Let the film play that was opened, whatever else is on the screen.
    case playFilm
    /// Note the tracks with which the film was opened, before the user can choose others.
    case tracks
    /// Remember the position in this film.
    case remember(FilmIdentity)
    /// The rest of the film will never arrive: it ends here.
    case endHere
  }

  /// A condition for which effects wait.
  package enum Condition: Hashable, Sendable {
    /// The file that this user chose is open, or can't be opened.
    case fileIsOpen
    /// The departure from the last party is complete.
    case departed
  }
}

/// The use of a film that was identified.
package enum FilmPurpose: Hashable, Sendable {
  case watch, watchAlone, enqueue
  /// To watch the film after the one that it continues.
  case sequel
  /// To watch the film from where the user stopped watching it.
  case resume
  /// The film was appended to the player's own list.
  case queuedInPlayer
  /// The user loaded the film in the player itself.
  case loadedInPlayer
  /// To watch the film with everyone, also in place of a film of the party that is missing here.
  case watchTogether
  /// To watch the film in the place of the party's film.
  case sameFilm
}

/// The consequence of a failure that isn't the command's.
package enum FailureEffect: Hashable, Sendable {
  /// Report the error, after these words.
  case report(String)
  /// Warn of the error, after these words.
  case warn(String)
  case nothing
  /// Report the error, and return the player to the group's position.
  case reapply
}
