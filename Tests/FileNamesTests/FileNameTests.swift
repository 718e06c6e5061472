import FileNames
import Foundation
import Testing

@Suite("Names of files that aren't UTF-8")
struct FileNameTests {
  @Test(
    "Each name has one text, from which its bytes come back",
    arguments: [
      [], Array("film.mkv".utf8), Array("Grüße 🎬.mkv".utf8), [0x63, 0xE9, 0x2E],
      [0xFF, 0xFE, 0x80], [0xE2, 0x82], [0xC0, 0xAF], [0xED, 0xA0, 0x80], Array("\u{EF80}x".utf8),
      [0xEF, 0xBE], [0xF4, 0x90, 0x80, 0x80],
    ])
  func reversible(bytes: [UInt8]) {
    let text = FileName.text(bytes)
    #expect(FileName.bytes(text) == bytes)
    #expect(FileName.path(ofURL: FileName.url(text)) == text)
    #expect(!FileName.isEncoded(FileName.shown(text)))
    let read = text.withFileName { name in
      UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
    }
    #expect(read == bytes)
  }

  @Test("All names of two bytes come back, and no two have the same text")
  func exhaustive() {
    var texts: Set<[Unicode.Scalar]> = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let text = FileName.text([first, second])
        #expect(FileName.bytes(text) == [first, second])
        texts.insert(Array(text.unicodeScalars))
      }
    }
    #expect(texts.count == 65536)
  }

  @Test("A name is shown with replacement characters")
  func shown() {
    #expect(FileName.shown(FileName.text([0x63, 0x61, 0x66, 0xE9])) == "caf\u{FFFD}")
    #expect(FileName.shown("café") == "café")
  }

  @Test(
    "A film's title is its file's name as a person would write it",
    arguments: [
      ("The.Show.S01E01.1080p.WEB.x264-GRP", "The Show S01E01"),
      ("A.Film.2017.UHD.BluRay.2160p.HEVC-GRP", "A Film 2017"),
      ("Some_Film_(2019)_[720p]", "Some Film (2019)"),
      ("[Group] Series - 01 [1080p]", "Series - 01"),
      ("Film.WEB-DL.576p", "Film"), ("My remux test", "My remux test"), ("1080p", "1080p"),
      ("S01E02.Pilot", "S01E02 Pilot"), ("Pi.3.14", "Pi 3.14"), ("big_trees", "big trees"),
      ("Orbits II", "Orbits II"), ("Part 1. The Storm", "Part 1. The Storm"), ("...", "..."),
      ("", ""), ("Tracks-other", "Tracks-other"),
    ])
  func film(name: String, title: String) { #expect(FileName.film(name) == title) }

  @Test(
    "A file's URL leads to its path, also without slashes",
    arguments: [
      ("file:///a%20b.mkv", "/a b.mkv"), ("file:x.mp4", "x.mp4"), ("file:/a/x.mp4", "/a/x.mp4"),
      ("FILE://localhost/x%25.mp4", "/x%.mp4"), ("file:50%.mp4", "50%.mp4"),
      ("file:///a?b#c", "/a?b#c"), ("film.mkv", nil), ("files:x", nil),
    ])
  func urls(url: String, path: String?) {
    #expect(FileName.path(ofURL: url) == path)
  }

  @Test("A folder's names are read as bytes")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("names-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let name = FileName.text([0x63, 0x61, 0x66, 0xE9])
    let path = folder.path + "/" + name
    let file = path.withFileName { open($0, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600) }
    #expect(file >= 0)
    close(file)
    #expect(FileName.names(in: folder.path) == [name])
    #expect(FileName.names(in: folder.path + "/none") == nil)
  }

  @Test("A tilde is the home that the environment names")
  func home() throws {
    let home = try #require(ProcessInfo.processInfo.environment["HOME"])
    #expect(FileName.expandingHome("~/a") == home + "/a" && FileName.expandingHome("~") == home)
    #expect(FileName.expandingHome("~a") == "~a" && FileName.expandingHome("a/~") == "a/~")
  }
}
