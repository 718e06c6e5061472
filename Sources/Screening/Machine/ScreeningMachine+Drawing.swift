import DrawTogether
import GroupActivities

/// The drawing over the picture.
extension ScreeningMachine {
  /// The drawing on the current film; nil without one.
  package var drawingStatus: DrawingStatus? { drawing.status(on: drawnItem) }

  /// The identifier of the film that the party watches with this participant; nil for none.
  private var drawnItem: String? {
    filmMachine.ownChoice == nil ? list?.current.identifier : nil
  }

  mutating func handle(_ event: DrawingEvent) -> [Effect] {
    switch event {
    case .part(let event): return draw(event)
    case .entered(let number): return draw(.entered(number, on: drawnItem))
    case .drew(let id, let drawing):
      let known = membership.known.map { ($0.id, $0.name) }
      let names = Dictionary(known) { first, _ in first }
      return draw(.drew(id, drawing, names: names))
    }
  }

  mutating func draw(_ event: DrawingPart.Event) -> [Effect] {
    let effects = drawing.handle(event).map { follow($0) }
    return event == .leftParty ? [.report(.drawing(.init(drawingStatus)))] : effects
  }

  private func follow(_ directive: DrawingPart.Directive) -> Effect {
    switch directive {
    case .enter(let number, let id): .drawing(.enter(number, id))
    case .draw(let id, let other, let lines): .drawing(.draw(id, strokesOf: other, lines: lines))
    case .announce(let id, let isReset): .report(.drawingBegan(by: name(of: id), again: isReset))
    case .follow(let id): .drawing(.follow(id))
    case .leave(let id): .drawing(.leave(id))
    case .release(let id): .drawing(.release(id))
    case .report: .report(.drawing(.init(drawingStatus)))
    }
  }

  mutating func draw(_ command: UserCommand.Drawing) throws -> [Effect] {
    switch command {
    case .draw(let points): return try draw(points)
    case .press, .move, .lift: return [.drawing(.stroke(command, in: try current()))]
    case .undo:
      guard let id = drawing.current else { throw DrawingProblem.nothingToUndo }
      return [.drawing(.stroke(command, in: id))]
    case .reset: return [.drawing(.replace(try drawing.cleared()))]
    case .leave: return draw(.left)
    }
  }

  private func current() throws(DrawingProblem) -> GroupSessionID {
    guard let id = drawing.current else { throw .noDrawing }
    return id
  }

  /// Takes part in the drawing on the current film, or begins one.
  ///
  /// - Parameter points: a line to draw as soon as this participant takes part; empty for none.
  private mutating func draw(_ points: [PicturePoint]) throws(DrawingProblem) -> [Effect] {
    let beginning = try drawing.begin(
      on: drawnItem, isInParty: membership.isMember, isJoined: drawing.current != nil)
    let effect: Effect =
      switch beginning {
      case .report: .report(.drawing(.init(drawingStatus)))
      case .followAgain: .drawing(.followSessions)
      case .start(let number, let activity): .drawing(.start(number, activity))
      }
    guard !points.isEmpty, let id = drawing.draw(points, on: drawnItem) else { return [effect] }
    return [effect, .drawing(.draw(id, strokesOf: nil, lines: [points]))]
  }
}
