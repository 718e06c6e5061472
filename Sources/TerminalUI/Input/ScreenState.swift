import Timekeeping

/// What only the screen knows: what is open on it, what is being typed, where lists are scrolled to.
struct ScreenState: Hashable, Sendable {
  enum Overlay: Hashable, Sendable {
    /// Scrolled down by so many lines.
    case help(scroll: Int)
    /// `isCopied` once the invite has been copied or saved.
    case invite(isCopied: Bool)
    case confirmation(Confirmation)
    /// The playlist, with the entry at this index selected.
    case playlist(selected: Int)
    /// The page that shows how well this player keeps in step.
    case sync
  }

  /// Something that can't be undone, asked back about on the screen itself.
  enum Confirmation: Hashable, Sendable {
    /// Leaves it, which ends it for so many others.
    case leaveParty(closingFor: Int)
    case endParty
    /// Its invite goes with it.
    case forgetParty(id: String, title: TerminalText)
  }

  /// How the screen is divided.
  enum Arrangement: Hashable, Sendable {
    case standard
    /// The picture, or what stands for it, has all of it; controls come and go over it.
    case picture
    /// Three lines, whatever room there is.
    case compact
  }

  var arrangement = Arrangement.standard
  var controls = ControlsFade()
  var freshChat = FreshChat()
  var unread = UnreadChat()
  var reactions = FloatingReactions()
  /// The person is about to give a sign.
  var isReacting = false
  /// The last click in the pane, of which a second may make a double click.
  var lastClick: Click?

  struct Click: Hashable, Sendable {
    var point: ScreenPoint
    var time: HostTime
  }

  /// Set while the person draws over the picture.
  var pen: Pen?

  var overlay: Overlay?
  var prompt: Prompt?
  var history = LineHistory()

  /// Nil leaves it to whether something is open in the player.
  var isLibraryWanted: Bool?
  var library = LibrarySelection()
  var search: LibrarySearch?
  /// What is known of the selected film, in place of the list.
  var areDetailsShown = false

  /// Nil where none is selected, or a folder.
  func selectedFilm(_ model: ScreenModel) -> LibraryModel.Entry? {
    let shown = shownLibrary(model)
    guard let index = library.index(in: shown), shown.entries[index].kind.isFilm else {
      return nil
    }
    return shown.entries[index]
  }

  /// Whether somebody looks for something to watch: not only that nothing else is there.
  func isBrowsing(_ model: ScreenModel) -> Bool {
    isLibraryShown(model)
      && (isLibraryWanted == true || search != nil || areDetailsShown
        || library.hasSelected(in: model.library))
  }

  /// The film whose details are shown.
  func detailedFilm(_ model: ScreenModel) -> LibraryModel.Entry? {
    areDetailsShown && isLibraryShown(model) ? selectedFilm(model) : nil
  }

  /// The library as it is shown: what was looked for.
  func shownLibrary(_ model: ScreenModel) -> LibraryModel {
    search?.results(in: model.library) ?? model.library
  }

  /// Lines of the chat below the ones shown; 0 follows the newest.
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

  /// Where the playhead is being dragged to.
  var scrub: MediaTime?
  /// Whether it is dragged with keys, and not with the mouse.
  var isKeyScrub = false
  /// Whether the player has been told to follow it: a click alone is no drag.
  var isScrubTold = false

  /// Whether the controls stand over a full picture.
  func areControlsShown(_ model: ScreenModel) -> Bool {
    controls.phase != .hidden || prompt != nil || isReacting || scrub != nil || model.waiting != nil
      || model.message != nil
  }

  /// When something on the screen changes by itself; nil for never.
  var nextChange: HostTime? {
    let ofPicture =
      arrangement == .picture ? [controls.nextChange, freshChat.nextChange] : []
    return (ofPicture + [reactions.nextChange]).compactMap { $0 }.min()
  }

  mutating func advance(to now: HostTime) {
    controls.advance(to: now)
    freshChat.advance(to: now)
    reactions.advance(to: now)
  }

  func isLibraryShown(_ model: ScreenModel) -> Bool { isLibraryWanted ?? (model.item == nil) }

  /// The question to show now: not while something else has the keys.
  func question(_ model: ScreenModel) -> QuestionModel? {
    overlay == nil && prompt == nil ? model.question : nil
  }

  /// Whether `new` shows what `old` showed: a page that covers everything has to be drawn only when what is on it
  /// changes.
  func covers(_ new: ScreenModel, after old: ScreenModel) -> Bool {
    overlay == .sync && new.sync == old.sync && new.message == old.message
      && new.item?.title == old.item?.title
  }

  /// What the keys act on first.
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
