import AVFormat
import Concurrency
import Foundation
import Screening
import Timekeeping

/// The known facts about the films that the library shows. Missing facts are read in the background, one file after
/// another.
package actor LibraryIndex {
  /// The facts about one file.
  package struct Details: Hashable, Sendable {
    package var information: MediaInformation?
    /// The title in the file; nil if it has none.
    package var title: String? { information?.shownTitle }
    package var watched: WatchedFilm?
    /// The film's identifier, from its content; nil while it is unknown.
    package var identifier: String?
    /// A Boolean value that indicates whether the file was examined, and is damaged or no media.
    package var isUnreadable = false
  }

  /// The notices of new details. A slow reader gets one for several changes.
  nonisolated package let changes: AsyncStream<Void>
  /// The details by location.
  package private(set) var details: [String: Details] = [:]
  package private(set) var remembered = Remembered()
  /// The result of the last search, with its query.
  package private(set) var found: Found?

  package struct Found: Sendable {
    package var query: String
    package var files: [(known: KnownFile, key: FilmShelf.FileKey)]
  }

  /// The failed reads of the library, by subject.
  package private(set) var problems: [Subject: MediaLibraryError] = [:]

  /// A part of the library that is read on its own.
  package enum Subject: Int, CaseIterable, Sendable {
    case recent, folders, parties, people, hosts, moments, search, files

    fileprivate var words: String {
      switch self {
      case .recent: "recently watched films"
      case .folders: "media folders"
      case .parties: "parties"
      case .people: "people"
      case .hosts: "trusted servers"
      case .moments: "moments"
      case .search: "search results"
      case .files: "facts about files"
      }
    }
  }

  /// The failed reads as one sentence with advice; nil if nothing failed.
  package var problem: String? {
    let failed = Subject.allCases.filter { problems[$0] != nil }
    guard let reason = failed.first.flatMap({ problems[$0] })?.reason else { return nil }
    // The sentence is English, whatever the user's language.
    let list = failed.map(\.words).formatted(.list(type: .and).locale(Locale(identifier: "en")))
    return "Can't read \(list) (\(reason)). "
      + "Nothing was changed. Restart Matinee to try again."
  }

  private let library: MediaLibrary
  private let identify: @Sendable (String) -> String?
  private let continuation: AsyncStream<Void>.Continuation
  private var shown: [String] = []
  private var looking: Task<Void, Never>?
  private var searching: Task<Void, Never>?

  private static let recentLimit = 100
  private static let peopleLimit = 500
  /// The maximum number of results, more than a user reads.
  private static let foundLimit = 200
  /// The pause between two files whose contents are read.
  private static let pause = Duration.milliseconds(50)

  /// - Parameter identify: computes the identifier of the film in a file; nil for a file that can't be read. Blocks.
  package init(library: MediaLibrary, identify: @escaping @Sendable (String) -> String?) {
    self.library = library
    self.identify = identify
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit {
    looking?.cancel()
    searching?.cancel()
  }

  /// Reads the details of these files, instead of the previous ones.
  package func show(_ locations: [String]) async {
    guard locations != shown else { return }
    shown = locations
    looking?.cancel()
    let files = locations.filter { FilmIdentity.scheme(of: $0) == nil }
    looking = Task { [weak self] in await self?.look(into: files) }
  }

  /// Reads the remembered films, folders, parties, people and hosts again.
  package func refresh() async {
    let library = library
    if let recent = await read(
      .recent,
      { () throws(MediaLibraryError) in
        try await library.recent(limit: Self.recentLimit)
      })
    {
      remembered.recent = recent
      let locations = recent.map(\.location)
      let files = await OwnedThread.run("library", atMost: .seconds(2)) {
        locations.compactMap { location in
          FilmShelf.FileKey(location).map { (location, $0) }
        }
      }
      if let files { remembered.files = Dictionary(files) { $1 } }
    }
    if let folders = await read(.folders, library.folders) { remembered.folders = folders }
    if let parties = await read(.parties, library.parties) { remembered.parties = parties }
    if let people = await read(
      .people,
      { () throws(MediaLibraryError) in
        try await library.people(limit: Self.peopleLimit)
      })
    {
      remembered.people = people
    }
    if let hosts = await read(.hosts, library.hosts) { remembered.hosts = hosts }
    if let moments = await read(
      .moments,
      { () throws(MediaLibraryError) in
        try await library.moments(limit: MediaLibrary.momentLimit)
      })
    {
      remembered.moments = Dictionary(grouping: moments, by: \.film)
    }
    for film in remembered.recent {
      details[film.location, default: Details()].watched = film
    }
    continuation.yield()
  }

  /// Reads from the library, and keeps the error of a failed read until a read of the same subject succeeds.
  ///
  /// - Returns: nil after an error: the result of the last successful read stays valid.
  private func read<Value: Sendable>(
    _ subject: Subject, _ body: @Sendable () async throws(MediaLibraryError) -> Value
  ) async -> Value? {
    do throws(MediaLibraryError) {
      let value = try await body()
      problems[subject] = nil
      return value
    } catch {
      guard error != .cancelled else { return nil }
      problems[subject] = error
      continuation.yield()
      return nil
    }
  }

  /// Searches all known films by name. It replaces a search that is in progress.
  package func search(_ query: String) {
    searching?.cancel()
    searching = Task { [weak self] in await self?.find(query) }
  }

  private func find(_ query: String) async {
    let library = library
    let read = await read(.search) { () throws(MediaLibraryError) in
      let files = try await library.search(query, limit: Self.foundLimit)
      return (files, try await library.films(files.compactMap(\.identifier)))
    }
    guard let (files, watched) = read else { return }
    // A file outside the media folders may have been removed.
    let there = await OwnedThread.run("library", atMost: .seconds(2)) {
      files.compactMap { file in FilmShelf.FileKey(file.path).map { (known: file, key: $0) } }
    }
    guard !Task.isCancelled else { return }
    for (file, _) in there ?? [] {
      details[file.path, default: Details()].information = file.information
      details[file.path]?.identifier = file.identifier
      if let film = file.identifier.flatMap({ watched[$0] }) { details[file.path]?.watched = film }
    }
    found = Found(query: query, files: there ?? [])
    continuation.yield()
  }

  private func look(into files: [String]) async {
    let library = library
    let read = await read(.files) { () throws(MediaLibraryError) in
      let known = try await library.files(files)
      let watched = try await library.films(at: files)
      // A film that was moved has the same identity.
      return (known, watched, try await library.films(known.values.compactMap(\.identifier)))
    }
    // Nothing is remembered over records that can't be read.
    guard let (known, watched, sameFilms) = read else { return }
    let versions = await OwnedThread.run("library") {
      files.map { KnownFile.Version(ofFileAt: $0) }
    }
    guard !Task.isCancelled else { return }
    var found: [KnownFile] = []
    var unread: [(path: String, version: KnownFile.Version)] = []
    for (path, version) in zip(files, versions) {
      details[path, default: Details()].watched = watched[path]
      guard let version else { continue }
      // A file is recorded before it is examined.
      if let file = known[path], file.version == version, file.information != nil {
        if let film = file.identifier.flatMap({ sameFilms[$0] }) { details[path]?.watched = film }
        details[path]?.information = file.information
        details[path]?.identifier = file.identifier
        found.append(file)
      } else {
        unread.append((path, version))
      }
    }
    continuation.yield()
    for (path, version) in unread {
      let information = await OwnedThread.run("library") { MediaInformation.read(path) }
      guard !Task.isCancelled else { return }
      let file = KnownFile(path: path, version: version, information: information)
      details[path]?.information = information
      details[path]?.isUnreadable = information == nil
      found.append(file)
      await remember(file)
      continuation.yield()
    }
    // The films' identifiers, with which an invite finds them. This reads more of each file, so it pauses between
    // files.
    for var file in found where file.identifier == nil {
      try? await Task.sleep(for: Self.pause, clock: .suspending)
      let path = file.path
      let identify = identify
      file.identifier = await OwnedThread.run("library") { identify(path) }
      guard !Task.isCancelled else { return }
      guard file.identifier != nil else { continue }
      details[path]?.identifier = file.identifier
      await remember(file)
      continuation.yield()
    }
  }

  /// Remembers a file's facts. After an error they are read again the next time.
  private func remember(_ file: KnownFile) async {
    let library = library
    _ = await read(.files) { () throws(MediaLibraryError) in try await library.remember(file) }
  }
}

extension LibraryIndex.Details {
  /// The note beside a film: "1:42:10", "12:41 of 1:42:10", "watched, 1:42:10", "can't be read".
  package var note: String {
    if isUnreadable, watched == nil { return "can't be read" }
    let length = information?.duration.map { MediaTime.zero + $0 } ?? watched?.duration
    let whole = length.map(StoryWords.clock)
    if let place = watched?.resumePosition {
      return StoryWords.clock(place) + (whole.map { " of \($0)" } ?? "")
    }
    guard watched?.isFinished == true else { return whole ?? "" }
    return "watched" + (whole.map { ", \($0)" } ?? "")
  }
}
