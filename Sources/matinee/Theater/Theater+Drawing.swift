import DrawTogether
import GroupActivities
import MPVPlayer
import Screening
import TerminalUI
import Timekeeping

/// Drawing over the film's picture, together with the other participants.
extension Theater {
  /// This participant's part in the party's drawing.
  struct DrawingPart {
    enum Attendance: Hashable {
      /// The participant sees the drawing.
      case watching
      case drawing
      /// The participant left the drawing and doesn't see it.
      case away
    }

    var attendance = Attendance.watching
    /// The session of the party's latest drawing, even if this participant takes no part in it.
    var latest: GroupSession<DrawTogether>?
    var board: DrawingBoard?
    /// The board of a drawing that another one has replaced, until this participant is in the new one.
    var replaced: DrawingBoard?
    var drawing = Drawing()
    /// The lines to draw as soon as there is a board.
    var pending: [[PicturePoint]] = []
    /// The names of the participants who drew, including those who left the party.
    var authors: [Participant.ID: String] = [:]
    /// The minimum interval between two reported states of the drawing: not every interface can show fifty per second.
    var pace = Duration.zero
    var following: Task<Void, Never>?
    var reading: Task<Void, Never>?
  }

  /// Takes part in the drawing on the current film, or begins one.
  func draw() async throws {
    guard let party else { throw DrawingProblem.noParty }
    guard let item = program?.identifier, programme.ownChoice == nil else {
      throw DrawingProblem.noFilm
    }
    let before = drawingPart.attendance
    drawingPart.attendance = .drawing
    if let board = shownBoard, board.session.state == .joined { return await drawingChanged() }
    if drawingPart.latest?.activity.item == item {
      // A drawing that this participant left is delivered again only after a new request.
      return followDrawings(in: party)
    }
    do {
      try await DrawTogether(item: item).activate(in: party)
    } catch {
      // A participant who may not begin a drawing doesn't take part in another one without a new command.
      drawingPart.attendance = before
      throw error
    }
  }

  /// Draws a line through these points, as soon as this participant takes part.
  func draw(_ points: [PicturePoint]) async throws {
    guard let board = shownBoard else { return drawingPart.pending.append(points) }
    try await board.draw(through: points)
  }

  func leaveDrawing() async {
    drawingPart.attendance = .away
    drawingPart.pending = []
    drawingPart.replaced = nil
    let board = drawingPart.board
    await forgetDrawing()
    await board?.leave()
  }

  /// Begins a new drawing for all participants.
  func resetDrawing() async throws {
    let board = try drawingBoard()
    guard let party else { throw DrawingProblem.noDrawing }
    try await board.session.activity.cleared.activate(in: party)
  }

  /// Returns the board of the current drawing.
  func drawingBoard() throws(DrawingProblem) -> DrawingBoard {
    guard let board = drawingPart.board else { throw .noDrawing }
    return board
  }

  func undoStroke() async throws {
    guard let board = drawingPart.board, await board.undo() else {
      throw DrawingProblem.nothingToUndo
    }
  }

  /// The board of the drawing on the current film.
  private var shownBoard: DrawingBoard? {
    guard let board = drawingPart.board, programme.ownChoice == nil,
      board.session.activity.item == program?.identifier
    else { return nil }
    return board
  }

  /// The drawing on the current film; nil without one.
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
    let before = drawingPart.latest?.activity
    let isSameFilm = before?.item == session.activity.item
    // Two participants who begin at the same time make two sessions, of which one stays: neither is a reset.
    let isReset = isSameFilm && before?.continues(session.activity) == false
    let isKnown = drawingPart.latest?.id == session.id
    drawingPart.latest = session
    // A participant who drew on the previous film only watches the drawing on this one at first.
    if drawingPart.attendance == .drawing, !isSameFilm, !session.isLocallyInitiated {
      drawingPart.attendance = .watching
    }
    guard drawingPart.attendance != .away, drawingPart.board?.session.id != session.id else {
      return
    }
    let board = await DrawingBoard(session: session)
    let previous = drawingPart.board ?? drawingPart.replaced
    drawingPart.replaced = nil
    drawingPart.reading?.cancel()
    drawingPart.board = board
    drawingPart.drawing = Drawing()
    await board.join()
    await drawingChanged()
    let pending = drawingPart.pending
    drawingPart.pending = []
    do {
      if let previous, session.activity.continues(previous.session.activity) {
        try await board.continueStrokes(of: previous)
      }
      for points in pending { try await draw(points) }
    } catch {
      emit(.warning("\(error)"))
    }
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

  /// - Returns: the interval before the next state; nil if this drawing is no longer wanted.
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

  /// Handles the end of the party's drawing by any participant.
  func drawingIsOver() {
    drawingPart.latest = nil
    if drawingPart.attendance == .drawing { drawingPart.attendance = .watching }
  }

  private func drawingEnded(_ session: GroupSessionID) async {
    // Otherwise another drawing has already replaced this one.
    guard let board = drawingPart.board, board.session.id == session else { return }
    if case .invalidated(.replaced) = board.session.state { drawingPart.replaced = board }
    await forgetDrawing()
  }

  /// Updates the interface, and mpv's window.
  func drawingChanged() async {
    emit(.drawing(ScreeningEvent.Sketch(drawingStatus)))
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

/// The drawing over the film, and this participant's part in it.
struct DrawingStatus: Hashable, Sendable {
  var drawing: Drawing
  /// The authors' names by participant, including those who left the party.
  var authors: [Participant.ID: String]
  var isDrawing: Bool
}

extension ScreeningEvent.Sketch {
  init(_ status: DrawingStatus?) {
    self.init()
    guard let status else { return }
    isDrawing = status.isDrawing
    strokes = status.drawing.strokes.map {
      Line(by: status.authors[$0.id.author] ?? "somebody", points: $0.points)
    }
  }
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
