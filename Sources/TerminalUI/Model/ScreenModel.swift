import Timekeeping

/// The contents of the screen as one value. The application makes one after each change and hands it to
/// ``TerminalScreen/render(_:)``.
///
/// State that only the screen knows (the open overlay, the text being typed, the scroll position of a list) is in
/// `ScreenState`.
package struct ScreenModel: Hashable, Sendable {
  /// The item that is open in the player; nil if there is none.
  package var item: ItemModel?
  /// The film's picture in the pane; nil if it is shown elsewhere, or there is none.
  package var picture: PictureModel?
  /// A Boolean value that indicates whether the picture is coarser than wanted, because the terminal is slow.
  package var isPictureCoarser = false
  /// The state of playback. Shown even without an item, as an empty bar.
  package var transport: TransportModel
  /// The party; nil when watching alone.
  package var party: PartyModel?
  /// All participants of the party, including this one, in the order to show. Empty without a party.
  package var roster: [RosterEntry]
  /// Chat and notes, oldest first.
  package var chat: [ChatEntry]
  /// The latest reactions of the participants, oldest first. Each is shown once, for some seconds.
  package var reactions: [ReactionEntry]
  /// The available reactions, at most nine, in the order of `Reaction.allCases`.
  package var reactionSigns: [ReactionSign]
  /// The drawing over the picture; nil without one.
  package var sketch: SketchModel?
  /// The films to watch one after another.
  package var playlist: [PlaylistLine]
  /// The films and folders that can be opened.
  package var library: LibraryModel
  /// The details of the film that ``ScreenCommand/showDetails(_:)`` asked for.
  package var details: DetailsModel?
  /// The participants that the group waits for before it starts; nil while it doesn't wait.
  package var waiting: WaitingModel?
  /// The latest message to the user; the application removes it after a while.
  package var message: MessageModel?
  /// A question that only the user can decide. Shown as soon as nothing is being typed.
  package var question: QuestionModel?
  /// This participant's name, as the others see it.
  package var ownName: TerminalText
  /// A Boolean value that indicates whether this participant left the group's playback on purpose, so that `b` returns.
  package var isSteppedAway: Bool
  /// The state in which this participant isn't with the group; nil while it is.
  package var participantState: ParticipantState?
  /// The group's position, which differs from this participant's while it is apart; nil without an item.
  package var groupTime: MediaTime?
  /// The answer to ``ScreenCommand/completePath(_:)``; nil before the first.
  package var completion: PathCompletion?
  /// The names that may follow a slash in the chat, for their completion.
  package var slashCommands: [String]
  /// A Boolean value that indicates whether the command `rejoin` has a party to join again.
  package var canRejoin: Bool
  /// The result of copying or saving the invite, for its dialog.
  package var inviteNotice: MessageModel?
  /// The commands that may follow a slash, with their help.
  package var slashHelp: [SlashCommand] = []
  /// The problems of the user's settings, each with its file and line: the help lists them.
  package var settingsProblems: [TerminalText] = []
  /// The quality of this player's synchronization; needed only between ``ScreenCommand/showSync(_:)`` and its end.
  package var sync: SyncModel?

  package init(
    item: ItemModel? = nil, picture: PictureModel? = nil,
    transport: TransportModel = TransportModel(), party: PartyModel? = nil,
    roster: [RosterEntry] = [], chat: [ChatEntry] = [], reactions: [ReactionEntry] = [],
    reactionSigns: [ReactionSign] = [], sketch: SketchModel? = nil, playlist: [PlaylistLine] = [],
    library: LibraryModel = LibraryModel(), details: DetailsModel? = nil,
    waiting: WaitingModel? = nil, message: MessageModel? = nil, question: QuestionModel? = nil,
    ownName: TerminalText = .empty, isSteppedAway: Bool = false,
    participantState: ParticipantState? = nil, groupTime: MediaTime? = nil,
    slashCommands: [String] = [],
    canRejoin: Bool = false, sync: SyncModel? = nil
  ) {
    self.item = item
    self.picture = picture
    self.transport = transport
    self.party = party
    self.roster = roster
    self.chat = chat
    self.reactions = reactions
    self.reactionSigns = reactionSigns
    self.sketch = sketch
    self.playlist = playlist
    self.library = library
    self.details = details
    self.waiting = waiting
    self.message = message
    self.question = question
    self.ownName = ownName
    self.isSteppedAway = isSteppedAway
    self.participantState = participantState
    self.groupTime = groupTime
    self.slashCommands = slashCommands
    self.canRejoin = canRejoin
    self.sync = sync
  }
}

extension ScreenModel {
  /// A Boolean value that indicates whether the state line says that the last party ended.
  var isPartyEndShown: Bool {
    if case .partyClosed? = participantState { true } else { false }
  }
}

/// A message to the user, in a sentence.
package struct MessageModel: Hashable, Sendable {
  /// The importance of a message, which decides its colour: the normal one, that of caution, or that of trouble.
  package enum Severity: Hashable, Sendable { case information, warning, error }

  /// A sentence or two. The text of an error says what to do next.
  package var text: TerminalText
  /// The importance of the message.
  package var severity: Severity
  /// The number of seconds until the film starts, which is shown over the picture; nil for another message.
  package var countdown: Int?

  package init(_ text: TerminalText, severity: Severity = .information) {
    self.text = text
    self.severity = severity
  }
}

/// The film's picture in the pane, with the facts that its layout needs.
package struct PictureModel: Hashable, Sendable {
  /// The displayed width in pixels; only the ratio to the height matters.
  package var width: Int
  /// The displayed height in pixels.
  package var height: Int
  /// The subtitles that are shown now.
  package var subtitles: Subtitles

  package init(width: Int, height: Int, subtitles: Subtitles = Subtitles()) {
    self.width = width
    self.height = height
    self.subtitles = subtitles
  }
}
