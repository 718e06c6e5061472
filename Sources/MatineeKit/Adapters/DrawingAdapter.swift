import Concurrency
import DrawTogether
import GroupActivities
import Screening

/// Performs the effects on the drawing over the film's picture: its sessions and boards.
@ScreeningActor
final class DrawingAdapter {
  private let runner: LoopRunner
  private var party: Party?
  /// The sessions that the machine knows, and their boards.
  private var sessions: [GroupSessionID: GroupSession<DrawTogether>] = [:]
  private var boards: [GroupSessionID: DrawingBoard] = [:]
  /// The minimum interval between two reported states of the drawing: not every interface can show fifty per second.
  private var pace = Duration.zero
  private var following: Task<Void, Never>?
  private var reading: Task<Void, Never>?
  /// The task that performs the newest order, after all earlier ones.
  private var performing: Task<Void, any Error>?

  init(runner: LoopRunner) { self.runner = runner }

  func setPace(_ pace: Duration) { self.pace = pace }

  /// Performs an order after all earlier ones.
  ///
  /// - Parameter party: the party that this participant is in; nil for none.
  func perform(_ order: DrawingOrder, in party: Party?) async throws -> EffectAnswer {
    let earlier = performing
    var entered: DrawingPart.Number?
    if case .enter(let number, _) = order { entered = number }
    // A task of its own, since the caller may be cancelled.
    let task = Task {
      _ = await earlier?.result
      try await self.carryOut(order, in: party)
    }
    performing = task
    try await task.value
    return EffectAnswer(entered.map { [.drawing(.entered($0))] } ?? [])
  }

  private func carryOut(_ order: DrawingOrder, in party: Party?) async throws {
    switch order {
    case .stroke(let command, let id): try await stroke(command, in: id)
    case .followSessions: if let party { follow(party) }
    case .detach: detach()
    case .start(_, let activity), .replace(let activity):
      guard let party else { throw DrawingProblem.noDrawing }
      try await activity.activate(in: party)
    case .draw(let id, let other, let lines):
      guard let board = boards[id] else { return }
      if let other = other.flatMap({ boards[$0] }) { await board.continueStrokes(of: other) }
      for points in lines { await board.draw(through: points) }
    case .enter(_, let id):
      reading?.cancel()
      guard let session = sessions[id] else { return }
      let board = await DrawingBoard(session: session)
      guard sessions[id] != nil else { return }
      boards[id] = board
      await board.join()
    case .follow(let id): if let board = boards[id] { read(board) }
    case .leave(let id):
      reading?.cancel()
      sessions[id] = nil
      await boards.removeValue(forKey: id)?.leave()
    case .release(let id):
      sessions[id] = nil
      boards[id] = nil
    }
  }

  private func stroke(_ command: UserCommand.Drawing, in id: GroupSessionID) async throws {
    guard let board = boards[id] else { throw DrawingProblem.noDrawing }
    switch command {
    case .press(at: let point): await board.press(at: point)
    case .move(to: let point): await board.move(to: point)
    case .lift: await board.lift()
    case .undo: guard await board.undo() else { throw DrawingProblem.nothingToUndo }
    case .draw, .reset, .leave: break
    }
  }

  // MARK: - Sessions

  private func follow(_ party: Party) {
    self.party = party
    following?.cancel()
    following = Task { [weak self] in
      for await session in await DrawTogether.sessions(in: party) {
        await self?.arrived(session)
      }
    }
  }

  private func detach() {
    following?.cancel()
    reading?.cancel()
    party = nil
    sessions = [:]
    boards = [:]
  }

  private func arrived(_ session: GroupSession<DrawTogether>) async {
    // The party may have been left meanwhile.
    guard party != nil, !Task.isCancelled else { return }
    // A session that the machine doesn't enter is kept until the party is left.
    sessions[session.id] = session
    await runner.handle(
      .drawing(
        .part(
          .arrived(
            .init(
              id: session.id, activity: session.activity, initiator: session.initiator,
              isLocallyInitiated: session.isLocallyInitiated)))))
  }

  private func read(_ board: DrawingBoard) {
    let id = board.session.id
    reading = Task { [weak self] in
      for await drawing in board.drawings {
        guard let pace = await self?.show(drawing, of: id) else { break }
        if pace > .zero { try? await Task.sleep(for: pace, clock: .suspending) }
      }
      let isReplaced = if case .invalidated(.replaced) = board.session.state { true } else { false }
      await self?.ended(id, isReplaced: isReplaced)
    }
  }

  private func ended(_ id: GroupSessionID, isReplaced: Bool) async {
    await runner.handle(.drawing(.part(.ended(id, isReplaced: isReplaced))))
  }

  /// - Returns: the interval before the next state; nil if this drawing is no longer wanted.
  private func show(_ drawing: Drawing, of id: GroupSessionID) async -> Duration? {
    guard boards[id] != nil, !Task.isCancelled else { return nil }
    await runner.handle(.drawing(.drew(id, drawing)))
    return pace
  }
}
