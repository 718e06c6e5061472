/// The areas of the screen's parts at a size. Views draw into these rectangles, and they give the mouse its meaning; no
/// two of the outer ones overlap.
///
/// The film comes first: without a party it has the whole width. In a party the chat is beside it or below it,
/// whichever leaves the larger picture; on a narrow screen it lies over the film, if that leaves a larger one still.
/// The choice follows only from the screen's size and the film's shape, so that no message moves the picture.
struct ScreenLayout: Hashable, Sendable {
  /// The columns at which the roster and the chat have room beside the film, or beside each other below it.
  static let wideColumns = 66
  static let maximumNoticeRows = 3
  /// The columns up to which a party's chat may lie over the film.
  static let narrowColumns = 100
  /// The columns of the roster and the chat beside the film.
  static let sideColumns = 30...36
  /// The rows below which every row counts: no rules, no row reserved for a notice.
  private static let roomyRows = 12

  enum Form: Hashable, Sendable {
    /// The pane has everything between the lines: there is no party, or its chat lies over the film.
    case whole
    /// The roster and the chat beside the pane.
    case beside
    /// The roster and the chat below the pane.
    case below
    /// A pane that fills the screen; all other parts come and go over it.
    case picture
    /// A screen of up to three lines, with the picture above them if there is room.
    case compact
  }

  let size: ScreenSize
  let form: Form

  private(set) var title: Rect
  /// The main pane, including its frame if it has one.
  private(set) var pane: Rect
  /// The part of the pane that no other part covers.
  private(set) var free: Rect
  private(set) var isPaneFramed: Bool
  /// The facts about the library's selected film, beside the list; empty if there is no room.
  private(set) var preview: Rect
  /// The film, which goes on above ``preview`` while the library is shown; empty if there is none.
  private(set) var corner: Rect
  /// The line with the title of the roster; empty if there is no room.
  private(set) var rosterRule: Rect
  private(set) var rosterRows: Rect
  /// The line above the chat.
  private(set) var chatRule: Rect
  /// The chat. If it lies over the film, it is there while the user writes.
  private(set) var chatRows: Rect
  /// The line under the chat that invites to write; empty if there is no room.
  private(set) var chatPrompt: Rect
  private(set) var transport: Rect
  private(set) var notice: Rect
  private(set) var hints: Rect
  /// The line in which a prompt is typed.
  private(set) var prompt: Rect
  /// The area of the latest chat over the picture, if the chat has no rows.
  private(set) var freshChat: Rect

  /// Lays out the screen.
  ///
  /// - Parameter cellRatio: the ratio of a cell's height to its width.
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
        .whole
      } else {
        Self.partyForm(
          size: size, picture: picture, isFilm: Self.isPictureShown(model, state))
      }
    let nothing = Rect(column: 0, row: 0, width: 0, height: 0)
    (title, pane, rosterRule, rosterRows, chatRule, chatRows, chatPrompt) = (
      nothing, nothing, nothing, nothing, nothing, nothing, nothing
    )
    (transport, notice, hints, prompt, freshChat) = (nothing, nothing, nothing, nothing, nothing)
    (preview, corner) = (nothing, nothing)
    free = nothing
    isPaneFramed = false
    var body = Rect(column: 0, row: 0, width: size.columns, height: size.rows)
    switch form {
    case .whole, .beside, .below:
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
      case .whole, .picture, .compact:
        transport = body.takeBottom(1)
        pane = body
        // A longer notice covers the film, which keeps its size.
        if Self.isPictureShown(model, state) {
          pane.height += notice.height - Self.keptNoticeRows(size)
        }
        free = body
        layOutChatOverFilm(body, model, state, picture)
      }
    case .picture: layOutPicture(body, model, state, picture)
    case .compact: layOutCompact(body, model, state)
    }
    if free.isEmpty { free = pane }
    if isPaneFramed, state.isLibraryShown(model), !state.areDetailsShown, !state.greets(model) {
      layOutPreview(picture, hasFilm: model.picture != nil && model.item != nil)
    }
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

  /// Returns the area of the film's picture, which people draw over; if the picture is shown elsewhere, the area that
  /// it would have.
  func sketchArea(_ model: ScreenModel, cellRatio: Double) -> Rect? {
    guard PictureView.fits(paneRows) else { return nil }
    return PictureView(picture: model.picture ?? .usual, cellRatio: cellRatio).pictureArea(
      in: paneRows)
  }

  // MARK: - Beside or below

  /// Returns the form that leaves the largest picture; of those that leave the same, the one with the most room for
  /// the chat.
  ///
  /// - Parameter isFilm: whether the pane shows the film, over which the chat may lie.
  /// - Returns: ``Form/beside``, ``Form/below`` or ``Form/whole``.
  private static func partyForm(size: ScreenSize, picture: PictureView, isFilm: Bool) -> Form {
    let height = body(size).height - 1
    func cells(columns: Int, rows: Int) -> Int {
      picture.pictureArea(in: Rect(column: 0, row: 0, width: columns, height: rows)).cellCount
    }
    let beside =
      size.columns < wideColumns
      ? 0 : cells(columns: size.columns - sideWidth(size) - 1, rows: height)
    let below = cells(columns: size.columns, rows: height - leastRowsBelow(height + 1))
    if isFilm, size.columns <= narrowColumns,
      cells(columns: size.columns, rows: height) > max(beside, below)
    {
      return .whole
    }
    return beside >= below ? .beside : .below
  }

  /// Returns the area between the title and the row that is reserved for a notice.
  private static func body(_ size: ScreenSize) -> Rect {
    Rect(
      column: 0, row: 1, width: size.columns, height: size.rows - 2 - keptNoticeRows(size))
  }

  /// Returns the number of rows reserved for a notice, so that a short message comes and goes without moving anything.
  private static func keptNoticeRows(_ size: ScreenSize) -> Int {
    size.rows >= roomyRows + 4 ? 1 : 0
  }

  private static func sideWidth(_ size: ScreenSize) -> Int {
    min(max(size.columns / 4, sideColumns.lowerBound), sideColumns.upperBound)
  }

  /// Returns the smallest useful number of rows for the roster and the chat below the film.
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

  /// Divides the screen between the pane and the party below it.
  ///
  /// - Parameter isFilm: whether the pane shows the film; anything else has at least half of the room.
  private mutating func layOutBelow(
    _ body: Rect, _ model: ScreenModel, _ picture: PictureView, isFilm: Bool
  ) {
    var body = body
    transport = body.takeBottom(1)
    let kept = Self.body(size).height
    // A longer notice takes rows from the chat, so that the picture keeps its size.
    let most = min(kept - 1 - Self.leastRowsBelow(kept), body.height - 3)
    func pictureArea(height: Int) -> Rect {
      picture.pictureArea(in: Rect(column: 0, row: 0, width: body.width, height: height))
    }
    var wanted = pictureArea(height: most).height
    // Due to rounding, its own height may be a row too few for its width.
    if pictureArea(height: wanted).cellCount < pictureArea(height: most).cellCount { wanted += 1 }
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

  /// Puts the roster above the chat.
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

  private mutating func layOutPicture(
    _ body: Rect, _ model: ScreenModel, _ state: ScreenState, _ picture: PictureView
  ) {
    pane = body
    free = body
    if state.areControlsShown(model) {
      title = free.takeTop(1)
      hints = free.takeBottom(1)
      prompt = hints
      transport = free.takeBottom(1)
    }
    notice = free.takeBottom(NoticeView.wantedRows(model, state, width: free.width - 2))
    layOutChatOverFilm(free, model, state, picture)
  }

  /// The size of the pane from which the library has room for a preview.
  private static let previewed = ScreenSize(columns: 88, rows: 16)

  /// Puts a preview to the right of the library's list, and the film above it.
  private mutating func layOutPreview(_ picture: PictureView, hasFilm: Bool) {
    guard pane.width >= Self.previewed.columns, pane.height >= Self.previewed.rows else { return }
    preview = pane
    preview.width = pane.width * 2 / 5
    preview.column = pane.endColumn - preview.width
    pane.width -= preview.width
    guard hasFilm else { return }
    let room = Rect(
      column: 0, row: 0, width: preview.width - 2, height: min(preview.height / 2, 16) - 2)
    corner = preview.takeTop(picture.pictureArea(in: room).height + 2)
  }

  /// Puts the chat over the film, above the subtitles: all of it while the user writes, otherwise the latest.
  private mutating func layOutChatOverFilm(
    _ free: Rect, _ model: ScreenModel, _ state: ScreenState, _ picture: PictureView
  ) {
    guard !state.isLibraryShown(model) else { return }
    var area = free.inset(columns: 1, rows: 0)
    area.width = min(area.width, 60)
    let subtitles =
      model.picture == nil || !PictureView.fits(pane)
      ? nil : picture.subtitleArea(in: pane, free: free, ellipsis: GlyphSet.unicode.ellipsis)
    func aboveSubtitles(rows: Int) -> Rect {
      var room = area
      var result = room.takeBottom(min(room.height, rows))
      // A subtitle whose first row is above the area leaves no room.
      if let subtitles, !subtitles.isEmpty {
        result.height = max(0, min(result.height, subtitles.row - result.row))
      }
      return result
    }
    if state.prompt?.kind == .chat {
      chatRows = aboveSubtitles(rows: area.height / 2)
    } else {
      freshChat = aboveSubtitles(rows: 2 * FreshChat.maximumCount)
    }
  }

  /// Puts the lines at the bottom; the title and the transport share the first of them.
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
  /// The shape of a film whose own isn't known yet.
  static let usual = PictureModel(width: 16, height: 9)
}
