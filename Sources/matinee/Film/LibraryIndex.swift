import AVFormat
import Foundation
import MediaLibrary
import Timekeeping

/// The known facts about the films that the library shows. Missing facts are read in the background, one file after
/// another.
actor LibraryIndex {
  /// The facts about one file.
  struct Details: Hashable, Sendable {
    var information: MediaInformation?
    var watched: WatchedFilm?
    /// The film's identifier, from its content; nil while it is unknown.
    var identifier: String?
  }

  /// The notices of new details. A slow reader gets one for several changes.
  nonisolated let changes: AsyncStream<Void>
  /// The details by location.
  private(set) var details: [String: Details] = [:]
  private(set) var remembered = Remembered()
  /// The result of the last search, with its query.
  private(set) var found: (query: String, files: [KnownFile])?

  private let library: MediaLibrary
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

  init(library: MediaLibrary) {
    self.library = library
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit {
    looking?.cancel()
    searching?.cancel()
  }

  /// Reads the details of these files, instead of the previous ones.
  func show(_ locations: [String]) async {
    guard locations != shown else { return }
    shown = locations
    looking?.cancel()
    let files = locations.filter { FilmIdentity.scheme(of: $0) == nil }
    looking = Task { [weak self] in await self?.look(into: files) }
  }

  /// Reads the remembered films, folders, parties, people and hosts again.
  func refresh() async {
    remembered = Remembered(
      recent: (try? await library.recent(limit: Self.recentLimit)) ?? [],
      folders: (try? await library.folders()) ?? [],
      parties: (try? await library.parties()) ?? [],
      people: (try? await library.people(limit: Self.peopleLimit)) ?? [],
      hosts: (try? await library.hosts()) ?? [])
    for film in remembered.recent {
      details[film.location, default: Details()].watched = film
    }
    continuation.yield()
  }

  /// Searches all known films by name. It replaces a search that is in progress.
  func search(_ query: String) {
    searching?.cancel()
    searching = Task { [weak self] in await self?.find(query) }
  }

  private func find(_ query: String) async {
    let files = (try? await library.search(query, limit: Self.foundLimit)) ?? []
    let identifiers = files.compactMap(\.identifier)
    let watched = (try? await library.films(identifiers)) ?? [:]
    // A file outside the media folders may have been removed.
    let there = await OwnThread.run(atMost: .seconds(2)) {
      files.filter { access($0.path, F_OK) == 0 }
    }
    guard !Task.isCancelled else { return }
    for file in there ?? [] {
      details[file.path, default: Details()].information = file.information
      details[file.path]?.identifier = file.identifier
      if let film = file.identifier.flatMap({ watched[$0] }) { details[file.path]?.watched = film }
    }
    found = (query, there ?? [])
    continuation.yield()
  }

  private func look(into files: [String]) async {
    let known = (try? await library.files(files)) ?? [:]
    let watched = (try? await library.films(at: files)) ?? [:]
    // A film that was moved has the same identity.
    let sameFilms = (try? await library.films(known.values.compactMap(\.identifier))) ?? [:]
    var found: [KnownFile] = []
    var unread: [(path: String, version: KnownFile.Version)] = []
    for path in files {
      details[path, default: Details()].watched = watched[path]
      guard let version = KnownFile.Version(ofFileAt: path) else { continue }
      if let file = known[path], file.version == version {
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
      let information = await OwnThread.run { MediaInformation.read(path) }
      guard !Task.isCancelled else { return }
      let file = KnownFile(path: path, version: version, information: information)
      details[path]?.information = information
      found.append(file)
      await remember(file)
      continuation.yield()
    }
    // The films' identifiers, with which an invite finds them. This reads more of each file, so it pauses between
    // files.
    for var file in found where file.identifier == nil {
      try? await Task.sleep(for: Self.pause, clock: .suspending)
      let path = file.path
      file.identifier = await OwnThread.run { (try? FilmIdentity(path))?.identifier }
      guard !Task.isCancelled else { return }
      guard file.identifier != nil else { continue }
      details[path]?.identifier = file.identifier
      await remember(file)
      continuation.yield()
    }
  }

  /// Remembers a file's facts. After an error they are read again the next time.
  private func remember(_ file: KnownFile) async { try? await library.remember(file) }
}
