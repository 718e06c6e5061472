import Foundation
import Synchronization
import Testing
import Timekeeping

@testable import MediaLibrary

@Suite("The library's folders")
struct FilmLibraryTests {
  @Test("A folder's content is shown in natural order, and updated when it changes")
  func folder() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("zoo"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func put(_ name: String) throws {
      try Data("x".utf8).write(to: folder.appendingPathComponent(name))
    }
    for name in ["b.mkv", "A.webm", "notes.txt", ".hidden.mkv", "song.opus"] { try put(name) }
    var library = FilmShelf(roots: [folder.path])
    let reader = FolderReader()
    var now = HostTime.now()
    /// Returns the entries after the next read.
    func read() async throws -> FolderListing {
      now = now + .seconds(1)
      let subject = try #require(library.subject)
      _ = reader.listing(of: subject, at: now)
      for await _ in reader.changes { break }
      return reader.listing(of: subject, at: now)
    }
    var listing = try await read()
    #expect(library.entries(listing).map(\.title) == ["zoo", "A", "b", "song"])
    #expect(library.entries(listing).map(\.kind) == [.folder, .film, .film, .audio])
    #expect(library.isPlace(folder.appendingPathComponent("zoo").path, in: listing))
    #expect(!library.isPlace(folder.appendingPathComponent("b.mkv").path, in: listing))
    // The start folder has a parent too.
    #expect(library.parent == .folder(folder.deletingLastPathComponent().path))
    try put("c.mp4")
    listing = try await read()
    #expect(library.entries(listing).map(\.title) == ["zoo", "A", "b", "c", "song"])
    let shown = now
    library.enter(folder.appendingPathComponent("zoo").path)
    listing = try await read()
    #expect(library.entries(listing).isEmpty && listing.notice == nil)
    #expect(library.parent == .folder(folder.path))
    library.leave()
    #expect(library.folder == folder.path)
    // The known listing is there at once.
    #expect(reader.listing(of: try #require(library.subject), at: shown).entries.count == 5)
    try FileManager.default.removeItem(at: folder)
    listing = try await read()
    #expect(library.entries(listing).isEmpty)
    #expect(listing.notice?.contains("No such file or directory") == true)
  }

  @Test("From the folder of a film the way leads up to the root, and then to what the user named")
  func filmFolder() {
    var library = FilmShelf(roots: ["/films/Show/S01E01.mkv"])
    #expect(library.subject == .roots(["/films/Show/S01E01.mkv"]) && library.parent == nil)
    library.remembered.folders = [
      MediaFolder(
        path: "/films/Show", addedAt: Date(), scannedAt: nil, isAway: false, fileCount: 1)
    ]
    library.open(filmFolder: "/films/Show")
    #expect(library.subject == .folder("/films/Show"))
    #expect(library.entries(.read([], change: nil)).map(\.location) == ["folders:"])
    library.enter("folders:")
    library.leave()
    for folder in ["/films", "/"] {
      library.leave()
      #expect(library.subject == .folder(folder))
    }
    library.leave()
    #expect(library.subject == .roots(["/films/Show/S01E01.mkv"]))
  }

  private func contents(of names: [String]) throws -> [FilmShelf.Entry] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in names { close(open(folder.path + "/" + name, O_CREAT | O_WRONLY, 0o600)) }
    return try LocalFileSystem().contents(of: folder.path)
  }

  @Test("Titles are sorted as people sort them")
  func order() throws {
    let sorted = [
      "9 Songs", "10 Things", "apfel", "Ärger", "Episode 1", "episode 2", "Episode 10", "Zorro",
    ]
    #expect(try contents(of: sorted.shuffled().map { $0 + ".mkv" }).map(\.title) == sorted)
  }

  @Test("Films among thousands of other files are all listed, and a longer list says what it lacks")
  func many() throws {
    let photos = (1...3000).map { "P\($0).jpg" }
    let films = (1...10).map { "Film \($0).mkv" }
    #expect(try contents(of: photos + films).map(\.title) == (1...10).map { "Film \($0)" })
    let clips = try contents(of: (1...LocalFileSystem.limit + 500).map { "Clip \($0).mkv" })
    #expect(clips.count == LocalFileSystem.limit + 1)
    #expect(clips[LocalFileSystem.limit - 1].title == "Clip \(LocalFileSystem.limit)")
    #expect(clips.last?.kind == .fact)
    #expect(clips.last?.title.contains(" 500 more") == true)
  }

  /// A disk that answers only when the test lets it.
  private final class SleepingDisk: FileSystem {
    let gate = DispatchSemaphore(value: 0)
    let reads = Mutex(0)

    func lastChange(of folder: String) throws(FolderProblem) -> FolderChange {
      reads.withLock { $0 += 1 }
      gate.wait()
      return FolderChange(seconds: 1, nanoseconds: 0)
    }

    func contents(of folder: String) throws(FolderProblem) -> [FilmShelf.Entry] {
      [entry(at: folder + "/film.mkv")]
    }

    func entry(at location: String) -> FilmShelf.Entry {
      FilmShelf.Entry(ofFileAt: location)
    }
  }

  @Test("A disk that doesn't answer delays no drawing, and is asked by one thread only")
  func sleepingDisk() async {
    let disk = SleepingDisk()
    let reader = FolderReader(files: disk)
    let start = HostTime.now()
    // Each drawing asks. The disk is asleep: a waiting reader would never return.
    for tick in 0..<100 {
      let listing = reader.listing(of: .folder("/films"), at: start + .milliseconds(250) * tick)
      #expect(listing == .reading && listing.notice != nil)
    }
    disk.gate.signal()
    for await _ in reader.changes { break }
    #expect(disk.reads.withLock { $0 } == 1)
    #expect(reader.listing(of: .folder("/films"), at: start).entries.map(\.title) == ["film"])
  }

  @Test("Reads of many folders that don't answer are limited, and old listings are forgotten")
  func limits() {
    var listings = FolderListings()
    let start = HostTime(nanoseconds: 0)
    func folder(_ number: Int) -> FolderListings.Subject { .folder("/\(number)") }
    for number in 0..<20 {
      let isBegun = listings.begin(folder(number), at: start) != nil
      #expect(isBegun == (number < FolderListings.readLimit))
    }
    for number in 0..<FolderListings.readLimit {
      let isNew = listings.finished(folder(number), .read([], change: nil))
      #expect(isNew)
    }
    let again = listings.begin(folder(0), at: start)
    #expect(again == nil, "just read")
    for number in 0..<100 {
      let now = start + .seconds(number + 1)
      let isBegun = listings.begin(folder(number), at: now) != nil
      #expect(isBegun)
      _ = listings.finished(folder(number), .read([], change: nil))
    }
    #expect(listings[folder(99)] == .read([], change: nil))
    #expect(listings[folder(50)] == .reading)
  }
}
