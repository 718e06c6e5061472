import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("Several angles of a film", .serialized)
struct AnglesTests {
  private func track(
    _ id: Int64, _ type: String = "video", file: String? = nil, size: (Int64, Int64) = (640, 360),
    isArt: Bool = false
  ) -> MPVValue {
    var fields: [String: MPVValue] = [
      "id": .integer(id), "type": .string(type), "demux-w": .integer(size.0),
      "demux-h": .integer(size.1), "albumart": .flag(isArt),
    ]
    if let file { fields["external-filename"] = .string(file) }
    return .map(fields)
  }

  @Test("The first film of each file is shown, in the given order")
  func order() throws {
    let tracks = [
      track(1, isArt: true), track(2), track(3), track(1, "audio"), track(4, file: "b"),
      track(5, file: "c"), track(6, file: "c"),
    ]
    let grid = try #require(AngleGrid(tracks, angles: ["c", "b"]))
    #expect(grid.videos == [2, 5, 4])
    #expect((grid.width, grid.height) == (640, 360))
    #expect(grid.graph.hasSuffix("xstack=inputs=3:layout=0_0|w0_0|0_h0:fill=black[vo]"))
    #expect(grid.graph.hasPrefix("[vid2]scale=640:360:"))
  }

  @Test("A file without a picture takes no space, and a single picture is no grid")
  func missing() {
    #expect(AngleGrid([track(1)], angles: ["b"]) == nil)
    #expect(AngleGrid([track(1), track(2, file: "c")], angles: ["b", "c"])?.videos == [1, 2])
    #expect(AngleGrid([], angles: []) == nil)
  }

  @Test("Large pictures are made smaller: the whole is 1920 wide at most")
  func size() throws {
    let tracks = [track(1, size: (3840, 2160)), track(2, file: "b")]
    let grid = try #require(AngleGrid(tracks, angles: ["b"]))
    #expect((grid.width, grid.height) == (960, 540))
    let odd = try #require(
      AngleGrid([track(1, size: (853, 479)), track(2, file: "b")], angles: ["b"]))
    #expect((odd.width, odd.height) == (852, 478))
  }

  @Test("A path may contain colons and backslashes")
  func paths() {
    #expect(AngleGrid.externalFiles(["/a:b", "/c\\d"]) == "/a\\:b:/c\\\\d")
  }

  @Test(
    "The angles are one picture with the first film's time, and the sound can be another's")
  func together() async throws {
    try await PlayerUnderTest.with(Clips.film) { test in
      let player = test.player
      let isOpen = await test.snapshot { $0.videoSize != nil }
      #expect(isOpen)
      let alone = try #require(await player.snapshot().videoSize)
      try await player.load(
        Clips.film, startingAt: MediaTime(seconds: 2), angles: [Clips.tracks, Clips.silentFilm])
      let isGrid = await test.snapshot { snapshot in
        snapshot.videoSize.map { $0.width == 2 * alone.width && $0.height == 2 * alone.height }
          ?? false
      }
      #expect(isGrid)
      let position = try #require(await player.snapshot().itemTime)
      #expect((position - MediaTime(seconds: 2)).magnitude < .milliseconds(50), "\(position)")
      // The first film's own sound, and two tracks of another file.
      #expect(await player.snapshot().tracks.count { $0.kind == .audio } == 3)
      #expect(
        await player.snapshot().tracks.first { $0.kind == .audio && $0.isSelected }?.file == nil)
      #expect(try await player.cycleAudioTrack().track?.file == Clips.tracks)
      // The next film is shown alone again.
      try await player.load(Clips.film)
      let isAlone = await test.snapshot { $0.videoSize == alone && $0.hasVideo }
      #expect(isAlone)
    }
  }
}
