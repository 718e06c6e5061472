import Concurrency
import DrawTogether
import GroupActivities
import Screening
import Timekeeping

/// Drawing over the film's picture, together with the other participants.
@ScreeningActor
final class DrawingRoom: DrawingTable {
  private enum Attendance: Hashable {
    /// The participant sees the drawing.
    case watching
    case drawing
    /// The participant left the drawing and doesn't see it.
    case away
  }

  private let core: ScreeningCore<OriginRefusal>
  private let events: EventBroadcast<ScreeningEvent>
  private var party: Party?
  private var attendance = Attendance.watching
  /// The session of the party's latest drawing, even if this participant takes no part in it.
  private var latest: GroupSession<DrawTogether>?
  private var board: DrawingBoard?
  /// The board of a drawing that another one has replaced, until this participant is in the new one.
  private var replaced: DrawingBoard?
  private var drawing = Drawing()
  /// The lines to draw as soon as there is a board.
  private var pending: [[PicturePoint]] = []
  /// The names of the participants who drew, including those who left the party.
  private var authors: [Participant.ID: String] = [:]
  /// The minimum interval between two reported states of the drawing: not every interface can show fifty per second.
  private var pace = Duration.zero
  private var following: Task<Void, Never>?
  private var reading: Task<Void, Never>?

  init(core: ScreeningCore<OriginRefusal>, events: EventBroadcast<ScreeningEvent>) {
    self.core = core
    self.events = events
  }

  func setPace(_ pace: Duration) { self.pace = pace }

  func perform(_ order: DrawingOrder) async throws {
    switch order {
    case .draw(let points):
      try await takePart()
      if !points.isEmpty { try await draw(points) }
    case .press(at: let point): try await current().press(at: point)
    case .move(to: let point): try await current().move(to: point)
    case .lift: try await current().lift()
    case .undo:
      guard let board, await board.undo() else { throw DrawingProblem.nothingToUndo }
    case .reset: try await reset()
    case .leave: await leave()
    }
  }

  /// The drawing on the current film; nil without one.
  var status: DrawingStatus? {
    guard shown != nil else { return nil }
    return DrawingStatus(
      drawing: drawing, authors: authors, isDrawing: attendance == .drawing)
  }

  /// The board of the drawing on the current film.
  private var shown: DrawingBoard? {
    guard let board, core.machine.programme.ownChoice == nil,
      board.session.activity.item == core.machine.list?.current.identifier
    else { return nil }
    return board
  }

  private func current() throws(DrawingProblem) -> DrawingBoard {
    guard let board else { throw .noDrawing }
    return board
  }

  // MARK: - Orders

  /// Takes part in the drawing on the current film, or begins one.
  private func takePart() async throws {
    guard let party else { throw DrawingProblem.noParty }
    guard let item = core.machine.list?.current.identifier,
      core.machine.programme.ownChoice == nil
    else { throw DrawingProblem.noFilm }
    let before = attendance
    attendance = .drawing
    if let board = shown, board.session.state == .joined { return tell() }
    if latest?.activity.item == item {
      // A drawing that this participant left is delivered again only after a new request.
      return follow(party)
    }
    do {
      try await DrawTogether(item: item).activate(in: party)
    } catch {
      // A participant who may not begin a drawing doesn't take part in another one without a new command.
      attendance = before
      throw error
    }
  }

  /// Draws a line through these points, as soon as this participant takes part.
  private func draw(_ points: [PicturePoint]) async throws {
    guard let board = shown else { return pending.append(points) }
    try await board.draw(through: points)
  }

  private func leave() async {
    attendance = .away
    pending = []
    replaced = nil
    let board = board
    forget()
    await board?.leave()
  }

  /// Begins a new drawing for all participants.
  private func reset() async throws {
    let board = try current()
    guard let party else { throw DrawingProblem.noDrawing }
    try await board.session.activity.cleared.activate(in: party)
  }

  // MARK: - Sessions

  /// Follows the drawings in a party.
  func follow(_ party: Party) {
    self.party = party
    following?.cancel()
    following = Task { [weak self] in
      for await session in await DrawTogether.sessions(in: party) {
        await self?.attend(session)
      }
    }
  }

  /// Ends the drawing here, because the party is being left.
  func detach() {
    following?.cancel()
    reading?.cancel()
    party = nil
    attendance = .watching
    latest = nil
    board = nil
    replaced = nil
    drawing = Drawing()
    pending = []
    authors = [:]
    tell()
  }

  private func attend(_ session: GroupSession<DrawTogether>) async {
    let before = latest?.activity
    let isSameFilm = before?.item == session.activity.item
    // Two participants who begin at the same time make two sessions, of which one stays: neither is a reset.
    let isReset = isSameFilm && before?.continues(session.activity) == false
    let isKnown = latest?.id == session.id
    latest = session
    // A participant who drew on the previous film only watches the drawing on this one at first.
    if attendance == .drawing, !isSameFilm, !session.isLocallyInitiated {
      attendance = .watching
    }
    guard attendance != .away, self.board?.session.id != session.id else { return }
    let board = await DrawingBoard(session: session)
    let previous = self.board ?? replaced
    replaced = nil
    reading?.cancel()
    self.board = board
    drawing = Drawing()
    await board.join()
    tell()
    let pending = pending
    self.pending = []
    do {
      if let previous, session.activity.continues(previous.session.activity) {
        try await board.continueStrokes(of: previous)
      }
      for points in pending { try await draw(points) }
    } catch {
      events.send(.warning("\(error)"))
    }
    if !session.isLocallyInitiated, !isKnown {
      let name = core.machine.name(of: session.initiator)
      events.send(.drawingBegan(by: name, again: isReset))
    }
    reading = Task { [weak self] in
      for await drawing in board.drawings {
        guard let pace = await self?.show(drawing, of: session.id) else { break }
        if pace > .zero { try? await Task.sleep(for: pace, clock: .suspending) }
      }
      self?.ended(session.id)
    }
  }

  /// - Returns: the interval before the next state; nil if this drawing is no longer wanted.
  private func show(_ drawing: Drawing, of session: GroupSessionID) async -> Duration? {
    guard board?.session.id == session else { return nil }
    self.drawing = drawing
    for participant in await party?.participants ?? [] {
      authors[participant.id] = participant.name
    }
    tell()
    return pace
  }

  /// Handles the end of the party's drawing by any participant.
  func isOver() {
    latest = nil
    if attendance == .drawing { attendance = .watching }
  }

  private func ended(_ session: GroupSessionID) {
    // Otherwise another drawing has already replaced this one.
    guard let board, board.session.id == session else { return }
    if case .invalidated(.replaced) = board.session.state { replaced = board }
    forget()
  }

  private func forget() {
    reading?.cancel()
    board = nil
    drawing = Drawing()
    tell()
  }

  /// Notes that another film is on the screen: a drawing belongs to its film.
  func filmBegins() { if board != nil { tell() } }

  private func tell() { events.send(.drawing(ScreeningEvent.Sketch(status))) }
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
