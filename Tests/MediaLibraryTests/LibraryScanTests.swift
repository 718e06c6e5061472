import Foundation
import GRDB
import Synchronization
import Testing

@testable import MediaLibrary

@Suite("Scanning media folders")
struct LibraryScanTests {
  private let home = FileManager.default.temporaryDirectory
    .appendingPathComponent("scan-\(UUID().uuidString)")
  private var films: URL { home.appendingPathComponent("films") }
  private let library: MediaLibrary

  init() throws {
    try FileManager.default.createDirectory(
      at: home.appendingPathComponent("films"), withIntermediateDirectories: true)
    library = try MediaLibrary.open(in: home.appendingPathComponent("state")).library
  }

  private func clean() { try? FileManager.default.removeItem(at: home) }

  private func put(_ name: String, _ text: String? = nil) throws {
    let file = films.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text ?? name).utf8).write(to: file)
  }

  private func path(_ name: String) -> String { films.appendingPathComponent(name).path }

  /// Scans, and records the files that were read.
  ///
  /// - Parameter limit: the number of files after which the scan is cancelled.
  @discardableResult
  private func scan(_ library: MediaLibrary? = nil, limit: Int = .max) throws -> (
    read: [String], progress: ScanProgress
  ) {
    let read = Mutex<[String]>([])
    var scan = LibraryScan(
      library: library ?? self.library,
      identify: { path in
        read.withLock { $0.append(path) }
        return FileManager.default.contents(atPath: path).map {
          "of " + String(decoding: $0, as: UTF8.self)
        }
      }, isCancelled: { read.withLock { $0.count >= limit } }, report: { _ in })
    try scan.run()
    return (read.withLock { $0 }, scan.progress)
  }

  private func found(_ query: String) async throws -> [String] {
    try await library.search(query, limit: 100).map {
      URL(fileURLWithPath: $0.path).lastPathComponent
    }
  }

  @Test("A film may have any date", arguments: [-62_135_596_800, 0, 10_413_792_000, 1 << 60])
  func dates(seconds: Int) async throws {
    defer { clean() }
    try put("film.mkv")
    try await library.add(folder: films.path)
    let times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 999_999_999), count: 2)
    // The file system clamps or refuses a date that it can't store.
    _ = utimensat(AT_FDCWD, path("film.mkv"), times, 0)
    #expect(try scan().read == [path("film.mkv")])
    #expect(try scan().read == [], "its date is the same")
  }

  @Test("Films are found by their names, folders and accents, and by their content")
  func finding() async throws {
    defer { clean() }
    try put("Amélie/Le Fabuleux Destin.mkv", "amelie")
    try put("Amélie/notes.txt")
    try put("Amélie/.hidden.mkv")
    try put("Sintel.webm", "sintel")
    try put("sound/Track 1.flac")
    try await library.add(folder: films.path + "/")
    let first = try scan()
    #expect(first.progress.seen == 3)
    #expect(first.read.count == 3)
    #expect(try await found("amelie") == ["Le Fabuleux Destin.mkv"])
    #expect(try await found("destin FABU") == ["Le Fabuleux Destin.mkv"])
    #expect(try await found("sound") == ["Track 1.flac"])
    #expect(try await found("hidden").isEmpty)
    #expect(try await found("  ").isEmpty)
    #expect(try await found("%").isEmpty)
    #expect(try await library.files(of: "of sintel").map(\.path) == [path("Sintel.webm")])
    #expect(try await library.folders().map(\.fileCount) == [3])
    #expect(try scan().read.isEmpty, "nothing is read twice")
  }

  @Test("Only changed files are read again")
  func changes() async throws {
    defer { clean() }
    for number in 0..<250 { try put("\(number).mkv") }
    try await library.add(folder: films.path)
    #expect(try scan().read.count == 250)
    try put("7.mkv", "another film")
    try put("new.mkv")
    #expect(try scan().read.sorted() == [path("7.mkv"), path("new.mkv")])
    #expect(try await library.files(of: "of 7.mkv").isEmpty)
    #expect(try await library.files(of: "of another film").count == 1)
  }

  @Test("A film that was moved or renamed is recognized, and a deleted one is forgotten")
  func moves() async throws {
    defer { clean() }
    for name in ["a/one.mkv", "a/two.mkv", "b/three.mkv"] { try put(name) }
    try await library.add(folder: films.path)
    try scan()
    let manager = FileManager.default
    try manager.moveItem(atPath: path("a/one.mkv"), toPath: path("b/uno.mkv"))
    try manager.moveItem(atPath: path("b"), toPath: path("c"))
    try manager.removeItem(atPath: path("a/two.mkv"))
    #expect(try scan().read.isEmpty)
    #expect(try await library.files(of: "of a/one.mkv").map(\.path) == [path("c/uno.mkv")])
    #expect(try await library.files(of: "of b/three.mkv").map(\.path) == [path("c/three.mkv")])
    #expect(try await library.files(of: "of a/two.mkv").isEmpty)
    #expect(try await library.folders().map(\.fileCount) == [2])
  }

  @Test("A disk that isn't mounted isn't forgotten, and its films return without being read")
  func away() async throws {
    defer { clean() }
    try put("disk/one.mkv")
    try await library.add(folder: path("disk"))
    try scan()
    let manager = FileManager.default
    let elsewhere = home.appendingPathComponent("unmounted").path
    try manager.moveItem(atPath: path("disk"), toPath: elsewhere)
    for isEmptyPlaceThere in [false, true] {
      if isEmptyPlaceThere {
        try manager.createDirectory(atPath: path("disk"), withIntermediateDirectories: false)
      }
      #expect(try scan().read.isEmpty)
      #expect(try await library.folders().map(\.isAway) == [true])
      #expect(try await library.folders().map(\.fileCount) == [1])
      #expect(try await found("one").isEmpty, "what isn't there isn't offered")
    }
    try manager.removeItem(atPath: path("disk"))
    try manager.moveItem(atPath: elsewhere, toPath: path("disk"))
    #expect(try scan().read.isEmpty)
    #expect(try await library.folders().map(\.isAway) == [false])
    #expect(try await found("one") == ["one.mkv"])
  }

  @Test("A file system within a folder counts as away, not gone, when it isn't mounted")
  func mounts() async throws {
    defer { clean() }
    try put("disk/empty.txt")
    var walk = FolderWalk(films.path, mounts: [path("disk")])
    var steps: [String] = []
    while let step = walk.next() {
      switch step {
      case .directory(let path, _): steps.append("directory " + path)
      case .away(let path): steps.append("away " + path)
      }
    }
    #expect(steps == ["directory " + films.path, "away " + path("disk")])
    #expect(walk.isAway(path("disk/deep/film")))
    #expect(!walk.isAway(path("disks")))
    // `/proc` is another file system than its parent.
    var proc = FolderWalk("/proc", mounts: [])
    _ = proc.next()
    #expect(proc.mounts == ["/proc"])
  }

  @Test("Circular links and unreadable folders don't end a scan")
  func circles() async throws {
    defer { clean() }
    try put("a/one.mkv")
    try put("b/two.mkv")
    try put("locked/three.mkv")
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: path("a/up"), withDestinationPath: films.path)
    try manager.createSymbolicLink(atPath: path("b/a"), withDestinationPath: path("a"))
    try manager.createSymbolicLink(atPath: path("b/itself"), withDestinationPath: path("b/itself"))
    try manager.createSymbolicLink(
      atPath: path("b/link.mkv"), withDestinationPath: path("b/two.mkv"))
    try await library.add(folder: films.path)
    #expect(try scan().progress.seen == 4)
    // Root can read a locked folder; a folder that is replaced by a file can't be read by any user.
    chmod(path("locked"), 0)
    defer { chmod(path("locked"), 0o700) }
    let again = try scan()
    #expect(again.read.isEmpty)
    #expect(try await library.files(of: "of locked/three.mkv").count == (getuid() == 0 ? 1 : 0))
    #expect(try await library.folders().map(\.fileCount) == [4])
  }

  @Test("Removing a folder removes its files, but not those of an inner folder")
  func dropping() async throws {
    defer { clean() }
    for name in ["one.mkv", "kept/two.mkv", "kept again.mkv"] { try put(name) }
    try await library.add(folder: films.path)
    try await library.add(folder: path("kept"))
    try scan()
    #expect(try await library.drop(folder: films.path))
    #expect(try await !library.drop(folder: films.path))
    #expect(try await library.folders().map(\.path) == [path("kept")])
    #expect(try await found("mkv two one kept").isEmpty)
    #expect(try await library.files(of: "of kept/two.mkv").count == 1)
    #expect(try await library.files(of: "of one.mkv").isEmpty)
    #expect(try await library.files(of: "of kept again.mkv").isEmpty)
  }

  @Test("An interrupted scan is continued")
  func brokenOff() async throws {
    defer { clean() }
    for number in 0..<30 { try put("\(number).mkv") }
    try await library.add(folder: films.path)
    #expect(try scan(limit: 10).read.count == 10)
    #expect(try scan().read.count == 20)
  }

  @Test("A full disk is reported, keeps all known data, and the scan continues when there is room")
  func diskFull() async throws {
    defer { clean() }
    let state = home.appendingPathComponent("full")
    do {
      let (full, _) = try MediaLibrary.open(in: state, pageLimit: 60)
      for number in 0..<2000 {
        try put("\(number) \(String(repeating: "long name ", count: 15)).mkv")
      }
      try await full.add(folder: films.path)
      #expect {
        try scan(full)
      } throws: { error in
        MediaLibraryError(error) == .diskFull
      }
      #expect(try await full.folders().count == 1)
    }
    let (roomy, notice) = try MediaLibrary.open(in: state)
    #expect(notice == nil)
    #expect(try scan(roomy).progress.seen == 2000)
    #expect(try await roomy.folders().map(\.fileCount) == [2000])
  }

  @Test("Only one of two programs scans at a time, and both see the results")
  func together() async throws {
    defer { clean() }
    for number in 0..<200 { try put("\(number).mkv") }
    try await library.add(folder: films.path)
    let read = Mutex<[String: Int]>([:])
    let libraries = try (0..<2).map { _ in
      try MediaLibrary.open(in: home.appendingPathComponent("state")).library
    }
    let scanners = libraries.map { library in
      LibraryScanner(library: library) { path in
        read.withLock { $0[path, default: 0] += 1 }
        return path
      }
    }
    for scanner in scanners { scanner.scan() }
    // The scan that begins first finishes; the other one waits for its turn.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for scanner in scanners {
        group.addTask {
          for await event in scanner.events {
            if case .progress(let progress) = event, progress.phase == .idle { return }
          }
        }
      }
      try await group.next()
      group.cancelAll()
    }
    for scanner in scanners { scanner.stop() }
    #expect(read.withLock { $0.count } == 200)
    #expect(
      read.withLock { $0.values.allSatisfy { $0 == 1 } }, "nobody reads what another one read")
    for library in libraries {
      #expect(try await library.search("mkv", limit: 300).isEmpty)
      #expect(try await library.folders().map(\.fileCount) == [200])
    }
  }

  @Test(
    "Among 50,000 films, finding one by content or name takes a fraction of the time of reading all"
  )
  func manyFilms() async throws {
    defer { clean() }
    try await library.write { database in
      for number in 0..<50_000 {
        try FileRow(
          KnownFile(
            path: "/films/Shelf \(number / 1000)/Episode \(number) of the story.mkv",
            version: .init(size: 7, modified: 8), identifier: "sha256:\(number)"),
          inode: Int64(number)
        ).insert(database)
      }
    }
    func median(_ body: (Int) async throws -> Void) async throws -> Duration {
      var times: [Duration] = []
      for number in 0..<11 {
        let begin = ContinuousClock.now
        try await body(number)
        times.append(.now - begin)
      }
      return times.sorted()[5]
    }
    let byContent = try await median { number in
      let files = try await library.files(of: "sha256:\(number * 2000)")
      #expect(files.count == 1)
    }
    let byName = try await median { number in
      let files = try await library.search("story \(number) shelf", limit: 200)
      #expect(!files.isEmpty)
    }
    let all = try await median { _ in
      let count = try await library.read { try FileRow.fetchAll($0).count }
      #expect(count == 50_000)
    }
    #expect(byContent * 20 < all && byName * 2 < all, "all \(all)")
    print("by content \(byContent), by name \(byName), all \(all)")
  }
}
