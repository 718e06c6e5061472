import PlaybackCoordination
import Testing
import Timekeeping

@testable import MPVPlayer

/// With real libmpv, one after the other: they measure time.
@Suite("A real player", .serialized) struct RealPlayerTests {
  @Test("A film is loaded, and the player knows what it is")
  func loads() async throws {
    try await PlayerUnderTest.with(Clips.film, at: 3.0) { test in
      let snapshot = await test.player.snapshot()
      #expect(snapshot.path == Clips.film)
      #expect(snapshot.title == "A test film")
      #expect(snapshot.isPaused)
      #expect(snapshot.isSeekable)
      #expect(snapshot.hasVideo && snapshot.hasAudio)
      #expect(snapshot.frameDuration == .milliseconds(40))
      #expect(abs((snapshot.duration?.seconds ?? 0) - 20) < 0.1)
      #expect(await test.pause() == .completed(itemTime: 3.0))
    }
  }
}
