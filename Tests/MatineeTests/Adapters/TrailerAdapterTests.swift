import Screening
import Testing

@testable import MatineeKit

@Suite("The adapter of the trailers")
@ScreeningActor
struct TrailerAdapterTests {
  private func with(
    _ body: @ScreeningActor (TrailerAdapter, AdapterStage) async throws -> Void
  ) async throws {
    try await AdapterStage.run { stage in
      let adapter = TrailerAdapter(
        before: stage.player, frames: FrameRouter(), runner: stage.runner, events: stage.events)
      try await body(adapter, stage)
      await adapter.close()
    }
  }

  private func event(
    _ adapter: TrailerAdapter, _ order: TrailerOrder, proxy: String? = nil
  ) async throws -> Trailers.Event? {
    guard
      case .film(.trailer(let event))? = try await adapter.perform(order, proxy: proxy).events.first
    else { return nil }
    return event
  }

  @Test("A trailer plays in a player of its own, and pauses")
  func trailer() async throws {
    try await with { adapter, stage async throws in
      #expect(try await event(adapter, .open) == .opened)
      #expect(adapter.shownPlayer !== stage.player)
      #expect(adapter.shownPlayer.configuration.isSecondary)
      #expect(try await event(adapter, .play(SilentFilm.make())) == .paused(false))
      await eventually { await adapter.shownPlayer.position()?.rate ?? 0 > 0 }
      #expect(try await event(adapter, .playPause) == .paused(true))
      await eventually { await adapter.shownPlayer.position()?.rate ?? 0 == 0 }
      #expect(await !stage.player.snapshot().isLoaded)
      #expect(try await event(adapter, .close) == .closed)
      #expect(try await event(adapter, .showFilm) == nil)
      #expect(adapter.shownPlayer === stage.player)
      #expect(await adapter.snapshot() == nil)
    }
  }

  @Test("A trailer that is missing has failed")
  func missing() async throws {
    try await with { adapter, _ in
      _ = try await event(adapter, .open)
      guard case .failed(let text)? = try await event(adapter, .play("/missing/trailer.mkv")) else {
        Issue.record("It is no failure.")
        return
      }
      #expect(text.contains("no such file"))
    }
  }

  @Test("Trailers reach servers through the proxy of the film behind them")
  func proxy() async throws {
    try await with { adapter, _ in
      _ = try await event(adapter, .open, proxy: "http://127.0.0.1:9")
      #expect(
        adapter.shownPlayer.configuration.options.contains {
          $0.name == "http-proxy" && $0.value == "http://127.0.0.1:9"
        })
    }
  }
}
