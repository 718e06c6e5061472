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
  }

  /// Something more is known; a slow reader hears of it once.
  nonisolated let changes: AsyncStream<Void>
  /// By location.
  private(set) var details: [String: Details] = [:]
  /// What was watched last.
  private(set) var recent: [WatchedFilm] = []

  private let library: MediaLibrary
  private let continuation: AsyncStream<Void>.Continuation
  private var shown: [String] = []
  private var looking: Task<Void, Never>?

  private static let recentLimit = 100
  /// Between two files whose contents are read.
  private static let pause = Duration.milliseconds(50)

  init(library: MediaLibrary) {
    self.library = library
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { looking?.cancel() }

  /// Looks into these files, in place of those before.
  func show(_ locations: [String]) async {
    guard locations != shown else { return }
    shown = locations
    looking?.cancel()
    let files = locations.filter { FilmIdentity.scheme(of: $0) == nil }
    looking = Task { [weak self] in await self?.look(into: files) }
  }

  /// Reads once more what was watched.
  func refresh() async {
    recent = (try? await library.recent(limit: Self.recentLimit)) ?? []
    for film in recent {
      details[film.location, default: Details()].watched = film
    }
    continuation.yield()
  }

  private func look(into files: [String]) async {
    let known = (try? await library.files(files)) ?? [:]
    let watched = (try? await library.films(at: files)) ?? [:]
    var found: [KnownFile] = []
    var unread: [(path: String, version: KnownFile.Version)] = []
    for path in files {
      details[path, default: Details()].watched = watched[path]
      guard let version = KnownFile.Version(ofFileAt: path) else { continue }
      if let file = known[path], file.version == version {
        details[path]?.information = file.information
        found.append(file)
      } else {
        unread.append((path, version))
      }
    }
    continuation.yield()
    for (path, version) in unread {
      let information = await Self.apart { MediaInformation.read(path) }
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
      file.identifier = await Self.apart { (try? FilmIdentity(path))?.identifier }
      guard !Task.isCancelled else { return }
      if file.identifier != nil { await remember(file) }
    }
  }

  /// What isn't remembered is read again the next time.
  private func remember(_ file: KnownFile) async { try? await library.remember(file) }

  /// Reading may take long, on a disk that sleeps or lies far away.
  private static func apart<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
