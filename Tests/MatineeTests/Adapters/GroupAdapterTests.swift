import MPVPlayer
import PlaybackCoordination
import Screening
import Testing
import Timekeeping

@testable import MatineeKit

@Suite("The adapter of coordinated playback")
@ScreeningActor
struct GroupAdapterTests {
  private func with(
    _ body: @ScreeningActor (GroupAdapter, AdapterStage) async throws -> Void
  ) async throws {
    try await AdapterStage.run { stage in
      let adapter = GroupAdapter(
        player: stage.player, coordinator: stage.coordinator, events: stage.events, log: nil)
      try await body(adapter, stage)
      await adapter.close()
    }
  }

  @Test("The player follows the rate, and the facts state it")
  func rate() async throws {
    try await with { adapter, stage in
      #expect(await adapter.facts().status == .noItem)
      await #expect(throws: CoordinationError.noCurrentItem) {
        try await adapter.setRate(1, immediately: false)
      }
      let film = try SilentFilm.make()
      try await stage.open(film, at: MediaTime(seconds: 20))
      let paused = await adapter.facts()
      #expect(paused.item == film && paused.status == .paused && paused.rate == 1)
      #expect(paused.itemTime == MediaTime(seconds: 20) && paused.mayControl && !paused.hasOthers)
      try await adapter.setRate(1, immediately: false)
      await eventually { await adapter.facts().status == .playing }
      await eventually { await stage.player.position()?.rate ?? 0 > 0 }
      try await adapter.setRate(0, immediately: false)
      #expect(await adapter.facts().status == .paused)
      await eventually { await stage.player.position()?.rate ?? 0 == 0 }
      await adapter.clearItem()
      #expect(await adapter.facts().status == .noItem)
    }
  }

  @Test("A separation lasts until its own end, and the last one proposes a position")
  func separations() async throws {
    try await with { adapter, stage in
      try await stage.open(try SilentFilm.make())
      try await adapter.separate(.steppedAway, for: .steppedAway)
      try await adapter.separate(.stalled, for: .stallRecovery)
      #expect(await adapter.facts().reasons == [.steppedAway, .stallRecovery])
      await adapter.rejoin(.scrubbing, proposing: MediaTime(seconds: 9))
      await adapter.rejoin(.steppedAway, proposing: nil)
      #expect(await adapter.facts().reasons == [.stallRecovery])
      await adapter.rejoin(.stalled, proposing: MediaTime(seconds: 30))
      let facts = await adapter.facts()
      #expect(facts.reasons.isEmpty && facts.itemTime == MediaTime(seconds: 30))
    }
  }

  @Test("A player that plays is measured until the measurements are forgotten")
  func measured() async throws {
    try await with { adapter, stage in
      let correct = SyncOrder.correct(reportsEnd: true, isLive: false)
      try await stage.open(try SilentFilm.make(seconds: 60))
      #expect(await adapter.perform(correct).events == [.playback(.measured(error: nil))])
      #expect(adapter.measurement == nil)
      #expect(await adapter.facts().end == MediaTime(seconds: 60))
      try await adapter.setRate(1, immediately: false)
      await eventually {
        guard case .playback(.measured)? = await adapter.perform(correct).events.first else {
          return false
        }
        return adapter.measurement != nil
      }
      _ = await adapter.perform(.forget)
      #expect(adapter.measurement == nil)
    }
  }

  @Test("A live stream has no end")
  func live() async throws {
    try await with { adapter, stage in
      try await stage.open(try SilentFilm.make())
      _ = await adapter.perform(.correct(reportsEnd: true, isLive: true))
      #expect(await adapter.facts().end == nil)
    }
  }

  @Test("A player goes on alone from its own position, if it plays")
  func alone() async throws {
    try await with { adapter, stage in
      try await stage.open(try SilentFilm.make())
      #expect(await adapter.perform(.goOnAlone).events == [.playback(.wentOn(to: nil))])
      try await adapter.setRate(1, immediately: false)
      await eventually {
        guard
          case .playback(.wentOn(let position?))? = await adapter.perform(.goOnAlone).events.first
        else { return false }
        return position < MediaTime(seconds: 60)
      }
    }
  }

  @Test("The group comes to a player that stays where it is")
  func stays() async throws {
    try await with { adapter, stage in
      let film = try SilentFilm.make()
      try await stage.coordinator.transitionToItem(
        withIdentifier: film, proposing: PlaybackTiming(rate: 0, itemTime: MediaTime(seconds: 40)),
        playerIsReady: false)
      try await stage.player.load(film)
      _ = await adapter.perform(.stayHere)
      #expect(await adapter.facts().itemTime == .zero)
    }
  }

  @Test("The film of a player that is alone is over at its end, and pauses there")
  func end() async throws {
    try await with { adapter, stage in
      try await stage.open(try SilentFilm.make(seconds: 60), at: MediaTime(seconds: 59.5))
      _ = await adapter.perform(.correct(reportsEnd: true, isLive: false))
      try await adapter.setRate(1, immediately: false)
      await eventually { await adapter.facts().status == .playing }
      #expect(await adapter.reportEnd(at: MediaTime(seconds: 60)))
      #expect(await adapter.facts().status == .paused)
    }
  }

  @Test("A start waits for the reasons that the rules name, in a group of a limited size")
  func waits() async throws {
    try await with { adapter, stage in
      await adapter.waitFor([.readyCheck], upTo: 7)
      let coordinator = stage.coordinator
      #expect(await coordinator.suspensionReasonsThatTriggerWaiting == [.readyCheck])
      #expect(
        await coordinator.participantLimitForWaitingOutSuspensions(withReason: .readyCheck) == 7)
    }
  }
}
