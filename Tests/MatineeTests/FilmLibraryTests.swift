import Foundation
import Testing

@testable import matinee

@Suite("The library's folders")
struct FilmLibraryTests {
  @Test("A folder's content is shown in natural order, and updated when it changes")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("zoo"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func put(_ name: String) throws {
      try Data("x".utf8).write(to: folder.appendingPathComponent(name))
    }
    for name in ["b.mkv", "A.webm", "notes.txt", ".hidden.mkv", "song.opus"] { try put(name) }
    var library = FilmLibrary(roots: [folder.path])
    #expect(library.entries().map(\.title) == ["zoo", "A", "b", "song"])
    #expect(library.entries().map(\.kind) == [.folder, .film, .film, .audio])
    // The start folder has a parent too.
    #expect(library.parent == folder.deletingLastPathComponent().path)
    try put("c.mp4")
    #expect(library.entries().map(\.title) == ["zoo", "A", "b", "c", "song"])
    library.enter(folder.appendingPathComponent("zoo").path)
    #expect(library.entries().isEmpty)
    #expect(library.parent == folder.path)
    library.enter(folder.path)
    #expect(library.entries().count == 5)
    try FileManager.default.removeItem(at: folder)
    #expect(library.entries().isEmpty, "gone")
  }
}
