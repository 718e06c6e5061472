import DrawTogether
import PartyTesting
import Screening
import Testing

@testable import GroupActivities
@testable import MatineeKit

@Suite("The adapter of the drawing")
@ScreeningActor
struct DrawingAdapterTests {
  /// Lets a stage take part in the drawings of a party on a film.
  private func enter(_ stage: AdapterStage, _ party: Party, _ film: FilmIdentity) async
    -> DrawingAdapter
  {
    let adapter = DrawingAdapter(runner: stage.runner)
    stage.perform = { effect in
      guard case .drawing(let order) = effect else { return nil }
      return try await adapter.perform(order, in: party)
    }
    await stage.runner.handle(.planned([film], resumes: false, start: nil))
    _ = try? await adapter.perform(.followSessions, in: party)
    return adapter
  }

  private nonisolated func withParty(
    _ body: @Sendable @ScreeningActor (Party, Party) async throws -> Void
  ) async throws {
    try await PartyRoom.run { room in
      try await body(room.enter("Ana"), room.enter("Ben"))
    }
  }

  private func lines(_ stage: AdapterStage) -> [[PicturePoint]]? {
    stage.runner.machine.drawingStatus?.drawing.strokes.map(\.points)
  }

  /// Returns the session of the drawing that a stage follows.
  private func followed(_ stage: AdapterStage) -> GroupSessionID? {
    for case .drawing(.follow(let id)) in stage.effects { return id }
    return nil
  }

  private let line = [PicturePoint(x: 0.25, y: 0.5), PicturePoint(x: 0.75, y: 0.5)]

  @Test("Strokes reach the other participants until they leave the drawing")
  func strokes() async throws {
    let film = try FilmIdentity.silent()
    try await withParty { ana, ben in
      try await AdapterStage.run { anas in
        try await AdapterStage.run { bens in
          let adapter = await enter(anas, ana, film)
          let other = await enter(bens, ben, film)
          let activity = DrawTogether(item: film.identifier)
          #expect(try await adapter.perform(.start(1, activity), in: ana) == .done)
          await eventually { followed(anas) != nil && followed(bens) != nil }
          let id = try #require(followed(anas))
          _ = try await adapter.perform(.draw(id, strokesOf: nil, lines: [line]), in: ana)
          await eventually { lines(bens) == [line] }
          _ = try await adapter.perform(.stroke(.press(at: line[0]), in: id), in: ana)
          _ = try await adapter.perform(.stroke(.lift, in: id), in: ana)
          await eventually { lines(bens) == [line, [line[0]]] }
          _ = try await adapter.perform(.stroke(.undo, in: id), in: ana)
          await eventually { lines(bens) == [line] }
          await #expect(throws: DrawingProblem.nothingToUndo) {
            try await other.perform(.stroke(.undo, in: id), in: ben)
          }
          _ = try await other.perform(.leave(id), in: ben)
          await #expect(throws: DrawingProblem.noDrawing) {
            try await other.perform(.stroke(.lift, in: id), in: ben)
          }
          _ = try await adapter.perform(.replace(activity.cleared), in: ana)
          await eventually { lines(anas) == [] && lines(bens) == [] }
          _ = try await adapter.perform(.detach, in: nil)
          _ = try await other.perform(.detach, in: nil)
        }
      }
    }
  }

  @Test("An entered session is answered with its number, and a drawing needs a party")
  func entered() async throws {
    try await AdapterStage.run { stage async throws in
      let adapter = DrawingAdapter(runner: stage.runner)
      let id = GroupSessionID(rawValue: 7)
      #expect(
        try await adapter.perform(.enter(4, id), in: nil).events == [.drawing(.entered(4))])
      await #expect(throws: DrawingProblem.noDrawing) {
        try await adapter.perform(.start(1, DrawTogether(item: "film")), in: nil)
      }
    }
  }
}
