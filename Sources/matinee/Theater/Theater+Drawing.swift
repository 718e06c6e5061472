import DrawTogether
import GroupActivities
import MPVPlayer
import TerminalUI
import Timekeeping

/// Drawing over the film's picture, with everybody.
extension Theater {
  /// This participant's part in the party's drawing.
  struct DrawingPart {
    enum Attendance: Hashable {
      /// Sees what is drawn.
      case watching
      case drawing
      /// Left it, and sees nothing of it.
      case away
    }

    var attendance = Attendance.watching
    /// The party's drawing, whether this participant takes part or not.
    var latest: GroupSession<DrawTogether>?
    var board: DrawingBoard?
    var drawing = Drawing()
    /// Lines that are to be drawn once there is a board.
    var pending: [[PicturePoint]] = []
    /// Who drew, also those who have gone.
    var authors: [Participant.ID: String] = [:]
    /// Between two of its states that are told, at least: not every face can show fifty in a second.
    var pace = Duration.zero
    var following: Task<Void, Never>?
    var reading: Task<Void, Never>?
  }

  /// Draws too, or first: begins a drawing on what is being watched.
  func draw() async throws {
    guard let party else { throw DrawingProblem.noParty }
    guard let item = program?.identifier, ownChoice == nil else { throw DrawingProblem.noFilm }
    let before = drawingPart.attendance
    drawingPart.attendance = .drawing
    if let board = shownBoard, board.session.state == .joined { return await drawingChanged() }
    if drawingPart.latest?.activity.item == item {
      // One that was left comes again only to whoever asks again.
      return followDrawings(in: party)
    }
    do {
      try await DrawTogether(item: item).activate(in: party)
    } catch {
      // Whoever may not begin one doesn't draw in somebody else's either before asking again.
      drawingPart.attendance = before
      throw error
    }
  }

  /// Draws a line through these places, as soon as this participant takes part.
  func draw(_ points: [PicturePoint]) async throws {
    guard let board = shownBoard else { return drawingPart.pending.append(points) }
    try await board.draw(through: points)
  }

  func leaveDrawing() async {
    drawingPart.attendance = .away
    drawingPart.pending = []
    let board = drawingPart.board
    await forgetDrawing()
    await board?.leave()
  }

  /// Begins another one, for everybody.
  func resetDrawing() async throws {
    let board = try drawingBoard()
    guard let party else { throw DrawingProblem.noDrawing }
    try await DrawTogether(item: board.session.activity.item).activate(in: party)
  }

  /// What one draws on.
  func drawingBoard() throws(DrawingProblem) -> DrawingBoard {
    guard let board = drawingPart.board else { throw .noDrawing }
    return board
  }

  func undoStroke() async throws {
    guard let board = drawingPart.board, await board.undo() else {
      throw DrawingProblem.nothingToUndo
    }
  }

  /// The drawing on the film that is being watched.
  private var shownBoard: DrawingBoard? {
    guard let board = drawingPart.board, ownChoice == nil,
      board.session.activity.item == program?.identifier
    else { return nil }
    return board
  }

  /// What is drawn on the film that is being watched; nil without a drawing.
  var drawingStatus: DrawingStatus? {
    guard shownBoard != nil else { return nil }
    return DrawingStatus(
      drawing: drawingPart.drawing, authors: drawingPart.authors,
      isDrawing: drawingPart.attendance == .drawing)
  }

  // MARK: - Sessions

  func followDrawings(in party: Party) {
    drawingPart.following?.cancel()
    drawingPart.following = Task { [weak self] in
      for await session in await DrawTogether.sessions(in: party) {
        await self?.attend(session)
      }
    }
  }

  func endDrawings() {
    drawingPart.following?.cancel()
    drawingPart.reading?.cancel()
    let pace = drawingPart.pace
    drawingPart = DrawingPart()
    drawingPart.pace = pace
  }

  private func attend(_ session: GroupSession<DrawTogether>) async {
    let isReset = drawingPart.latest?.activity.item == session.activity.item
    let isKnown = drawingPart.latest?.id == session.id
    drawingPart.latest = session
    // Who drew on the film before looks at this one first.
    if drawingPart.attendance == .drawing, !isReset, !session.isLocallyInitiated {
      drawingPart.attendance = .watching
    }
    guard drawingPart.attendance != .away, drawingPart.board?.session.id != session.id else {
      return
    }
    let board = await DrawingBoard(session: session)
    drawingPart.reading?.cancel()
    drawingPart.board = board
    drawingPart.drawing = Drawing()
    await board.join()
    await drawingChanged()
    let pending = drawingPart.pending
    drawingPart.pending = []
    for points in pending { try? await draw(points) }
    if !session.isLocallyInitiated, !isKnown {
      let name = await name(of: session.initiator)
      emit(.drawingBegan(by: name, again: isReset))
    }
    drawingPart.reading = Task { [weak self] in
      for await drawing in board.drawings {
        guard let pace = await self?.show(drawing, of: session.id) else { break }
        if pace > .zero { try? await Task.sleep(for: pace, clock: .suspending) }
      }
      await self?.drawingEnded(session.id)
    }
  }

  /// - Returns: when the next one may come; nil if this one is no longer wanted.
  private func show(_ drawing: Drawing, of session: GroupSessionID) async -> Duration? {
    guard drawingPart.board?.session.id == session else { return nil }
    drawingPart.drawing = drawing
    for participant in await party?.participants ?? [] {
      drawingPart.authors[participant.id] = participant.name
    }
    await drawingChanged()
    return drawingPart.pace
  }

  func setDrawingPace(_ pace: Duration) { drawingPart.pace = pace }

  /// Somebody ended the party's drawing.
  func drawingIsOver() {
    drawingPart.latest = nil
    if drawingPart.attendance == .drawing { drawingPart.attendance = .watching }
  }

  private func drawingEnded(_ session: GroupSessionID) async {
    // Another one has taken its place already, or comes.
    guard drawingPart.board?.session.id == session else { return }
    await forgetDrawing()
  }

  /// Tells the face, and mpv's window.
  func drawingChanged() async {
    emit(.drawing)
    guard await player.videoMode == .window, let status = drawingStatus else {
      return await player.setLines([])
    }
    let inks = await personInks()
    await player.setLines(
      status.drawing.strokes.map { stroke in
        PictureLine(
          color: inks[TerminalText(status.authors[stroke.id.author] ?? "")],
          points: stroke.points.map { point in
            let place = point.place
            return .init(x: place.x, y: place.y)
          })
      })
  }

  private func forgetDrawing() async {
    drawingPart.reading?.cancel()
    drawingPart.board = nil
    drawingPart.drawing = Drawing()
    await drawingChanged()
  }
}

/// What is drawn over the film, and whether this participant draws too.
struct DrawingStatus: Hashable, Sendable {
  var drawing: Drawing
  /// Names by participant, also of those who have gone.
  var authors: [Participant.ID: String]
  var isDrawing: Bool
}

enum DrawingProblem: Error, Hashable, CustomStringConvertible {
  case noParty, noFilm, noDrawing, nothingToUndo

  var description: String {
    switch self {
    case .noParty: "Drawing works in a party only."
    case .noFilm: "No film to draw on."
    case .noDrawing: "No drawing yet. Start one first."
    case .nothingToUndo: "Nothing to undo."
    }
  }
}
