import Foundation
import MediaLibrary
import Screening
import Testing
import Timekeeping
import WatchTogether

@testable import MatineeKit
@testable import Screening

@Suite("The adapter of the library")
@ScreeningActor
struct LibraryAdapterTests {
  private func with(
    _ library: MediaLibrary?,
    _ body: @ScreeningActor (LibraryAdapter, AdapterStage) async throws -> Void
  ) async throws {
    try await AdapterStage.run { stage in
      let adapter = LibraryAdapter(
        memory: ForgivingLibrary(library, events: stage.events), runner: stage.runner,
        events: stage.events)
      try await body(adapter, stage)
      adapter.close()
    }
  }

  private func remember(
    _ film: FilmIdentity, at seconds: Double, _ adapter: LibraryAdapter
  ) async throws {
    let note = WatchHistory.Note(
      position: MediaTime(seconds: seconds), isNewFilm: true, keepsLaterPosition: false)
    _ = try await adapter.perform(.remember(film, note, duration: MediaTime(seconds: 60)))
    await adapter.flush()
  }

  @Test("A copy is found once it was remembered, until the file is another film")
  func copies() async throws {
    try await with(.inMemory()) { adapter, _ in
      let film = try FilmIdentity.silent()
      let entry = PlaylistEntry(id: 1, identifier: film.identifier, title: "Film", location: nil)
      func search() async throws -> [ScreeningMachine.Event] {
        try await adapter.perform(
          .findCopy(7, entry, by: .unknown, named: [film], streams: [])
        ).events
      }
      func found(_ copy: FilmIdentity?, isFresh: Bool) -> [ScreeningMachine.Event] {
        [.film(.searched(7, entry, by: .unknown, copy: copy, isFresh: isFresh))]
      }
      #expect(try await search() == found(nil, isFresh: true))
      #expect(try await adapter.perform(.findMissing(entry)) == .done)
      try await remember(film, at: 30, adapter)
      #expect(try await search() == found(film, isFresh: false))
      #expect(
        try await adapter.perform(.findMissing(entry)).events
          == [.film(.copyFound(film, entry: 1))])
      try SilentFilm.data(seconds: 5).write(to: URL(fileURLWithPath: film.location))
      #expect(try await search() == found(nil, isFresh: true))
    }
  }

  @Test("A file with the content of the party's stream is its copy, and the reverse")
  func contents() async throws {
    try await with(.inMemory()) { adapter, _ in
      let film = try FilmIdentity.silent()
      let stream = try FilmIdentity("https://films.example/film.wav")
      func found(
        _ entry: PlaylistEntry, _ named: [FilmIdentity],
        _ fingerprint: @escaping LibraryAdapter.Fingerprint
      ) async throws -> FilmIdentity? {
        let answer = try await adapter.perform(
          .findCopy(7, entry, by: .unknown, named: named, streams: [stream]),
          fingerprint: fingerprint)
        guard case .film(.searched(_, _, by: _, let copy, isFresh: _))? = answer.events.first
        else { throw NothingToDo.noQuestion }
        return copy
      }
      let streams = PlaylistEntry(
        id: 1, identifier: stream.identifier, title: "Film", location: stream.location)
      #expect(
        try await found(streams, []) { _, _ in
          Issue.record("no file can be the film")
          return nil
        } == nil)
      for content in [film.identifier, "sha256:another"] {
        let copy = try await found(streams, [film]) { asked, sizes in
          #expect(asked == stream && sizes == [film.fileSize!])
          return content
        }
        #expect(copy == (content == film.identifier ? film : nil))
      }
      try await remember(film, at: 30, adapter)
      #expect(
        try await found(streams, []) { _, sizes in
          sizes == [film.fileSize!] ? film.identifier : nil
        } == film)
      let files = PlaylistEntry(
        id: 2, identifier: "sha256:other", title: "Other", location: nil, fileSize: 9)
      for content in [files.identifier, film.identifier, nil] {
        let copy = try await found(files, [stream]) { _, sizes in sizes == [9] ? content : nil }
        #expect(copy == (content == files.identifier ? stream : nil))
      }
    }
  }

  @Test("A file in the place of a stream, or of another copy, keeps its own identifier")
  func substitutes() async throws {
    try await with(.inMemory()) { adapter, _ in
      let film = try FilmIdentity.silent()
      try await remember(film, at: 30, adapter)
      var (stream, other) = (film, film)
      stream.identifier = "url:https://films.example/film.wav"
      other.identifier = "sha256:other"
      other.ownIdentifier = "own"
      for substitute in [stream, other] {
        try await remember(substitute, at: 30, adapter)
        #expect(await adapter.copy(of: substitute.identifier) == nil)
        #expect(await adapter.position(in: substitute.identifier) == MediaTime(seconds: 30))
      }
      #expect(await adapter.copy(of: film.identifier) == film)
    }
  }

  @Test("The place of another copy on the party's timeline is remembered for these two films")
  func otherCopies() async throws {
    try await with(.inMemory()) { adapter, _ in
      let film = try FilmIdentity.silent()
      func recalled(_ partys: String) async throws -> [CopyTimeline?] {
        let entry = PlaylistEntry(id: 1, identifier: partys, title: "", location: nil)
        let comparison = CopyComparison(film: film, partys: entry, length: nil, partysLength: nil)
        return try await adapter.perform(.recallCopy(comparison)).events.map {
          if case .film(.recalled(let found)) = $0 { found.timeline } else { nil }
        }
      }
      #expect(try await recalled("sha256:other") == [nil])
      var copy = film
      (copy.identifier, copy.ownIdentifier) = ("sha256:other", film.identifier)
      for offset in [12.4, -3] {
        copy.timeline = CopyTimeline(offset: .seconds(offset))
        _ = try await adapter.perform(.rememberCopy(copy))
        #expect(try await recalled("sha256:other") == [copy.timeline])
      }
      #expect(try await recalled("sha256:third") == [nil])
    }
  }

  @Test(
    "The party's next film is found beside the one that the user named, by its size and content")
  func copyBeside() async throws {
    try await with(.inMemory()) { adapter, _ in
      let folder = SilentFilm.folder.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let paths = ["E1.mkv", "E2.mkv"].map { folder.appendingPathComponent($0).path }
      for (path, content) in zip(paths, ["one", "two"]) {
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      }
      let next = try FilmIdentity(paths[1])
      for (size, copy) in [(3, next), (4, nil), (nil, nil)] {
        let entry = PlaylistEntry(
          id: 1, identifier: next.identifier, title: "E2", location: nil, fileSize: size)
        let named = try [paths[0], "http://films.example/E1.mkv"].map { try FilmIdentity($0) }
        let answer = try await adapter.perform(
          .findCopy(7, entry, by: .unknown, named: named, streams: []))
        guard case .film(.searched(_, _, by: _, let found, isFresh: _))? = answer.events.first
        else { throw NothingToDo.noQuestion }
        #expect(found == copy)
      }
    }
  }

  @Test("The films beside a film are found, in the order in which people sort them")
  func beside() async throws {
    try await with(nil) { adapter, _ in
      let folder = SilentFilm.folder.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let paths = ["E2.mkv", "E10.mkv"].map { folder.appendingPathComponent($0).path }
      for path in paths { try Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
      for path in [paths[0], folder.path + "/gone/E1.mkv"] {
        let film = FilmIdentity(identifier: "x", title: "E2", location: path)
        let found = path == paths[0] ? paths : []
        #expect(
          try await adapter.perform(.findBeside(film)).events == [.film(.foundBeside(film, found))])
      }
    }
  }

  @Test("The newest position in a film is found, unless the film is over")
  func positions() async throws {
    try await with(.inMemory()) { adapter, _ in
      let film = try FilmIdentity.silent()
      func position() async throws -> [ScreeningMachine.Event] {
        try await adapter.perform(.findPosition(film)).events
      }
      #expect(try await position() == [.film(.positionFound(film, nil))])
      try await remember(film, at: 20, adapter)
      try await remember(film, at: 30, adapter)
      #expect(try await position() == [.film(.positionFound(film, MediaTime(seconds: 30)))])
      try await remember(film, at: 59, adapter)
      #expect(try await position() == [.film(.positionFound(film, nil))])
    }
  }

  @Test("A server is trusted until it is forgotten")
  func trust() async throws {
    try await with(.inMemory()) { adapter, _ in
      let origin = try #require(FilmOrigin(of: "https://films.example/a"))
      _ = try await adapter.perform(.trust(origin))
      #expect(await adapter.trustedHosts() == ["https://films.example"])
      _ = try await adapter.perform(.perform(.forgetHost("films.example")))
      #expect(await adapter.trustedHosts().isEmpty)
      await #expect(throws: RejoinProblem.notTrusted("films.example")) {
        try await adapter.perform(.perform(.forgetHost("films.example")))
      }
    }
  }

  @Test("The films of a media folder are found, and the machine hears of it")
  func folders() async throws {
    try await with(.inMemory()) { adapter, stage in
      let folder = SilentFilm.folder.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try SilentFilm.data(seconds: 60).write(to: folder.appendingPathComponent("Nosferatu.wav"))
      await adapter.begin(with: [])
      let add = UserCommand.Library.addFolder(folder.path)
      guard case .notice(let text)? = try await adapter.perform(.perform(add)).command else {
        throw CancellationError()
      }
      #expect(text.hasPrefix("Added \(folder.lastPathComponent) to the library."))
      let events = stage.events.follow(atMost: 64)
      try await eventually {
        _ = try await adapter.perform(.perform(.search("nosferatu")))
        for await case .listed(.found(let files)) in events { return files.count == 1 }
        return false
      }
      await #expect(throws: UserCommandProblem.self) {
        try await adapter.perform(.perform(.dropFolder("/missing")))
      }
    }
  }

  @Test("Without a library everything is new, and lists are refused")
  func none() async throws {
    try await with(nil) { adapter, _ in
      let film = try FilmIdentity.silent()
      try await remember(film, at: 30, adapter)
      #expect(
        try await adapter.perform(.findPosition(film)).events
          == [.film(.positionFound(film, nil))])
      await #expect(throws: NothingToDo.noLibrary) {
        try await adapter.perform(.perform(.folders))
      }
    }
  }
}
