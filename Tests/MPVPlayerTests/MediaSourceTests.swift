import Concurrency
import Foundation
import Synchronization
import Testing
import Timekeeping

@testable import MPVPlayer

/// Real libmpv on bytes of which some aren't there yet.
@Suite("A film from a source", .serialized) struct MediaSourceTests {
  @Test("It is opened by its location alone, and plays like a file")
  func plays() async throws {
    let source = try PartialSource(Clips.film)
    try await PlayerUnderTest().run { test in
      try await test.player.load("shared://film", isForeign: true, source: source)
      let snapshot = await test.player.snapshot()
      #expect(snapshot.isLoaded && snapshot.hasVideo && snapshot.hasAudio && snapshot.isSeekable)
      #expect(await test.snapshot { abs(($0.duration?.seconds ?? 0) - 20) < 0.1 })
      await test.player.setCurrentItemIdentifier("film")
      #expect(await test.seek(to: 12.0) == .completed(itemTime: 12.0))
      // Another location isn't known.
      await #expect(throws: MPVError.self) {
        try await test.player.load("shared://other", isForeign: true)
      }
    }
  }

  @Test("A read that waits gives way to a seek, to the next film and to the end of the player")
  func givesWay() async throws {
    let source = try PartialSource(Clips.film)
    try await PlayerUnderTest().run { test in
      await test.player.setCurrentItemIdentifier("film")
      func startWithGap() async throws {
        source.lack(from: nil)
        try await test.player.load("shared://film", isForeign: true, source: source)
        source.lack(from: 0.75)
        // The player reads ten seconds ahead.
        _ = await test.seek(to: 10.0)
        #expect(await source.blocks())
      }
      try await startWithGap()
      let begun = HostTime.now()
      #expect(await test.seek(to: 2.0) == .completed(itemTime: 2.0))
      _ = await test.seek(to: 10.0)
      #expect(await source.blocks())
      try await test.player.load(Clips.silentFilm)
      #expect(await test.player.snapshot().isLoaded)
      // Reads that don't give way wait for ever.
      #expect(.now() - begun < .seconds(30))
      try await startWithGap()
    }
  }

  @Test("A stall ends when the bytes arrive")
  func stalls() async throws {
    let source = try PartialSource(Clips.film)
    try await PlayerUnderTest().run { test in
      await test.player.setCurrentItemIdentifier("film")
      try await test.player.load("shared://film", isForeign: true, source: source)
      source.lack(from: 0.6)
      _ = await test.seek(to: 10.0)
      _ = await test.play(from: 10.0, at: .now())
      #expect(await test.event { $0 == .stalled(true) ? true : nil } == true)
      source.lack(from: nil)
      #expect(await test.event { $0 == .stalled(false) ? true : nil } == true)
      #expect(await test.snapshot { ($0.itemTime ?? .zero) > 14.0 })
    }
  }
}

/// A file of which all may be missing from some place on, but for its last bytes.
private final class PartialSource: MediaSource {
  private struct State {
    var missing = 0..<0
    var isBlocked = false
    /// Fulfilled when a read is blocked.
    var waiting: [OneShot<Void>] = []
  }

  private let bytes: Data
  private let state = Mutex(State())
  private let condition = NSCondition()

  init(_ path: String) throws { bytes = try Data(contentsOf: URL(fileURLWithPath: path)) }

  var size: Int64 { Int64(bytes.count) }

  /// - Parameter part: the beginning of the gap, from 0 to 1; nil for none.
  func lack(from part: Double?) {
    let end = bytes.count - min(bytes.count / 10, 8192)
    state.withLock { $0.missing = part.map { Int(Double(bytes.count) * $0)..<end } ?? 0..<0 }
    wake()
  }

  func wake() { condition.withLock { condition.broadcast() } }

  /// Waits until a read is blocked.
  func blocks() async -> Bool {
    let blocks = OneShot<Void>()
    state.withLock { state in
      if state.isBlocked { blocks.fulfil(()) } else { state.waiting.append(blocks) }
    }
    return await blocks.value(atMost: .seconds(60)) != nil
  }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless isReleased: () -> Bool
  ) -> Int? {
    condition.lock()
    defer {
      state.withLock { $0.isBlocked = false }
      condition.unlock()
    }
    while true {
      let (start, missing) = (Int(offset), state.withLock { $0.missing })
      if !missing.contains(start) {
        let end = start < missing.lowerBound ? missing.lowerBound : bytes.count
        let count = min(buffer.count, max(0, end - start))
        bytes.copyBytes(to: buffer, from: start..<start + count)
        return count
      }
      if isReleased() { return nil }
      state.withLock { state in
        state.isBlocked = true
        for blocks in state.waiting { blocks.fulfil(()) }
        state.waiting = []
      }
      condition.wait()
    }
  }
}
