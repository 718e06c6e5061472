import TerminalVideo
import Timekeeping

/// The state that only the screen knows: the open overlay, the text being typed, the scroll positions of lists.
struct ScreenState: Hashable, Sendable {
  enum Overlay: Hashable, Sendable {
    /// The help, scrolled down by this number of lines, with the typed words that filter it.
    case help(scroll: Int, filter: String = "")
    /// The invite. `isCopied` becomes true when the invite has been copied or saved.
    case invite(isCopied: Bool)
    case confirmation(Confirmation)
    /// The playlist, with the entry at this index selected.
    case playlist(selected: Int)
    /// The page about this player's synchronization.
    case sync
  }

  /// An action that can't be undone, and that the screen itself asks the user to confirm.
  enum Confirmation: Hashable, Sendable {
    /// Leaves the party, which ends it for this number of other participants.
    case leaveParty(closingFor: Int)
    case endParty
    /// Forgets a party and its invite.
    case forgetParty(id: String, title: TerminalText)
  }

  /// The division of the screen.
  enum Arrangement: Hashable, Sendable {
    case standard
    /// The picture, or its replacement, fills the screen; controls come and go over it.
    case picture
    /// Three lines, whatever the room.
    case compact
  }

  var arrangement = Arrangement.standard
  var controls = ControlsFade()
  var freshChat = FreshChat()
  var unread = UnreadChat()
  var reactions = FloatingReactions()
  /// A Boolean value that indicates whether the next key selects a reaction.
  var isReacting = false
  /// The last click in the pane, which a second one may turn into a double click.
  var lastClick: Click?

  struct Click: Hashable, Sendable {
    var point: ScreenPoint
    var time: HostTime
  }

  /// The pen while the user draws over the picture.
  var pen: Pen?

  var overlay: Overlay?
  var prompt: Prompt?
  /// The lines typed before, in each prompt that keeps them.
  var history: [Prompt.Kind: LineHistory] = [:]

  /// The user's choice to show the library; nil shows it if no item is open in the player.
  var isLibraryWanted: Bool?
  var library = LibrarySelection()
  var search: LibrarySearch?
  /// A Boolean value that indicates whether the details of the selected film replace the list.
  var areDetailsShown = false
  /// The moment that the user chose on a film's page.
  var chosenMoment: ChosenMoment?

  struct ChosenMoment: Hashable, Sendable {
    /// The library's entry.
    var film: String
    /// The index in ``DetailsModel/moments``.
    var index: Int
  }

  /// Returns the index of the chosen moment of a film whose page is shown.
  func moment(of film: String) -> Int? {
    areDetailsShown && chosenMoment?.film == film ? chosenMoment?.index : nil
  }

  /// A Boolean value that indicates whether there is room for the selected film's details beside the list.
  var isPreviewing = false

  /// Returns the selected film; nil if there is none, or a folder is selected.
  func selectedFilm(_ model: ScreenModel) -> LibraryModel.Entry? {
    let shown = shownLibrary(model)
    guard let index = library.index(in: shown), shown.entries[index].kind.isFilm else {
      return nil
    }
    return shown.entries[index]
  }

  /// Returns whether the user looks for something to watch, rather than sees the library only because nothing is open.
  func isBrowsing(_ model: ScreenModel) -> Bool {
    isLibraryShown(model)
      && (isLibraryWanted == true || search != nil || areDetailsShown
        || library.hasSelected(in: model.library))
  }

  /// Returns whether the library has words for a new user.
  func greets(_ model: ScreenModel) -> Bool {
    model.library.isNew && model.item == nil && model.party == nil && search == nil
  }

  /// Returns the film whose details are shown, on their page or beside the list.
  func detailedFilm(_ model: ScreenModel) -> LibraryModel.Entry? {
    (areDetailsShown || isPreviewing) && isLibraryShown(model) ? selectedFilm(model) : nil
  }

  /// Returns the details that the application has to provide. Beside the list the film that is open is shown instead of a
  /// still.
  func wantedDetails(_ model: ScreenModel) -> ScreenCommand.WantedDetails? {
    detailedFilm(model).map {
      ScreenCommand.WantedDetails(
        id: $0.id, hasStill: areDetailsShown || model.item == nil, moment: moment(of: $0.id))
    }
  }

  /// Returns the library as shown: with the results of a search if there is one.
  func shownLibrary(_ model: ScreenModel) -> LibraryModel {
    search?.results(in: model.library) ?? model.library
  }

  /// The number of lines of the chat below the shown ones; 0 follows the newest.
  var chatScroll = 0
  /// The choice marked in the question with this id.
  var markedChoice: (question: String, index: Int)? {
    get { markedQuestion.map { ($0, markedIndex) } }
    set {
      markedQuestion = newValue?.question
      markedIndex = newValue?.index ?? 0
    }
  }
  private var markedQuestion: String?
  private var markedIndex = 0

  /// The position to which the playhead is being dragged.
  var scrub: MediaTime?
  /// A Boolean value that indicates whether keys, not the mouse, drag the playhead.
  var isKeyScrub = false
  /// A Boolean value that indicates whether the player follows the drag: a click alone is no drag.
  var isScrubSent = false

  /// The advice about the invite that the user has seen.
  var seenAdvice: TerminalText?

  /// Returns the most important state of the participant, of which some are the screen's own; nil without one.
  func participantState(_ model: ScreenModel) -> ParticipantState? {
    var states = model.participantState.map { [$0] } ?? []
    // Enter has another meaning there.
    if section(model) != nil || prompt != nil || overlay != nil {
      states.removeAll { if case .mayResume = $0 { true } else { false } }
    }
    if let scrub {
      states.append(.previewing(at: scrub, group: model.party == nil ? nil : model.groupTime))
    }
    if let party = model.party, let limit = party.limit, party.advice != seenAdvice {
      states.append(.limited(limit))
    }
    return .mostImportant(of: states)
  }

  /// Returns whether Enter opens the film that continues the last one.
  func offersSequel(_ model: ScreenModel) -> Bool {
    if case .sequel = participantState(model) { true } else { false }
  }

  /// Returns whether Enter accepts an offer, instead of opening the chat.
  func offersByEnter(_ model: ScreenModel) -> Bool {
    offersSequel(model) || offeredPosition(model) != nil
  }

  /// Returns the position to which Enter brings the film; nil if it has another meaning.
  func offeredPosition(_ model: ScreenModel) -> MediaTime? {
    if case .mayResume(let position, byEnter: true) = participantState(model) {
      position
    } else {
      nil
    }
  }

  /// Returns whether the controls are shown over a full picture.
  func areControlsShown(_ model: ScreenModel) -> Bool {
    controls.phase != .hidden || prompt != nil || isReacting || scrub != nil || model.waiting != nil
      || model.message != nil
  }

  /// The time at which the screen changes without input; nil for never.
  var nextChange: HostTime? {
    let ofControls = arrangement == .picture ? controls.nextChange : nil
    return [ofControls, freshChat.nextChange, reactions.nextChange].compactMap { $0 }.min()
  }

  mutating func advance(to now: HostTime) {
    controls.advance(to: now)
    freshChat.advance(to: now)
    reactions.advance(to: now)
  }

  func isLibraryShown(_ model: ScreenModel) -> Bool { isLibraryWanted ?? (model.item == nil) }

  /// Returns the question to show now; nil while something else has the keys.
  func question(_ model: ScreenModel) -> QuestionModel? {
    overlay == nil && prompt == nil ? model.question : nil
  }

  /// Returns whether an overlay covers the whole screen and shows the same for both models, so that it needn't be
  /// drawn.
  func covers(_ new: ScreenModel, after old: ScreenModel) -> Bool {
    overlay == .sync && new.sync == old.sync && new.message == old.message
      && new.item?.title == old.item?.title
  }

  /// Returns the section whose keys take precedence.
  func section(_ model: ScreenModel) -> KeyMap.Section? {
    isLibraryShown(model) ? .library : pen != nil ? .drawing : nil
  }

  func choiceIndex(_ question: QuestionModel) -> Int {
    guard markedQuestion == question.id, question.choices.indices.contains(markedIndex) else {
      return question.initialChoice
    }
    return markedIndex
  }
}

/// The pen of the participant at this terminal.
struct Pen: Hashable, Sendable {
  var point = Sketch.Point(x: 0.5, y: 0.5)
  var isDown = false
  /// A Boolean value that indicates whether the mouse's button holds the pen down.
  var isMouse = false

  /// Moves the pen. Beyond the picture it stays at its edge.
  mutating func move(to target: Sketch.Point) {
    point = Sketch.Point(x: min(max(0, target.x), 1), y: min(max(0, target.y), 1))
  }
}
