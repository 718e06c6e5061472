import Concurrency
import PlaybackCoordination
import Testing
import Timekeeping

@testable import MPVPlayer

extension RealPlayerTests {
  @Suite("A pause at the very instant of a start")
  struct PausedStartTests {
    @Test("The player ends paused, whichever command reaches mpv first")
    func endsPaused() async throws {
      try await PlayerUnderTest.with(Clips.film) { test in
        for step in 0..<120 {
          let instant = HostTime.now() + .milliseconds(40)
          async let started = test.play(from: 5.0, at: instant)
          // The player unpauses some time ahead of the instant. The pauses come from 1.5 ms before that call to 1.5 ms
          // after it.
          let due = OneShot<Void>()
          let early = await test.player.startLatency
          _ = test.player.deadlines.run(
            at: instant - early + .microseconds(step * 25 - 1500)
          ) { due.fulfil(()) }
          _ = await due.value()
          let paused = await test.pause()
          _ = await started
          guard case .completed = paused else {
            Issue.record("\(step): \(paused)")
            continue
          }
          let isPaused = try await test.player.get(MPVProperty.pause).value.flag
          #expect(isPaused == true, "step \(step)")
          #expect(await test.player.snapshot().isPaused, "step \(step)")
        }
      }
    }
  }
}
