import DrawTogether
import GroupActivities
import Timekeeping
import VoteTogether
import WatchTogether

/// An order about the party and its session.
package enum PartyOrder: Hashable, Sendable {
  /// Find a party of earlier runs; nil for the last one. It fails if it can't be entered again.
  case recall(String?)
  /// Enter a party; ``ScreeningMachine/PartyChange/entered(_:)`` comes before the answer.
  case enter(Entrance)
  /// Leave the party; the answer is ``ScreeningMachine/PartyChange/left(closing:isEligible:)``.
  case leave(Departure)
  /// Begin a session with an activity, and wait until the coordinator has entered it.
  case beginSession(FilmActivity)
  case endSession
  /// Make this the list of the session.
  case setList(ListEdit)
  /// Set the session's list again to what was merged.
  case restore(Playlist)
  case change(UserCommand.Rule)
  /// Send a message to everyone; the answer is ``ScreeningMachine/PartyChange/said(_:_:)``.
  case say(String)
  /// Ask a participant what was said before; the answer, if there is one, is
  /// ``ScreeningMachine/PartyChange/earlierChat(_:by:)``.
  case askForEarlierChat(Participant.ID)
  case sendEarlierChat([EarlierLine], to: Participant.ID)
  case react(Reaction)
  /// Begin a vote; ``ScreeningMachine/VoteEvent/asked(_:)`` follows.
  case propose(VoteTogether)
  case vote(Bool, in: GroupSessionID)
  /// End a vote for everyone.
  case endVote(GroupSessionID)
  case rename(String)
  case askWhetherReady
  /// Show the others the number of seconds until the start.
  case countDown(Int)
  /// Ask the faces to get the user's attention, because the session waits for an answer.
  case requestForeground
  /// Show the others a notice of this user's action.
  case showNotice(GroupSessionEvent.Action)
  /// Remember a participant, unless the party is a crowd.
  case meet(Participant)
  case rememberRules
  /// Remember the list of films, with which the host can open the party again.
  case rememberList(Playlist)
  /// Remember why this participant doesn't return to the party.
  case rememberEnding(String)

  // Friends without Matinee.
  /// Keep this door open; nil for none.
  case keepDoor(KeptDoor?)
  /// Make a link for one friend, and write its page to this file, unless it is nil.
  case makePage(String?)
  /// Open the door for friends with Syncplay at an address, and show it; nil for the open one, or else the usual one.
  case openSyncplay(ListenAddress?)
  /// Bring the people of the room from which this participant came into the party.
  case speakForRoom

  // The relays.
  case offerRelay(OwnRelay)
  /// Start a relay for the party; the answer is ``ScreeningMachine/PartyChange/served(_:)``.
  case serve
  case verify(RelayOffer, at: Invite.Address)
  /// The answer is ``ScreeningMachine/PartyChange/clients(_:)``.
  case countClients
  case bridge(to: String)
  case endBridge
  /// Show and remember the invite with the addresses of the party's relays now.
  case tellInvite([RelayOffer])
}

/// An order about what is remembered.
package enum LibraryOrder: Hashable, Sendable {
  case perform(UserCommand.Library)
  /// Find this user's own copy of an entry's film; the answer is ``ScreeningMachine/FilmEvent/searched(_:_:by:copy:isFresh:)``.
  ///
  /// - Parameters:
  ///   - named: the copies that the user named; the copy may be beside one of them.
  ///   - streams: the streams whose content may be read, to be compared with files: the entry's own, or for a file those
  ///     that the user named.
  case findCopy(
    FilmOrder.Number, PlaylistEntry, by: Chooser, named: [FilmIdentity], streams: [FilmIdentity])
  /// Look again for a copy of an entry's film; the answer, if there is one, is
  /// ``ScreeningMachine/FilmEvent/copyFound(_:entry:)``.
  case findMissing(PlaylistEntry)
  /// Find the films beside a film; the answer is ``ScreeningMachine/FilmEvent/foundBeside(_:_:)``.
  case findBeside(FilmIdentity)
  /// Find the position in a film; the answer is ``ScreeningMachine/FilmEvent/positionFound(_:_:)``.
  case findPosition(FilmIdentity)
  case remember(FilmIdentity, WatchHistory.Note, duration: MediaTime?)
  /// Remember the times of another copy on the party's timeline.
  case rememberCopy(FilmIdentity)
  /// Find the times of a copy that are remembered; the answer is ``ScreeningMachine/FilmEvent/recalled(_:)``.
  case recallCopy(CopyComparison)
  /// Remember a moment of a film, with its picture, in place of an earlier one at the same position.
  case rememberMoment(Evening.Moment)
  /// Remember a remark about a film.
  case rememberRemark(Evening.Remark)
  /// Find the remarks about the film with this identifier; the answer is
  /// ``ScreeningMachine/FilmEvent/remarksFound(_:about:)``.
  case recallRemarks(String)
  /// Write a text to a new file.
  case write(String, to: String)
  /// Trust a server permanently.
  case trust(FilmOrigin)
}

/// An order to the boards of the drawing.
package enum DrawingOrder: Hashable, Sendable {
  /// A stroke in the session that this participant is in.
  case stroke(UserCommand.Drawing, in: GroupSessionID)
  /// Request the party's sessions, again if they were requested before.
  case followSessions
  /// Forget all sessions, because the party is being left.
  case detach
  /// Start a drawing; a failure is ``DrawingPart/Event/startFailed(_:)``.
  case start(DrawingPart.Number, DrawTogether)
  /// Start a drawing that replaces the current one.
  case replace(DrawTogether)
  case draw(GroupSessionID, strokesOf: GroupSessionID?, lines: [[PicturePoint]])
  /// Join a session; the answer is ``ScreeningMachine/DrawingEvent/entered(_:)``.
  case enter(DrawingPart.Number, GroupSessionID)
  case follow(GroupSessionID)
  case leave(GroupSessionID)
  case release(GroupSessionID)
}
