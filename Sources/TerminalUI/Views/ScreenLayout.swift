/// Where everything is, at a size. Views draw into these rectangles and the mouse is understood by
/// them; no two of the outer ones overlap.
struct ScreenLayout: Hashable, Sendable {
  /// Enough columns for the roster and the chat beside the pane.
  static let wideColumns = 66
  static let maximumNoticeRows = 3

  enum Form: Hashable, Sendable {
    /// Roster and chat beside the pane.
    case wide
    /// Roster and chat below the pane.
    case narrow
    /// The pane is everything; what else there is comes and goes over it.
    case picture
    /// Up to three lines.
    case compact
  }

  let size: ScreenSize
  let form: Form

  private(set) var title: Rect
  /// The main pane, its frame included if it has one.
  private(set) var pane: Rect
  private(set) var isPaneFramed: Bool
  /// The frame round roster and chat, if there is one.
  private(set) var side: Rect?
  /// The line above the roster that names it; empty where the frame does, or where there is no room.
  private(set) var rosterRule: Rect
  private(set) var rosterRows: Rect
  /// The line above the chat.
  private(set) var chatRule: Rect
  private(set) var chatRows: Rect
  private(set) var transport: Rect
  private(set) var notice: Rect
  private(set) var hints: Rect
  /// Where a line is typed.
  private(set) var prompt: Rect
  /// Over a full picture: what was said just now.
  private(set) var freshChat: Rect

  init(size: ScreenSize, model: ScreenModel, state: ScreenState) {
    self.size = size
    let isSmall = size.columns < ScreenSize.smallest.columns || size.rows < ScreenSize.smallest.rows
    form =
      if isSmall || state.arrangement == .compact {
        .compact
      } else if state.arrangement == .picture, !state.isLibraryShown(model) {
        .picture
      } else {
        size.columns >= Self.wideColumns ? .wide : .narrow
      }
    var body = Rect(column: 0, row: 0, width: size.columns, height: size.rows)
    let nothing = Rect(column: 0, row: 0, width: 0, height: 0)
    (title, pane, rosterRule, rosterRows, chatRule, chatRows, transport, notice, freshChat) = (
      nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing
    )
    (hints, prompt) = (nothing, nothing)
    isPaneFramed = false
    switch form {
    case .wide, .narrow:
      title = body.takeTop(1)
      hints = body.takeBottom(1)
      prompt = hints
      isPaneFramed = true
      if form == .wide { layOutWide(body, model, state) } else { layOutNarrow(body, model, state) }
    case .picture: layOutPicture(body, model, state)
    case .compact: layOutCompact(body, model, state)
    }
  }

  var isTooSmall: Bool {
    size.columns < ScreenSize.smallestCompact.columns
      || size.rows < ScreenSize.smallestCompact.rows
  }

  /// Help, invite and the like have room.
  var hasRoomForPages: Bool {
    size.columns >= ScreenSize.smallest.columns && size.rows >= ScreenSize.smallest.rows
  }

  /// The pane without its frame.
  var paneInside: Rect {
    isPaneFramed ? pane.inset(columns: 2, rows: 1) : pane.inset(columns: 1, rows: 0)
  }

  /// The pane without its frame, and without a margin: for the library's entries, and for a picture.
  var paneRows: Rect { isPaneFramed ? pane.inset(columns: 1, rows: 1) : pane }

  /// Where the film's picture is drawn over: where it is, or, if it is shown elsewhere, where it would be.
  func sketchArea(_ model: ScreenModel, cellRatio: Double) -> Rect? {
    guard PictureView.fits(paneRows) else { return nil }
    let picture = model.picture ?? PictureModel(width: 16, height: 9)
    return PictureView(picture: picture, cellRatio: cellRatio).place(in: paneRows)
  }

  private mutating func layOutWide(_ body: Rect, _ model: ScreenModel, _ state: ScreenState) {
    let sideWidth = min(max(size.columns * 2 / 5, 30), 50)
    var left = body
    left.width = body.width - sideWidth - 1
    let frame = Rect(
      column: left.endColumn + 1, row: body.row, width: sideWidth, height: body.height)
    side = frame
    let wanted = NoticeView.lines(model, state, width: left.width - 2).count
    notice = left.takeBottom(min(max(1, wanted), Self.maximumNoticeRows, max(1, body.height - 5)))
    transport = left.takeBottom(1)
    pane = left

    var inside = frame.inset(columns: 2, rows: 1)
    rosterRows = inside.takeTop(
      min(RosterView.wantedRows(model), max(1, (inside.height - 1) / 2)))
    chatRule = inside.takeTop(1)
    chatRule.column = frame.column
    chatRule.width = frame.width
    chatRows = inside
  }

  private mutating func layOutPicture(_ body: Rect, _ model: ScreenModel, _ state: ScreenState) {
    pane = body
    var free = body
    if state.areControlsShown(model) {
      title = free.takeTop(1)
      hints = free.takeBottom(1)
      prompt = hints
      transport = free.takeBottom(1)
      let wanted = NoticeView.lines(model, state, width: free.width - 2).count
      notice = free.takeBottom(min(wanted, Self.maximumNoticeRows))
    }
    free = free.inset(columns: 1, rows: 0)
    free.width = min(free.width, 60)
    freshChat = free.takeBottom(min(free.height, 2 * FreshChat.maximumCount))
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
  }

  private mutating func layOutNarrow(_ body: Rect, _ model: ScreenModel, _ state: ScreenState) {
    var body = body
    let wanted = NoticeView.lines(model, state, width: body.width - 2).count
    notice = body.takeBottom(min(wanted, Self.maximumNoticeRows, max(1, body.height - 5)))
    transport = body.takeBottom(1)
    isPaneFramed = body.height >= 12
    let hasRules = isPaneFramed

    // Chat and roster from the bottom up; the pane has the rest, at least half.
    chatRows = body.takeBottom(max(2, body.height / 3 - (hasRules ? 1 : 0)))
    if hasRules { chatRule = body.takeBottom(1) }
    let roster = hasRules ? min(RosterView.wantedRows(model), max(1, body.height / 3)) : 1
    rosterRows = body.takeBottom(roster)
    if hasRules { rosterRule = body.takeBottom(1) }
    rosterRows = rosterRows.inset(columns: 1, rows: 0)
    chatRows = chatRows.inset(columns: 1, rows: 0)
    pane = body
  }
}
