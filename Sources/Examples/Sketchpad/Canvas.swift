import Foundation
import GroupActivities

struct DrawTogether: GroupActivity {
  var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .createTogether, title: "Draw Together")
  }
}

struct Point: Codable, Hashable, Sendable {
  var x, y: Int
}

struct Stroke: Codable, Identifiable, Sendable {
  let id: UUID
  /// The character that draws it.
  let color: String
  var points: [Point] = []
}

struct UpsertStrokeMessage: Codable, Sendable {
  let id: UUID
  let color: String
  let point: Point
}

struct CanvasMessage: Codable, Sendable {
  let strokes: [Stroke]
  let pointCount: Int
}

@MainActor final class Canvas {
  private(set) var strokes: [Stroke] = []
  private(set) var groupSession: GroupSession<DrawTogether>?
  private var activeStroke: Stroke.ID?
  private let strokeColor: String
  private var messenger: GroupSessionMessenger?
  private var tasks: [Task<Void, Never>] = []
  /// Shows the canvas, after each change.
  private let draw: (Canvas) -> Void

  init(strokeColor: String, draw: @escaping (Canvas) -> Void) {
    (self.strokeColor, self.draw) = (strokeColor, draw)
    Task { for await session in DrawTogether.sessions() { await configureGroupSession(session) } }
  }

  var pointCount: Int { strokes.reduce(0) { $0 + $1.points.count } }

  func addPointToActiveStroke(_ point: Point) async throws {
    let id = activeStroke ?? UUID()
    activeStroke = id
    let message = UpsertStrokeMessage(id: id, color: strokeColor, point: point)
    handle(message)
    try await messenger?.send(message)
  }

  func finishStroke() { activeStroke = nil }

  func startSharing() async throws { try await DrawTogether().activate() }

  /// Clears the canvas: for all participants, by a new session, if there is one.
  func reset() async throws {
    let session = groupSession
    tearDown()
    guard let session else { return }
    await session.leave()
    try await startSharing()
  }

  private func tearDown() {
    (strokes, activeStroke, groupSession, messenger) = ([], nil, nil, nil)
    for task in tasks { task.cancel() }
    tasks = []
    draw(self)
  }

  private func configureGroupSession(_ session: GroupSession<DrawTogether>) async {
    tearDown()
    groupSession = session
    let messenger = GroupSessionMessenger(session: session)
    self.messenger = messenger
    let points = messenger.messages(of: UpsertStrokeMessage.self)
    let canvases = messenger.messages(of: CanvasMessage.self)
    tasks = [
      Task { for await (message, _) in points { handle(message) } },
      Task { for await (message, _) in canvases { handle(message) } },
      Task {
        for await case .invalidated in session.states { tearDown() }
      },
      Task {
        var present: Set = [await session.localParticipant]
        for await participants in session.activeParticipantsUpdates {
          let newcomers = Set(participants).subtracting(present)
          present = Set(participants)
          guard !newcomers.isEmpty, pointCount > 0 else { continue }
          let canvas = CanvasMessage(strokes: strokes, pointCount: pointCount)
          try? await messenger.send(canvas, to: .only(newcomers))
        }
      },
    ]
    await session.join()
    draw(self)
  }

  private func handle(_ message: UpsertStrokeMessage) {
    let index = strokes.firstIndex { $0.id == message.id }
    if index == nil { strokes.append(Stroke(id: message.id, color: message.color)) }
    strokes[index ?? strokes.count - 1].points.append(message.point)
    draw(self)
  }

  private func handle(_ message: CanvasMessage) {
    guard message.pointCount > pointCount else { return }
    strokes = message.strokes
    draw(self)
  }
}
