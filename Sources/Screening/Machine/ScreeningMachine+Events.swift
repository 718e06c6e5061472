import DrawTogether
import GroupActivities
import PlaybackCoordination
import Timekeeping
import WatchTogether

extension ScreeningMachine {
  /// An event from outside: the only way to change the machine.
  package enum Event: Hashable, Sendable {
    // MARK: The user
    case command(UserCommand)
    /// The user chose a film in a list.
    ///
    /// - Parameters:
    ///   - at: the remembered position to continue at; nil for the beginning.
    ///   - isAnew: true if the film begins at its start, whatever is remembered.
    case chose(FilmIdentity, at: MediaTime?, isAnew: Bool)
    /// The answer to ``Effect/prepareActivation(_:_:)``.
    case intentSettled(FilmChoice.Number, GroupActivityActivationResult)
    /// The user begins or stops looking for something to watch.
    case browsing(Bool)
    /// The user closed mpv's window.
    case windowClosed
    /// The program ends.
    case quits

    // MARK: The start
    /// The program has started.
    ///
    /// - Parameters:
    ///   - trusting: the servers that the user trusts permanently.
    ///   - naming: locations that the user named, which are loaded beside films of other participants.
    ///   - trailers: shown before the first film.
    ///   - isEligible: true if this process is in a party.
    case started(
      trusting: [String], naming: [String], trailers: [String], isEligible: Bool)
    /// Copies of films that the command line names.
    ///
    /// - Parameter isSameFilm: true if the only file among them is the party's film in another copy.
    case named([FilmIdentity], isSameFilm: Bool)
    /// The films of the command line, in their order.
    ///
    /// - Parameters:
    ///   - resumes: true if the first one continues where the user stopped watching it.
    ///   - start: mpv's option of that name; nil if it isn't set.
    case planned([FilmIdentity], resumes: Bool, start: String?)
    case opensPlanned

    // MARK: The parts of the program
    case fact(Fact)
    case playback(PlaybackEvent)
    case film(FilmEvent)
    case party(PartyChange)
    case drawing(DrawingEvent)
    case vote(VoteEvent)
    case share(ShareEvent)
  }

  /// A fact that an adapter reports when it changes.
  package enum Fact: Hashable, Sendable {
    case player(PlayerFacts)
    case group(GroupFacts)
    /// Nil outside a party.
    case party(PartyFacts?)
    /// The film on the screen is, or isn't, a live stream.
    case live(Bool)
    /// The locations at which the picture can be shown.
    case picture(PictureLocations)
    /// An interval has passed. All facts are fresh.
    case tick
  }

  /// An event of the player and the coordinator.
  package enum PlaybackEvent: Hashable, Sendable {
    case reported(PlayerReport)
    /// The player begins or ends a wait for data.
    case stalled(Bool)
    /// The output has another latency.
    ///
    /// - Parameter isSettled: true once the user has stopped changing it.
    case latencyChanged(isSettled: Bool)
    /// A call in another program became audible, or is silent again.
    case callHeard(Bool)
    case coordinated(CoordinatorEvent)
    /// The answer to ``Effect/reportEnd(at:item:isEarly:)``.
    ///
    /// - Parameter isOver: true if the group's film is over; false if the others' copies are longer, or the group has gone
    ///   elsewhere.
    case endReported(item: String?, isEarly: Bool, isOver: Bool)
    /// The answer to ``Effect/look(_:)``, after fresh facts.
    case looked(Inquiry)
    /// The answer to ``SyncOrder/correct(reportsEnd:isLive:)``: the distance from the group; nil if nothing could be
    /// measured.
    case measured(error: Duration?)
    /// The answer to ``SyncOrder/goOnAlone``: the player's position; nil if it is paused.
    case wentOn(to: MediaTime?)
    /// A wait for data is over, and the coordinator knows.
    case stallOver
  }

  /// An event about films, most of them answers.
  package enum FilmEvent: Hashable, Sendable {
    /// An answer to a request of the film machine.
    case answer(FilmMachine<OriginRefusal>.Event)
    case identified(FilmIdentity, FilmPurpose)
    /// The answer to ``FilmOrder/tryOut(_:_:)``: the film can be opened.
    case canPlay(FilmChoice.Number)
    /// The answer to ``FilmOrder/compare(_:with:_:)``.
    case compared(CopyComparison, CopyComparison.Purpose)
    /// The answer to ``LibraryOrder/recallCopy(_:)``: the user watches the film in the place of the party's.
    case recalled(CopyComparison)
    /// The location is that of a list of these films.
    case listed([String], FilmPurpose)
    /// The answer to ``LibraryOrder/findCopy(_:_:by:named:streams:)``.
    ///
    /// - Parameter isFresh: true if one of the files that the user named was written to a moment ago.
    case searched(
      FilmOrder.Number, PlaylistEntry, by: Chooser, copy: FilmIdentity?, isFresh: Bool)
    case copyFound(FilmIdentity, entry: UInt32)
    /// The library changed: a copy of the film that is missing may be there.
    case libraryChanged
    /// The answer to ``LibraryOrder/findBeside(_:)``: the films in the film's folder, in the order in which people sort
    /// their names.
    case foundBeside(FilmIdentity, [String])
    /// The answer to ``LibraryOrder/findPosition(_:)``.
    case positionFound(FilmIdentity, MediaTime?)
    /// The answer to ``LibraryOrder/recallRemarks(_:)``, with the film's identifier.
    case remarksFound([Echoes.Echo], about: String)
    /// The position at which this film continues has been looked up.
    case resumes(FilmIdentity)
    case networkFound(HostNetwork, of: OriginRefusal, FilmOrder.Number)
    case arrivalNetworkFound(HostNetwork, of: FilmOrigin, SessionStart)
    /// A film is loaded, and the effects of its beginning are performed up to its remembered position.
    case filmStarts(FilmOrder.Number)
    case trailer(Trailers.Event)
  }

  /// An event of the party and its session.
  package enum PartyChange: Hashable, Sendable {
    /// This participant enters a party, if there is none.
    case enters(Entrance)
    case entered(EnteredParty)
    case leaves(closing: Bool)
    /// The party that was opened has participants, or is empty.
    ///
    /// - Parameter remembered: the films of the last stay.
    case hosted(isEmpty: Bool, remembered: Playlist?)
    /// An event of the party.
    ///
    /// - Parameter precedes: true if a participant who joined was in the party before this one.
    case reported(PartyEvent, precedes: Bool)
    /// The answer to ``PartyOrder/leave(_:)``.
    case left(closing: Bool, isEligible: Bool)
    case sessionBegan(SessionStart)
    /// A participant, perhaps this one, set the session's list; nil for one that restated it.
    case listChanged(Playlist, by: Participant.ID?)
    case readyCheck(by: Participant)
    /// Another participant counts down to the start.
    case countdown(Int, by: Participant)
    /// A participant, perhaps this one, reacted to the film.
    case reacted(Participant, Reaction)
    /// This participant sent a message to everyone.
    case said(Participant, String)
    /// A participant who joined the session asks for what was said before.
    case earlierChatWanted(by: Participant)
    case earlierChat([EarlierLine], by: Participant)
    case ruleChanged(UserCommand.Rule)
    case relays([RelayOffer])
    case relayMoved(OwnRelay)
    case served(OwnRelay)
    case clients(Int)
    case bridgeFailed(to: String)
    /// The list of the room elsewhere is at the file with this name, which a person in the room chose.
    case roomListed(String, by: String?)
    /// These participants control the room elsewhere.
    case roomOperators([Participant.ID])
    /// A person in the room elsewhere has opened a party for those there who have Matinee.
    case roomInvited(Invite, by: String)
  }

  /// An event of the party's votes.
  package enum VoteEvent: Hashable, Sendable {
    /// A participant, perhaps this one, began a vote.
    case asked(Voting.Question)
    /// The votes so far: true for a yes.
    case counted([Participant.ID: Bool], in: GroupSessionID)
    case ended(GroupSessionID)
  }

  /// An event of the drawing.
  package enum DrawingEvent: Hashable, Sendable {
    case part(DrawingPart.Event)
    /// The answer to ``DrawingOrder/enter(_:_:)``.
    case entered(DrawingPart.Number)
    case drew(GroupSessionID, Drawing)
  }

  /// A party that this participant has entered.
  package struct EnteredParty: Hashable, Sendable {
    package var facts: PartyFacts
    package var isEligible: Bool
    /// The relay with which this program opened the party; nil for a guest.
    package var relay: OwnRelay?
    /// A Boolean value that indicates whether this program may offer a relay as a guest.
    package var mayServe: Bool

    package init(facts: PartyFacts, isEligible: Bool, relay: OwnRelay?, mayServe: Bool) {
      self.facts = facts
      self.isEligible = isEligible
      self.relay = relay
      self.mayServe = mayServe
    }
  }
}
