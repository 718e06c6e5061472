import Timekeeping

/// Everything that the screen shows, as one value: the application makes one whenever something
/// changed and hands it to ``TerminalScreen/render(_:)``.
///
/// What only the screen knows (which overlay is open, what is being typed, where a list is scrolled to)
/// is not in here but in ``ScreenState``.
public struct ScreenModel: Hashable, Sendable {
  /// What is open in the player; nil when nothing is.
  public var item: ItemModel?
  /// That the film's picture is in the pane; nil where it is somewhere else, or there is none.
  public var picture: PictureModel?
  /// Where playback is. Shown even without an item, as an empty bar.
  public var transport: TransportModel
  /// The party; nil when watching alone.
  public var party: PartyModel?
  /// Everybody in the party, oneself included, in the order to show. Empty when alone.
  public var roster: [RosterEntry]
  /// Chat and notes, oldest first.
  public var chat: [ChatEntry]
  /// Signs that people gave of late, oldest first: each is shown once, for some seconds.
  public var reactions: [ReactionEntry]
  /// Those that can be given, at most nine, in the order of ``Intent/react(_:)``.
  public var reactionSigns: [ReactionSign]
  /// What is drawn over the picture; nil without a drawing.
  public var sketch: SketchModel?
  /// What is watched one after another.
  public var playlist: [PlaylistEntry]
  /// What can be opened.
  public var library: LibraryModel
  /// Of the film that ``Intent/showDetails(_:)`` asked for.
  public var details: DetailsModel?
  /// Set while the group waits for somebody before it starts.
  public var waiting: WaitingModel?
  /// The latest thing to tell; the application removes it when it is no longer news.
  public var message: MessageModel?
  /// Something that only the person can decide. Shown as soon as nothing is being typed.
  public var question: QuestionModel?
  /// The name under which oneself appears to the others.
  public var ownName: TerminalText
  /// Oneself is separated from the group of one's own will, so that coming back is what `b` does.
  public var isSteppedAway: Bool
  /// The state in which this participant isn't with the group; nil while it is.
  public var participantState: ParticipantState?
  /// The group's position, which isn't this participant's while it is apart; nil without an item.
  public var groupTime: MediaTime?
  /// What may stand after a slash in the chat, for completing it.
  public var slashCommands: [String]
  /// There is a party to join again by ``Intent/rejoinLast``.
  public var canRejoin: Bool
  /// The result of copying or saving the invite, for its dialog.
  public var inviteNotice: MessageModel?
  /// The commands that may stand after a slash, with their help.
  public var slashHelp: [SlashCommand] = []
  /// The problems of the user's settings, each with its file and line: the help lists them.
  public var settingsProblems: [TerminalText] = []
  /// How well this player keeps in step; needed only between ``Intent/showSync(_:)`` and its end.
  public var sync: SyncModel?

  public init(
    item: ItemModel? = nil, picture: PictureModel? = nil,
    transport: TransportModel = TransportModel(), party: PartyModel? = nil,
    roster: [RosterEntry] = [], chat: [ChatEntry] = [], reactions: [ReactionEntry] = [],
    reactionSigns: [ReactionSign] = [], sketch: SketchModel? = nil, playlist: [PlaylistEntry] = [],
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

  /// The screen as text, one line a row, as it would show at this size: for documents and tests.
  ///
  /// - Parameter isUnicode: false draws with ASCII only.
  public func text(size: ScreenSize, isUnicode: Bool = true) -> [String] {
    ScreenView(model: self, state: ScreenState())
      .canvas(size: size, symbols: isUnicode ? .unicode : .ascii).text
  }
}
