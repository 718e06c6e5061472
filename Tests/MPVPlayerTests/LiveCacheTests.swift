import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("Seeks in the part of a live stream that mpv holds") struct LiveCacheTests {
  private func cache(
    _ ranges: [(Double, Double)], eof: Bool = false, idle: Bool = false
  ) -> LiveCache {
    LiveCache(
      .map([
        "seekable-ranges": .array(
          ranges.map { .map(["start": .double($0.0), "end": .double($0.1)]) }),
        "eof": .flag(eof), "idle": .flag(idle),
      ]))
  }

  @Test("The player seeks to a position that mpv holds")
  func held() {
    #expect(cache([(17.4, 20.4)]).step(toward: 18.4) == .seek(to: 18.4))
  }

  @Test("The player waits for a position that has not come yet, and doesn't skip to it")
  func notYet() {
    #expect(cache([(17.4, 18.4)]).step(toward: 18.5) == .wait)
    #expect(cache([(17.4, 18.4)]).step(toward: 24.4) == .wait)
  }

  @Test("No position is held until the first group of pictures is complete")
  func nothingYet() {
    #expect(cache([]).step(toward: 18.4) == .wait)
    #expect(LiveCache(.none).step(toward: 18.4) == .wait)
  }

  @Test("A position that the stream no longer has becomes the earliest one that it has")
  func gone() {
    #expect(cache([(17.4, 20.4)]).step(toward: 12.4) == .seek(to: 17.401))
    #expect(cache([(17.4, 20.4)]).step(toward: 17.4) == .seek(to: 17.401))
  }

  @Test("Only the newest part counts, since older ones can't be played beyond their ends")
  func newest() {
    #expect(cache([(17.4, 18.4), (21.4, 23.4)]).step(toward: 18.4) == .seek(to: 21.401))
    #expect(cache([(21.4, 23.4), (17.4, 18.4)]).step(toward: 22.4) == .seek(to: 22.4))
  }

  @Test(
    "The player doesn't wait for a position when the stream has ended",
    arguments: [(true, false), (false, true)])
  func ended(eof: Bool, idle: Bool) {
    #expect(cache([(17.4, 20.4)], eof: eof, idle: idle).step(toward: 24.4) == .seek(to: 24.4))
    #expect(cache([], eof: eof, idle: idle).step(toward: 24.4) == .seek(to: 24.4))
  }
}
