import Foundation
import Testing
import Timekeeping
import WatchTogether

@testable import MediaLibrary

@Suite("The index of the library's films")
struct LibraryIndexTests {
  private static let media = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Media")

  private func newIndex(of library: MediaLibrary) -> LibraryIndex {
    LibraryIndex(library: library) { try? FilmIdentifier.ofFile($0) }
  }

  /// Waits until the condition holds for the known details, half a minute at most.
  private func wait(
    for index: LibraryIndex, _ isSo: ([String: LibraryIndex.Details]) -> Bool
  ) async throws {
    let deadline = HostTime.now() + .seconds(30)
    while await !isSo(index.details) {
      try #require(HostTime.now() < deadline)
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test("Files are examined, and the results are remembered by their contents")
  func looking() async throws {
    let library = try MediaLibrary.inMemory()
    let index = newIndex(of: library)
    let film = Self.media.appendingPathComponent("Life.mp4").path
    let missing = Self.media.appendingPathComponent("nothing.mp4").path
    await index.show([film, missing, "https://example.org/f.mkv"])
    try await wait(for: index) { $0[film]?.information != nil }
    #expect(await index.details[film]?.note == "2:02")
    let identifier = try FilmIdentifier.ofFile(film)
    let deadline = HostTime.now() + .seconds(30)
    while try await library.files(of: identifier).map(\.path) != [film] {
      try #require(HostTime.now() < deadline)
      try await Task.sleep(for: .milliseconds(5))
    }
    // The same version isn't examined again.
    var information = try #require(await index.details[film]?.information)
    information.title = "Remembered"
    try await library.remember(
      KnownFile(
        path: film, version: try #require(.init(ofFileAt: film)), identifier: identifier,
        information: information))
    let second = newIndex(of: library)
    await second.show([film])
    try await wait(for: second) { $0[film]?.information != nil }
    #expect(await second.details[film]?.title == "Remembered")
  }

  @Test("A damaged file has a note, until it was replaced")
  func damaged() async throws {
    let index = newIndex(of: try MediaLibrary.inMemory())
    let folder = URL.temporaryDirectory.appending(path: "damaged-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let film = folder.appending(path: "film.mp4")
    try Data("no film".utf8).write(to: film)
    await index.show([film.path])
    try await wait(for: index) { $0[film.path]?.note == "can't be read" }
    try FileManager.default.removeItem(at: film)
    try FileManager.default.copyItem(
      at: Self.media.appendingPathComponent("Life.mp4"), to: film)
    await index.show([])
    await index.show([film.path])
    try await wait(for: index) { $0[film.path]?.note == "2:02" }
  }

  @Test("The watched position is shown with the file, or with its length alone")
  func watched() async throws {
    let library = try MediaLibrary.inMemory()
    func remember(_ name: String, at position: Double) async throws {
      try await library.remember(
        WatchedFilm(
          identifier: name, title: name, location: "/films/" + name,
          position: MediaTime(seconds: position), duration: MediaTime(seconds: 6130)))
    }
    for (name, position) in [("left", 761.0), ("seen", 6100), ("begun", 3)] {
      try await remember(name, at: position)
    }
    let index = newIndex(of: library)
    await index.refresh()
    let details = await index.details
    #expect(details["/films/left"]?.note == "12:41 of 1:42:10")
    #expect(details["/films/seen"]?.note == "watched, 1:42:10")
    #expect(details["/films/begun"]?.note == "1:42:10")
    var films = FilmShelf(roots: ["/nowhere/a.mkv"])
    films.remembered = await index.remembered
    let listing = FolderListing.read(
      [LocalFileSystem().entry(at: "/nowhere/a.mkv")], change: nil)
    #expect(films.subject == .roots(["/nowhere/a.mkv"]))
    #expect(films.entries(listing).map(\.kind) == [.place, .film])
    films.enter(Remembered.Place.recent.rawValue)
    #expect(Set(films.entries(listing).map(\.title)) == ["left", "seen", "begun"])
    #expect(films.parent == .roots)
  }
}
