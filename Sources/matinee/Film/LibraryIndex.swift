import AVFormat
import Foundation
import MediaLibrary
import Timekeeping

/// What is known of the films that the library shows. What isn't known yet is looked for in the background, one file
/// after another.
actor LibraryIndex {
  /// Of one file.
  struct Details: Hashable, Sendable {
    var information: MediaInformation?
    var watched: WatchedFilm?
    /// The film that it is, by its content; nil before that is known.
    var identifier: String?
  }

  /// Something more is known; a slow reader hears of it once.
  nonisolated let changes: AsyncStream<Void>
  /// By location.
  private(set) var details: [String: Details] = [:]
  private(set) var remembered = Remembered()
  /// What was found for what somebody types.
  private(set) var found: (query: String, files: [KnownFile])?

  private let library: MediaLibrary
  private let continuation: AsyncStream<Void>.Continuation
  private var shown: [String] = []
  private var looking: Task<Void, Never>?
  private var searching: Task<Void, Never>?

  private static let recentLimit = 100
  private static let peopleLimit = 500
  /// More than anybody goes through.
  private static let foundLimit = 200
  /// Between two files whose contents are read.
  private static let pause = Duration.milliseconds(50)

  init(library: MediaLibrary) {
    self.library = library
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit {
    looking?.cancel()
    searching?.cancel()
  }

  /// Looks into these files, in place of those before.
  func show(_ locations: [String]) async {
    guard locations != shown else { return }
    shown = locations
    looking?.cancel()
    let files = locations.filter { FilmIdentity.scheme(of: $0) == nil }
    looking = Task { [weak self] in await self?.look(into: files) }
  }

  /// Reads once more what is remembered.
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

  /// Looks for films by their names in all that is known; what was looked for before counts for nothing.
  func search(_ query: String) {
    searching?.cancel()
    searching = Task { [weak self] in await self?.find(query) }
  }

  private func find(_ query: String) async {
    let files = (try? await library.search(query, limit: Self.foundLimit)) ?? []
    let identifiers = files.compactMap(\.identifier)
    let watched = (try? await library.films(identifiers)) ?? [:]
    // What isn't in a media folder may have gone since.
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
    // A film that was moved is the same one.
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
    // What film each is, so that an invite finds it: more is read for this, without hurry.
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

  /// What isn't remembered is read again the next time.
  private func remember(_ file: KnownFile) async { try? await library.remember(file) }
}
