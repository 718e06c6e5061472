import Foundation
import Screening
import Testing
import WatchTogether

@testable import matinee

@Suite("The title of a film")
struct FilmIdentityTests {
  @Test(
    "A stream is titled by its file's name, a page by its address",
    arguments: [
      ("https://films.example.org/2024/Orbits%20II.mkv?key=1", "Orbits II.mkv"),
      ("http://films.example.org:8080/live/stream.m3u8", "stream.m3u8"),
      ("https://www.videos.example/watch?v=dQw4&t=5", "videos.example/watch?v=dQw4&t=5"),
      ("https://videos.example/shows/evening/", "videos.example/shows/evening"),
      ("https://ana:secret@videos.example/watch?v=1", "videos.example/watch?v=1"),
      ("https://videos.example", "videos.example"),
      ("https://videos.example/", "videos.example"),
      ("https://videos.example/caf%C3%A9", "videos.example/café"),
      ("https:///", "https:"), ("https://", "https:"),
    ])
  func streams(_ location: String, title: String) throws {
    #expect(try FilmIdentity(location).title == title)
  }

  @Test("Pipes and devices are refused without being opened", .timeLimit(.minutes(1)))
  func specialFiles() throws {
    let pipe = FileManager.default.temporaryDirectory
      .appendingPathComponent("film-\(UUID().uuidString).mkv").path
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    for path in [pipe, "/dev/zero", "/dev/null"] {
      #expect(throws: FilmError.special(path)) { try FilmIdentity(path) }
    }
  }
}
