/// The places of everything on the screen at a size. Views draw into these rectangles and the mouse is understood by
/// them; no two of the outer ones overlap.
///
/// The film comes first: alone it has the whole width, and in a party the chat is beside it or below it, whichever
/// leaves the larger picture. That choice follows from the screen's size and the film's shape only, so that no
/// message moves the picture from one place to another.
struct ScreenLayout: Hashable, Sendable {
  /// Columns at which the roster and the chat have room beside the film, or beside each other below it.
  static let wideColumns = 66
  static let maximumNoticeRows = 3
  /// Columns of the roster and the chat beside the film.
  static let sideColumns = 30...36
  /// Rows below which every row counts: no rules, no row kept free for a notice.
  private static let roomyRows = 12

  enum Form: Hashable, Sendable {
    /// In no party: the pane has everything.
    case alone
    /// Roster and chat beside the pane.
    case beside
    /// Roster and chat below the pane.
    case below
    /// The pane is everything; what else there is comes and goes over it.
    case picture
    /// Up to three lines, with the picture above them where there is room.
    case compact
  }

  let size: ScreenSize
  let form: Form

  private(set) var title: Rect
  /// The main pane, its frame included if it has one.
  private(set) var pane: Rect
  /// The part of the pane that nothing else is drawn over.
  private(set) var free: Rect
  private(set) var isPaneFramed: Bool
  /// The line above the roster that names it; empty where there is no room.
  private(set) var rosterRule: Rect
  private(set) var rosterRows: Rect
  /// The line above the chat.
  private(set) var chatRule: Rect
  private(set) var chatRows: Rect
  /// The line under the chat in which it is written; empty where there is no room.
  private(set) var chatPrompt: Rect
  private(set) var transport: Rect
  private(set) var notice: Rect
  private(set) var hints: Rect
  /// The line for typing everything else.
  private(set) var prompt: Rect
  /// Recent chat over the picture, where the chat has no place of its own.
  private(set) var freshChat: Rect

  /// - Parameter cellRatio: a cell's height against its width.
  init(size: ScreenSize, model: ScreenModel, state: ScreenState, cellRatio: Double = 2) {
    self.size = size
    let picture = PictureView(picture: model.picture ?? .usual, cellRatio: cellRatio)
    let isSmall = size.columns < ScreenSize.smallest.columns || size.rows < ScreenSize.smallest.rows
    form =
      if isSmall || state.arrangement == .compact {
        .compact
      } else if state.arrangement == .picture, !state.isLibraryShown(model) {
        .picture
      } else if model.party == nil {
        .alone
      } else {
        Self.partyForm(size: size, picture: picture)
      }
    let nothing = Rect(column: 0, row: 0, width: 0, height: 0)
    (title, pane, rosterRule, rosterRows, chatRule, chatRows, chatPrompt) = (
      nothing, nothing, nothing, nothing, nothing, nothing, nothing
    )
    (transport, notice, hints, prompt, freshChat) = (nothing, nothing, nothing, nothing, nothing)
    free = nothing
    isPaneFramed = false
    var body = Rect(column: 0, row: 0, width: size.columns, height: size.rows)
    switch form {
    case .alone, .beside, .below:
      title = body.takeTop(1)
      hints = body.takeBottom(1)
      prompt = hints
      let wanted = NoticeView.wantedRows(model, state, width: size.columns - 2)
      notice = body.takeBottom(
        min(max(Self.keptNoticeRows(size), wanted), max(1, body.height - 5)))
      isPaneFramed = !Self.isPictureShown(model, state) && size.rows >= Self.roomyRows + 4
      switch form {
      case .beside: layOutBeside(body, model)
      case .below: layOutBelow(body, model, picture, isFilm: Self.isPictureShown(model, state))
      case .alone, .picture, .compact:
        transport = body.takeBottom(1)
        pane = body
        freshChat = Self.freshChat(in: body)
      }
    case .picture: layOutPicture(body, model, state)
    case .compact: layOutCompact(body, model, state)
    }
    if form != .picture { free = pane }
  }

  var isTooSmall: Bool {
    size.columns < ScreenSize.smallestCompact.columns
      || size.rows < ScreenSize.smallestCompact.rows
  }

  /// A Boolean value that indicates whether help, invite and other pages have room.
  var hasRoomForPages: Bool {
    size.columns >= ScreenSize.smallest.columns && size.rows >= ScreenSize.smallest.rows
  }

  /// The pane without its frame.
  var paneInside: Rect {
    isPaneFramed ? pane.inset(columns: 2, rows: 1) : pane.inset(columns: 1, rows: 0)
  }

  /// The pane without its frame, and without a margin: for the library's entries, and for a picture.
  var paneRows: Rect { isPaneFramed ? pane.inset(columns: 1, rows: 1) : pane }

  /// The line in which a prompt is typed: the chat's is under the chat.
  func prompt(for kind: Prompt.Kind) -> Rect {
    switch kind {
    case .chat: chatPrompt.isEmpty ? prompt : chatPrompt
    case .openURL, .join, .name, .goTo, .search: prompt
    }
  }

  /// The area of the film's picture, over which people draw; where it is shown elsewhere, the area that it would have.
  func sketchArea(_ model: ScreenModel, cellRatio: Double) -> Rect? {
    guard PictureView.fits(paneRows) else { return nil }
    return PictureView(picture: model.picture ?? .usual, cellRatio: cellRatio).place(in: paneRows)
  }

  // MARK: - Beside or below

  /// The form that leaves the larger picture; beside where both leave as much.
  ///
  /// - Returns: ``Form/beside`` or ``Form/below``.
  static func partyForm(size: ScreenSize, picture: PictureView) -> Form {
    guard size.columns >= wideColumns else { return .below }
    let body = body(size)
    let beside = Rect(
      column: 0, row: 0, width: size.columns - sideWidth(size) - 1, height: body.height - 1)
    let below = Rect(
      column: 0, row: 0, width: size.columns,
      height: body.height - 1 - leastRowsBelow(body.height))
    return picture.place(in: beside).cellCount >= picture.place(in: below).cellCount
      ? .beside : .below
  }

  /// Everything between the title and the row that is kept for a notice.
  private static func body(_ size: ScreenSize) -> Rect {
    Rect(
      column: 0, row: 1, width: size.columns, height: size.rows - 2 - keptNoticeRows(size))
  }

  /// A short message comes and goes without moving anything.
  private static func keptNoticeRows(_ size: ScreenSize) -> Int {
    size.rows >= roomyRows + 4 ? 1 : 0
  }

  private static func sideWidth(_ size: ScreenSize) -> Int {
    min(max(size.columns / 4, sideColumns.lowerBound), sideColumns.upperBound)
  }

  /// Rows of roster and chat that are worth having below the film.
  ///
  /// - Parameter height: rows of the body.
  private static func leastRowsBelow(_ height: Int) -> Int {
    height >= roomyRows ? max(6, height / 3) : max(2, height / 3) + 1
  }

  /// A Boolean value that indicates whether the pane shows the film, which has no frame.
  private static func isPictureShown(_ model: ScreenModel, _ state: ScreenState) -> Bool {
    model.picture != nil && !state.isLibraryShown(model)
  }

  // MARK: - The forms

  private mutating func layOutBeside(_ body: Rect, _ model: ScreenModel) {
    var left = body
    left.width = body.width - Self.sideWidth(size) - 1
    transport = left.takeBottom(1)
    pane = left
    let side = Rect(
      column: left.endColumn + 1, row: body.row, width: Self.sideWidth(size), height: body.height)
    layOutSide(side, model)
  }

  /// - Parameter isFilm: the pane shows the film; anything else has half of the room at least.
  private mutating func layOutBelow(
    _ body: Rect, _ model: ScreenModel, _ picture: PictureView, isFilm: Bool
  ) {
    var body = body
    transport = body.takeBottom(1)
    let kept = Self.body(size).height
    // A longer notice takes rows from the chat, so that the picture keeps its size.
    let most = min(kept - 1 - Self.leastRowsBelow(kept), body.height - 3)
    func place(_ height: Int) -> Rect {
      picture.place(in: Rect(column: 0, row: 0, width: body.width, height: height))
    }
    var wanted = place(most).height
    // Rounded, its own height may be a row too few for its width.
    if place(wanted).cellCount < place(most).cellCount { wanted += 1 }
    if !isFilm { wanted = max(wanted, kept / 2) }
    pane = body.takeTop(max(1, min(wanted, most)))
    guard kept >= Self.roomyRows, body.height >= 5 else {
      rosterRows = body.takeTop(1).inset(columns: 1, rows: 0)
      chatRows = body.inset(columns: 1, rows: 0)
      return
    }
    guard size.columns >= Self.wideColumns else { return layOutSide(body, model) }
    var people = body
    people.width = Self.sideWidth(size)
    people.column = body.endColumn - people.width
    var chat = body
    chat.width = body.width - people.width - 1
    rosterRule = people.takeTop(1)
    rosterRows = people.inset(columns: 1, rows: 0)
    chatRule = chat.takeTop(1)
    chatPrompt = chat.takeBottom(1)
    chatRows = chat.inset(columns: 1, rows: 0)
  }

  /// The roster over the chat.
  private mutating func layOutSide(_ area: Rect, _ model: ScreenModel) {
    var area = area
    rosterRule = area.takeTop(1)
    rosterRows = area.takeTop(
      min(RosterView.wantedRows(model), max(1, (area.height - 2) / 2))
    ).inset(columns: 1, rows: 0)
    chatRule = area.takeTop(1)
    if area.height >= 3 { chatPrompt = area.takeBottom(1) }
    chatRows = area.inset(columns: 1, rows: 0)
  }

  private mutating func layOutPicture(_ body: Rect, _ model: ScreenModel, _ state: ScreenState) {
    pane = body
    free = body
    if state.areControlsShown(model) {
      title = free.takeTop(1)
      hints = free.takeBottom(1)
      prompt = hints
      transport = free.takeBottom(1)
    }
    notice = free.takeBottom(NoticeView.wantedRows(model, state, width: free.width - 2))
    freshChat = Self.freshChat(in: free)
  }

  private static func freshChat(in area: Rect) -> Rect {
    var free = area.inset(columns: 1, rows: 0)
    free.width = min(free.width, 60)
    return free.takeBottom(min(free.height, 2 * FreshChat.maximumCount))
  }

  /// The lines are the lowest ones, the first of them shared by the title and the transport.
  private mutating func layOutCompact(_ body: Rect, _ model: ScreenModel, _ state: ScreenState) {
    var body = body
    var rows = body.takeBottom(3)
    prompt = rows.line(rows.height - 1)
    if rows.height == 3 { hints = rows.takeBottom(1) }
    if rows.height == 2 { notice = rows.takeBottom(1) }
    transport = rows.takeTop(1)
    let room = max(0, transport.width - 34) / 2
    let wanted = model.item.map { $0.title.width } ?? 0
    title = transport.inset(columns: 1, rows: 0)
    title.width = min(wanted, room)
    transport.column += title.width + (title.width > 0 ? 1 : 0)
    transport.width -= transport.column
    if PictureView.fits(body) { pane = body }
  }
}

extension Rect {
  fileprivate var cellCount: Int { width * height }
}

extension PictureModel {
  /// The shape of a film that isn't known yet.
  static let usual = PictureModel(width: 16, height: 9)
}
