import FileNames
import Foundation
import ProcessTesting
import Screening
import Testing
import WatchTogether

@testable import MatineeKit

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

  @Test(
    "A file is found by its name's bytes, by a relative URL, and with spaces around a typed name")
  func names() async throws {
    let folder = try URL.newFolder("names")
    defer { try? FileManager.default.removeItem(at: folder) }
    func put(_ name: String) throws -> String {
      let path = folder.path + "/" + name
      let file = path.withFileName { open($0, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600) }
      try #require(file >= 0)
      defer { close(file) }
      try #require(write(file, name, name.utf8.count) > 0)
      return path
    }
    let latin = try put(FileName.text([0x63, 0x61, 0x66, 0xE9]) + ".mkv")
    let spaced = try put("end ")
    let plain = try put("plain.mkv")
    let film = try FilmIdentity(latin)
    #expect(film.location == latin && film.title == "caf\u{FFFD}")
    #expect(try FilmIdentity(FileName.url(latin)) == film)
    #expect(try FilmIdentity(plain).fileSize == "plain.mkv".utf8.count)
    #expect(try await FilmIdentity.read(spaced).location == spaced)
    #expect(try await FilmIdentity.read(plain + " ").location == plain)
    await #expect(throws: FilmError.self) { try await FilmIdentity.read(plain + "x ") }
    // Up to the root and down again: the test can't change the process's folder.
    let up = FileName.currentFolder.split(separator: "/").map { _ in "../" }.joined()
    #expect(try FilmIdentity("file:" + up + plain.dropFirst()).location == plain)
  }

  @Test("A file is titled by its headers, or else by its name")
  func headers() async throws {
    let list = "LIST\u{1C}\0\0\0INFOINAM\u{10}\0\0\0The Lighthouse \0"
    var bytes = SilentFilm.data(seconds: 1)
    bytes.insert(contentsOf: Data(list.utf8), at: 36)
    let file = SilentFilm.folder.appendingPathComponent("The.Film.1080p.wav")
    try bytes.write(to: file)
    #expect(try FilmIdentity(file.path).title == "The Film")
    #expect(try await FilmIdentity.read(file.path).title == "The Lighthouse")
    #expect(try await FilmIdentity.read(SilentFilm.make()).title.count == 36)
  }

  @Test("A file that was just written to may be incomplete")
  func justWritten() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("film-\(UUID().uuidString).mkv")
    try Data("a film".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(FilmIdentity.wasJustWritten(file.path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: file.path)
    #expect(!FilmIdentity.wasJustWritten(file.path))
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
