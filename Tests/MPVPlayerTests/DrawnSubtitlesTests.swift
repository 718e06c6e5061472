import Concurrency
import Synchronization
import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("Subtitles and the pictures that a player hands out")
struct DrawnSubtitlesTests {
  /// Keeps the last picture.
  private final class Pictures: FrameTarget, Sendable {
    private let last = Mutex<[UInt32]>([])

    var picture: [UInt32] { last.withLock { $0 } }

    func nextFrameSize() -> (width: Int, height: Int)? { (320, 180) }

    func prepare(_ frame: VideoFrame) {
      var pixels: [UInt32] = []
      for row in 0..<frame.height {
        let first = (frame.base + row * frame.stride).assumingMemoryBound(to: UInt32.self)
        // The fourth byte has no meaning.
        for column in 0..<frame.width { pixels.append(first[column] & 0xFF_FFFF) }
      }
      last.withLock { $0 = pixels }
    }

    func present() {}

    func isShown(_ condition: ([UInt32]) -> Bool) async -> Bool {
      let deadline = HostTime.now() + .seconds(20)
      while .now() < deadline {
        if condition(picture) { return true }
        try? await Task.sleep(for: .milliseconds(10))
      }
      return false
    }
  }

  @Test("mpv draws them only when it is asked to, and while the user wants to see them")
  func draws() async throws {
    var configuration = MPVConfiguration(
      video: .frames, noConfig: true,
      options: [
        .init(name: "ao", value: "null"), .init(name: "sub-file", value: Clips.subtitles),
      ])
    configuration.offersFrames = true
    let pictures = Pictures()
    let player = try MPVPlayer(configuration: configuration)
    player.setFrameTarget(pictures)
    await player.setCurrentItemIdentifier(Clips.film)
    try await player.load(Clips.film, startingAt: 2.0)
    // Before the film's first picture there is a black one.
    #expect(await pictures.isShown { Set($0).count > 16 })
    // The same picture comes again while the player is paused.
    let plain = pictures.picture
    try await player.drawSubtitles(true)
    #expect(await pictures.isShown { $0 != plain }, "they aren't drawn")
    try await player.toggleSubtitleVisibility()
    #expect(await pictures.isShown { $0 == plain }, "they aren't hidden")
    try await player.toggleSubtitleVisibility()
    #expect(await pictures.isShown { $0 != plain }, "they don't come back")
    try await player.drawSubtitles(false)
    #expect(await pictures.isShown { $0 == plain }, "they are still drawn")
    #expect(await player.snapshot().areSubtitlesVisible)
    await player.shutDown()
  }

  @Test("Their text has its tags, and their size and place are known")
  func text() async throws {
    try await PlayerUnderTest.with(
      Clips.film, at: 2.0,
      options: [
        .init(name: "sub-file", value: Clips.subtitles), .init(name: "sub-scale", value: "1.5"),
        .init(name: "sub-pos", value: "90"),
      ]
    ) { test in
      #expect(await test.snapshot { $0.subtitleText.contains(#"{\i1}"#) })
      #expect(
        await test.snapshot { $0.subtitleScale == 1.5 && $0.subtitlePosition == 90 })
      let tracks = await test.player.snapshot().tracks
      #expect(!tracks.contains { $0.areStyledSubtitles }, "SubRip has no styles")
    }
  }
}
