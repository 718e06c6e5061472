import Concurrency
import Screening
import Testing

@testable import MatineeKit

@Suite("The runner of the loop")
@ScreeningActor
struct LoopRunnerTests {
  private struct Refusal: Error, Hashable {}

  /// An event with effects.
  private let started = ScreeningMachine.Event.started(
    trusting: [], naming: [], trailers: [], isEligible: false)

  @Test("A command returns the answer of its effect, or throws its error")
  func command() async throws {
    try await AdapterStage.run { stage async throws in
      stage.perform = { _ in .notice("Volume 40 %") }
      #expect(try await stage.runner.perform(.setVolume(40)) == .notice("Volume 40 %"))
      #expect(stage.effects == [.player(.setVolume(40))])
      stage.perform = { _ in throw Refusal() }
      await #expect(throws: Refusal.self) { try await stage.runner.perform(.setVolume(40)) }
    }
  }

  @Test("A command that the machine refuses throws, and has no effect")
  func refused() async throws {
    try await AdapterStage.run { stage in
      await #expect(throws: NothingToDo.noQuestion) {
        try await stage.runner.perform(.answer(true, forGood: false))
      }
      #expect(stage.effects.isEmpty)
    }
  }

  @Test("An event is handled once its effects are performed, and sent at once")
  func event() async throws {
    try await AdapterStage.run { stage in
      let (begun, mayEnd, isHandled) = (OneShot<Void>(), OneShot<Void>(), OneShot<Void>())
      stage.perform = { _ in
        begun.fulfil(())
        await mayEnd.certainValue()
        return nil
      }
      stage.runner.send(started)
      let handling = Task {
        await stage.runner.handle(started)
        isHandled.fulfil(())
      }
      await begun.certainValue()
      #expect(isHandled.current == nil)
      mayEnd.fulfil(())
      await handling.value
    }
  }

  @Test("The end of the loop ends waiting commands, and later ones")
  func finish() async throws {
    try await AdapterStage.run { stage in
      let (begun, mayEnd) = (OneShot<Void>(), OneShot<Void>())
      stage.perform = { _ in
        begun.fulfil(())
        await mayEnd.certainValue()
        return nil
      }
      let waiting = Task { try await stage.runner.perform(.setVolume(40)) }
      await begun.certainValue()
      stage.runner.finish()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      mayEnd.fulfil(())
      await #expect(throws: CancellationError.self) {
        try await stage.runner.perform(.setVolume(40))
      }
      await stage.runner.handle(started)
      #expect(await stage.runner.nextJob() == nil)
    }
  }
}
