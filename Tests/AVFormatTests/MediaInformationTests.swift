import AVFormat
import Foundation
import Testing

@Suite("A file's media information")
struct MediaInformationTests {
  /// The folder of the project's films.
  private static let media = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Media")

  private func read(_ name: String) throws -> MediaInformation {
    try #require(MediaInformation.read(Self.media.appendingPathComponent(name).path))
  }

  @Test("A film has a length, a picture and sound, with their codecs")
  func film() throws {
    let life = try read("Life.mp4")
    #expect(abs((life.duration ?? .zero) / .seconds(1) - 122) < 1)
    #expect((life.video?.width ?? 0) > 100 && life.video?.codec == "h264")
    #expect(life.video?.framesPerSecond == 30)
    let countdown = try read("Countdown.mkv")
    #expect(countdown.tracks.contains { $0.kind == .audio && $0.channels > 0 })
    #expect(countdown.size > 1000 && countdown.container.contains("Matroska"))
  }

  @Test("A sound file has no picture")
  func sound() throws {
    let prelude = try read("Prelude.opus")
    #expect(prelude.video == nil && prelude.tracks.first?.codec == "opus")
    #expect(prelude.duration ?? .zero > .seconds(1))
  }

  @Test(
    "A file that isn't a film has no information, and neither has a playlist that leads elsewhere")
  func others() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("information-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let film = Self.media.appendingPathComponent("Life.mp4").path
    let playlists = [
      "text.mkv": "not a film",
      "empty.mp4": "",
      "list.mp4": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n\(film)\n#EXT-X-ENDLIST\n",
      "list.mkv": "ffconcat version 1.0\nfile '\(film)'\n",
    ]
    for (name, content) in playlists {
      let file = folder.appendingPathComponent(name)
      try Data(content.utf8).write(to: file)
      #expect(MediaInformation.read(file.path) == nil, "\(name)")
    }
    #expect(MediaInformation.read(folder.path) == nil)
    #expect(MediaInformation.read(folder.path + "/nothing.mkv") == nil)
  }
}
