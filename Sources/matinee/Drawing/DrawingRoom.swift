import Concurrency
import DrawTogether
import GroupActivities
import Screening

/// Drawing over the film's picture, together with the other participants: the sessions and boards of ``DrawingPart``.
@ScreeningActor
final class DrawingRoom: DrawingTable {
  private let core: ScreeningCore<OriginRefusal>
  private let events: EventBroadcast<ScreeningEvent>
  private var part = DrawingPart()
  private var party: Party?
  /// The sessions that the part knows, and their boards.
  private var sessions: [GroupSessionID: GroupSession<DrawTogether>] = [:]
  private var boards: [GroupSessionID: DrawingBoard] = [:]
  /// The minimum interval between two reported states of the drawing: not every interface can show fifty per second.
  private var pace = Duration.zero
  private var following: Task<Void, Never>?
  private var reading: Task<Void, Never>?
  /// The task that performs the newest directives, after all earlier ones.
  private var performing: Task<Void, Never>?

  init(core: ScreeningCore<OriginRefusal>, events: EventBroadcast<ScreeningEvent>) {
    self.core = core
    self.events = events
  }

  func setPace(_ pace: Duration) { self.pace = pace }

  /// The drawing on the current film; nil without one.
  var status: DrawingStatus? { part.status(on: item) }

  /// The identifier of the film that the party watches with this participant; nil for none.
  private var item: String? {
    core.machine.filmMachine.ownChoice == nil ? core.machine.list?.current.identifier : nil
  }

  // MARK: - Commands

  func perform(_ command: UserCommand.Drawing) async throws {
    switch command {
    case .draw(let points): try await draw(points)
    case .press(at: let point): try await board().press(at: point)
    case .move(to: let point): try await board().move(to: point)
    case .lift: try await board().lift()
    case .undo:
      guard let board = part.current.flatMap({ boards[$0] }), await board.undo() else {
        throw DrawingProblem.nothingToUndo
      }
    case .reset:
      let cleared = try part.cleared()
      guard let party else { throw DrawingProblem.noDrawing }
      try await cleared.activate(in: party)
    case .leave: await handle(.left)
    }
  }

  /// Takes part in the drawing on the current film, or begins one.
  ///
  /// - Parameter points: a line to draw as soon as this participant takes part; empty for none.
  private func draw(_ points: [PicturePoint]) async throws {
    let isJoined = part.current.flatMap { sessions[$0] }?.state == .joined
    switch try part.begin(on: item, isInParty: party != nil, isJoined: isJoined) {
    case .report: report()
    case .followAgain: if let party { follow(party) }
    case .start(let number, let activity):
      guard let party else { break }
      do {
        try await activity.activate(in: party)
      } catch {
        await handle(.startFailed(number))
        throw error
      }
    }
    guard !points.isEmpty, let id = part.draw(points, on: item) else { return }
    await boards[id]?.draw(through: points)
  }

  private func board() throws(DrawingProblem) -> DrawingBoard {
    guard let board = part.current.flatMap({ boards[$0] }) else { throw .noDrawing }
    return board
  }

  // MARK: - Events

  /// Follows the drawings in a party.
  func follow(_ party: Party) {
    self.party = party
    following?.cancel()
    following = Task { [weak self] in
      for await session in await DrawTogether.sessions(in: party) {
        await self?.arrived(session)
      }
    }
  }

  /// Ends the drawing here, because the party is being left.
  func detach() async {
    following?.cancel()
    reading?.cancel()
    party = nil
    sessions = [:]
    boards = [:]
    await handle(.leftParty)
    report()
  }

  /// Handles the end of the party's drawing by any participant.
  func isOver() async { await handle(.over) }

  /// Notes that another film is on the screen: a drawing belongs to its film.
  func filmBegins() { if part.current != nil { report() } }

  private func report() { events.send(.drawing(ScreeningEvent.Sketch(status))) }

  private func arrived(_ session: GroupSession<DrawTogether>) async {
    // The party may have been left meanwhile.
    guard party != nil, !Task.isCancelled else { return }
    let directives = part.handle(
      .arrived(
        .init(
          id: session.id, activity: session.activity, initiator: session.initiator,
          isLocallyInitiated: session.isLocallyInitiated)))
    guard !directives.isEmpty else { return }
    sessions[session.id] = session
    await perform(directives)
  }

  private func handle(_ event: DrawingPart.Event) async { await perform(part.handle(event)) }

  // MARK: - Directives

  /// Performs directives after all earlier ones.
  private func perform(_ directives: [DrawingPart.Directive]) async {
    guard !directives.isEmpty else { return }
    let earlier = performing
    // A task of its own, since the caller may be cancelled.
    let task = Task {
      await earlier?.value
      for directive in directives { await perform(directive) }
    }
    performing = task
    await task.value
  }

  private func perform(_ directive: DrawingPart.Directive) async {
    switch directive {
    case .enter(let number, let id):
      reading?.cancel()
      guard let session = sessions[id] else { return }
      let board = await DrawingBoard(session: session)
      guard sessions[id] != nil else { return }
      boards[id] = board
      await board.join()
      for directive in part.handle(.entered(number, on: item)) { await perform(directive) }
    case .draw(let id, let other, let lines):
      guard let board = boards[id] else { return }
      if let other = other.flatMap({ boards[$0] }) { await board.continueStrokes(of: other) }
      for points in lines { await board.draw(through: points) }
    case .announce(let id, let isReset):
      events.send(.drawingBegan(by: core.machine.name(of: id), again: isReset))
    case .follow(let id): if let board = boards[id] { read(board) }
    case .leave(let id):
      reading?.cancel()
      sessions[id] = nil
      await boards.removeValue(forKey: id)?.leave()
    case .release(let id):
      sessions[id] = nil
      boards[id] = nil
    case .report: report()
    }
  }

  private func read(_ board: DrawingBoard) {
    let id = board.session.id
    reading = Task { [weak self] in
      for await drawing in board.drawings {
        guard let pace = await self?.show(drawing, of: id) else { break }
        if pace > .zero { try? await Task.sleep(for: pace, clock: .suspending) }
      }
      let isReplaced = if case .invalidated(.replaced) = board.session.state { true } else { false }
      await self?.handle(.ended(id, isReplaced: isReplaced))
    }
  }

  /// - Returns: the interval before the next state; nil if this drawing is no longer wanted.
  private func show(_ drawing: Drawing, of id: GroupSessionID) async -> Duration? {
    guard part.current == id else { return nil }
    let participants = await party?.participants ?? []
    let names = Dictionary(participants.map { ($0.id, $0.name) }) { _, new in new }
    await handle(.drew(id, drawing, names: names))
    return pace
  }
}
