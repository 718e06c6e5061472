import GroupActivities
import PlaybackCoordination
import Timekeeping
import WatchTogether

/// The origin of a choice of a film.
package enum Chooser: Hashable, Sendable {
  /// This user, who wants the film opened in any case.
  case user
  case participant(Participant.ID, isLocal: Bool)
  /// Some participant: this one knows of the choice only from another one that restated it.
  case unknown

  var isOwn: Bool {
    switch self {
    case .user: true
    case .participant(_, let isLocal): isLocal
    case .unknown: false
    }
  }
}

extension FilmMachine {
  package enum Event: Hashable, Sendable {
    case enteredParty
    case leftParty
    /// The user chose a film outside a party, which is the current one of this participant's own list.
    case chose(FilmIdentity, Playlist, proposing: PlaybackTiming?)
    /// The user chose a film for this participant only.
    case choseAlone(FilmIdentity)
    /// The group's program is another, or its list changed; outside a party, this participant's own.
    ///
    /// The cause is ``FilmCause/following`` if the film on the screen is at its end. It counts only if the new film
    /// is the next one.
    case adopted(Playlist, by: Chooser, FilmCause)
    /// The list changed outside a party, without another current film.
    case edited(Playlist)
    /// A session of the party began.
    case sessionBegan
    /// The answer to ``Directive/resolve(_:_:by:)``.
    case resolved(Number, Resolution)
    /// A scan found a copy of an entry's film, or the user watches one in the place of a stream.
    case copyFound(FilmIdentity, entry: UInt32)
    /// The answers to ``Directive/load(_:_:proposing:)``.
    case loaded(Number)
    case failed(Number, String)
    /// The film may not be loaded.
    case cannotLoad(Number, String)
    /// The film that a number belongs to needs a server that the user hasn't agreed to.
    case refused(Number, Refusal)
    /// The answer to ``Directive/describe(_:_:)``. `mayAsk`: whether one more question is acceptable.
    case described(Number, mayAsk: Bool)
    /// The user's answer to ``Directive/ask(_:_:)``.
    case answered(Bool)
    /// The film's server disappeared before the film's end.
    case lostServer
    /// The answers to ``Directive/reopen(_:_:)``.
    case reopened(Number)
    case reopeningFailed(Number)
    /// The player gave up the film, or the user closed it in the player.
    case unplayable
    /// The user returns to the group, whose program is given.
    case resumed(Playlist?)
    /// The user's own change in the player isn't allowed.
    case putBack(Playlist?)
    case separated(Separation, for: CoordinatedPlaybackSuspension.Reason)
    /// - Parameter proposing: the position that is proposed to the group; it counts if no other separation remains.
    case rejoined(Separation, proposing: MediaTime?)
    /// The coordinator didn't begin a separation.
    case separationFailed(Separation)
  }

  /// The way to the film of an entry.
  package enum Resolution: Hashable, Sendable {
    /// - Parameter chooser: the chooser of ``Directive/resolve(_:_:by:)``.
    case film(FilmIdentity, Chooser)
    /// This participant needs a copy and has none.
    case missing(String)
    /// The film's address isn't allowed.
    case refused(String)
    case ask(Refusal)
  }

  package enum Directive: Hashable, Sendable {
    /// Find this participant's copy of an entry's film, or decide about its address.
    case resolve(Number, PlaylistEntry, by: Chooser)
    /// Open a film. The film before it may continue until the new one is loaded.
    case load(Number, FilmIdentity, proposing: PlaybackTiming?)
    /// Open a film again at the group's position.
    case reopen(Number, FilmIdentity)
    /// A film is open: seek to the position, if there is one, and let it play if ``FilmMachine/playsOnceBegun(_:)`` is
    /// still true then.
    case begin(Number, FilmIdentity, at: MediaTime?, plays: Bool)
    /// Show the film that others begin in a small picture, if the user is looking for something else (rule 26).
    case makeRoom
    /// Remember the position in a film that is about to be left.
    case remember(FilmIdentity)
    /// Empty the player and the coordinator.
    case close
    /// Leave the coordinator without an item.
    case clearItem
    /// Give the coordinator the film on the screen again.
    case restoreItem(FilmIdentity)
    /// Look up the network of a server, for the question to the user.
    case describe(Number, Refusal)
    case ask(Number, Refusal)
    case separate(Separation, for: CoordinatedPlaybackSuspension.Reason)
    case rejoin(Separation, proposing: MediaTime?)
    /// Tell the coordinator that the player has data again.
    case tellReady
    /// The rest of the film will never arrive.
    case endEarly
    case announce(PlaylistEntry, by: Chooser, FilmCause)
    case tellPlaylist
    case report(failure: String)
    case tellOfTooManyQuestions
    case tellOfRepeatedLoss
    case tellOfLoss(isFirst: Bool)
  }
}
