import AVFormat
import Foundation
import GRDB
import Testing
import Timekeeping

@testable import MediaLibrary

@Suite("The library")
struct MediaLibraryTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("library-\(UUID().uuidString)")

  private var file: URL { folder.appendingPathComponent("library.sqlite") }

  private func film(
    _ identifier: String, at position: Double, of duration: Double? = 100, watched: Double = 0
  ) -> WatchedFilm {
    WatchedFilm(
      identifier: identifier, title: identifier.uppercased(), location: "/films/" + identifier,
      position: MediaTime(seconds: position), duration: duration.map { MediaTime(seconds: $0) },
      watchedAt: Date(timeIntervalSince1970: watched))
  }

  private func clean() { try? FileManager.default.removeItem(at: folder) }

  @Test("It remembers the position of each film, also for the next program")
  func remembering() async throws {
    defer { clean() }
    let (first, notice) = try MediaLibrary.open(in: folder)
    #expect(notice == nil)
    try await first.remember(film("a", at: 40, watched: 1))
    try await first.remember(film("b", at: 10, of: nil, watched: 2))
    try await first.remember(film("a", at: 50, watched: 3))
    let (second, _) = try MediaLibrary.open(in: folder)
    #expect(try await second.film("a") == film("a", at: 50, watched: 3))
    #expect(try await second.film("c") == nil)
    #expect(try await second.recent(limit: 9).map(\.identifier) == ["a", "b"])
    #expect(try await second.recent(limit: 1).map(\.identifier) == ["a"])
    try await second.forget("a")
    #expect(try await first.recent(limit: 9).map(\.identifier) == ["b"])
  }

  @Test("A use that is cancelled says so, and isn't a failure of the library")
  func cancelled() async throws {
    let library = try MediaLibrary.inMemory()
    let task = Task {
      // The task is cancelled before it begins.
      while !Task.isCancelled { await Task.yield() }
      return try await library.film("a")
    }
    task.cancel()
    let result = await task.result
    #expect(throws: MediaLibraryError.cancelled) { try result.get() }
  }

  @Test("A library that another program keeps locked is an error, soon at the start")
  func locked() throws {
    defer { clean() }
    _ = try MediaLibrary.open(in: folder)
    let other = try DatabaseQueue(path: file.path)
    try other.writeWithoutTransaction { database in
      // The lock of a write is kept then.
      try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE t(a)")
    }
    let error = #expect(throws: MediaLibraryError.self) { try MediaLibrary.open(in: folder) }
    #expect(error?.description.contains("locked") == true, "\(error.debugDescription)")
    try other.close()
    // 10 ms each.
    #expect(MediaLibrary.waits(after: 49, isOpen: false))
    #expect(!MediaLibrary.waits(after: 50, isOpen: false))
    #expect(MediaLibrary.waits(after: 499, isOpen: true))
    #expect(!MediaLibrary.waits(after: 500, isOpen: true))
  }

  @Test("Goes on where a film was left, but not at its very beginning or after its end")
  func resuming() {
    #expect(film("a", at: 29, of: 1000).resumePosition == nil)
    #expect(film("a", at: 31, of: 1000).resumePosition == MediaTime(seconds: 31))
    #expect(film("a", at: 949, of: 1000).resumePosition == MediaTime(seconds: 949))
    #expect(film("a", at: 950, of: 1000).resumePosition == nil)
    #expect(film("a", at: 950, of: 1000).isFinished)
    #expect(film("a", at: 950, of: nil).resumePosition != nil)
  }

  @Test("An earlier position replaces a later one only if it may")
  func laterPosition() async throws {
    defer { clean() }
    let (library, _) = try MediaLibrary.open(in: folder)
    try await library.remember(film("a", at: 51, of: 120))
    try await library.remember(film("a", at: 3, of: 120), keepsLaterPosition: true)
    #expect(try await library.film("a")?.position == MediaTime(seconds: 51))
    try await library.remember(film("a", at: 60, of: 120), keepsLaterPosition: true)
    #expect(try await library.film("a")?.position == MediaTime(seconds: 60))
    try await library.remember(film("a", at: 3, of: 120))
    #expect(try await library.film("a")?.position == MediaTime(seconds: 3))
  }

  @Test("It remembers the contents of files, and finds the files of a film")
  func files() async throws {
    defer { clean() }
    let (library, _) = try MediaLibrary.open(in: folder)
    var known = KnownFile(
      path: "/films/ä b.mkv", version: .init(size: 7, modified: .max), identifier: "sha256:1",
      information: MediaInformation.read(
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
          .appendingPathComponent("../../Media/Life.mp4").path))
    #expect(known.information != nil)
    try await library.remember(known)
    let other = KnownFile(path: "/films/c", version: .init(size: 0, modified: 0))
    try await library.remember(other)
    #expect(
      try await library.files([known.path, "/films/c", "/nothing"])
        == [known.path: known, "/films/c": other])
    #expect(try await library.files(of: "sha256:1") == [known])
    known.version.size = 8
    known.identifier = nil
    try await library.remember(known)
    #expect(try await library.files([known.path]) == [known.path: known])
    #expect(try await library.files(of: "sha256:1").isEmpty)
  }

  @Test("Only its user can read it")
  func permissions() async throws {
    defer { clean() }
    let (library, _) = try MediaLibrary.open(in: folder)
    try await library.remember(film("a", at: 40))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let path = folder.appendingPathComponent(name).path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o77 == 0, "\(name)")
    }
  }

  @Test("Two programs can write at the same time")
  func together() async throws {
    defer { clean() }
    let libraries = try (0..<3).map { _ in try MediaLibrary.open(in: folder).library }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, library) in libraries.enumerated() {
        group.addTask {
          for number in 0..<100 { try await library.remember(film("\(index) \(number)", at: 40)) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await libraries[0].recent(limit: 1000).count == 300)
  }

  @Test(
    "A damaged library is set aside and reported, and a new one begun", arguments: [true, false])
  func damage(isNonsense: Bool) async throws {
    defer { clean() }
    do {
      let (library, _) = try MediaLibrary.open(in: folder)
      for number in 0..<500 { try await library.remember(film("\(number)", at: 40)) }
    }
    if isNonsense {
      try Data("this is no database".utf8 + [UInt8](repeating: 7, count: 5000)).write(to: file)
    } else {
      let handle = try FileHandle(forWritingTo: file)
      try handle.seek(toOffset: 100)
      try handle.write(contentsOf: Data(repeating: 0xAA, count: 4000))
      try handle.close()
    }
    let (library, notice) = try MediaLibrary.open(in: folder)
    #expect(notice?.contains("library.sqlite.damaged-1") == true)
    try await library.remember(film("new", at: 40))
    #expect(try await library.recent(limit: 9).map(\.identifier) == ["new"])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains("library.sqlite.damaged-1"))
  }

  private func mode(_ name: String) throws -> Int? {
    let path = name.isEmpty ? folder.path : folder.appendingPathComponent(name).path
    return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("Only its user can read a library, even if other users could read it before")
  func tightened() async throws {
    defer { clean() }
    do {
      let (library, _) = try MediaLibrary.open(in: folder)
      try await library.remember(film("a", at: 40))
      chmod(folder.path, 0o755)
      for name in ["", "-wal", "-shm"] { chmod(file.path + name, 0o644) }
      // While another program has it open, its journals are there.
      _ = try MediaLibrary.open(in: folder)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.contains("library.sqlite-wal"))
      for name in names { #expect(try mode(name) == 0o600, "\(name)") }
      #expect(try mode("") == 0o700)
    }
  }

  @Test(
    "Only the last damaged library is kept, for its user alone, with a notice of its possible content"
  )
  func damagedCopies() throws {
    defer { clean() }
    let old = ["damaged-1", "damaged-1-wal", "damaged-2", "damaged-3"]
    for number in 1...3 {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      if number == 1 {
        for name in old { try Data().write(to: file.appendingPathExtension(name)) }
      }
      try Data("damaged \(number)".utf8 + [UInt8](repeating: 7, count: 5000)).write(to: file)
      chmod(file.path, 0o644)
      let (_, notice) = try MediaLibrary.open(in: folder)
      let aside = file.appendingPathExtension("damaged-1")
      #expect(notice?.contains(aside.path) == true && notice?.contains("invites") == true)
      let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.contains("damaged") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
      #expect(copies == ["library.sqlite.damaged-1"])
      #expect(try Data(contentsOf: aside).starts(with: Data("damaged \(number)".utf8)))
      #expect(try mode("library.sqlite.damaged-1") == 0o600)
    }
  }

  @Test("A later version's library is left alone")
  func newer() async throws {
    defer { clean() }
    do {
      let (library, _) = try MediaLibrary.open(in: folder)
      try await library.remember(film("a", at: 40))
      var migrator = DatabaseMigrator()
      migrator.registerMigration("what was watched, and what is in files") { _ in }
      migrator.registerMigration("of a later version") { _ in }
      try migrator.migrate(try DatabaseQueue(path: file.path))
    }
    #expect(throws: MediaLibraryError.newer) { try MediaLibrary.open(in: folder) }
  }

  @Test("A library that can't be written is reported")
  func unwritable() throws {
    #expect(throws: MediaLibraryError.self) {
      try MediaLibrary.open(in: URL(fileURLWithPath: "/proc/library"))
    }
  }

  @Test("A library in memory leaves no trace")
  func memory() async throws {
    let library = try MediaLibrary.inMemory()
    try await library.remember(film("a", at: 40))
    #expect(try await library.recent(limit: 9).count == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
