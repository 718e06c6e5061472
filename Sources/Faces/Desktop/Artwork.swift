import AVFormat
import Concurrency
import Foundation
import MPVPlayer
import MatineeKit
import NowPlaying
import Screening
import Timekeeping

/// Finds the picture and the artist that the desktop shows beside a film's title.
///
/// The picture is the file's own cover; without one it is a still of the film from a separate, invisible player. A
/// stream is not opened a second time for this: its picture is taken from the screen after it has played for a while.
actor Artwork {
  /// Takes a picture file of the screen once this film has played for a while; throws if another film is playing by
  /// then.
  typealias Camera = @Sendable (_ film: FilmIdentity) async throws -> [UInt8]

  struct Found: Hashable, Sendable {
    var tags = FileTags()
    var picture: URL?
  }

  /// An element for each time that something was found.
  nonisolated let changes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  /// The folder of kept pictures; nil if none are kept.
  private let cache: ArtworkCache?
  private let camera: Camera
  private var found: (name: String, what: Found)?
  private var looking: (name: String, task: Task<Void, Never>)?

  /// The position of a film's still, as a fraction of its duration: late enough to be behind the titles.
  private static let faceOfFilm = 0.2
  /// The width of a picture, in pixels: the size that a lock screen shows.
  private static let width = 640

  init(cache: ArtworkCache?, camera: @escaping Camera) {
    self.cache = cache
    self.camera = camera
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Returns the folder of kept pictures (XDG Base Directory Specification, `XDG_CACHE_HOME`).
  static func folder(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> URL? {
    BaseFolder.path("XDG_CACHE_HOME", orInHome: ".cache", environment: environment).map {
      URL(fileURLWithPath: $0 + "/artwork")
    }
  }

  package func close() {
    looking?.task.cancel()
    looking = nil
    continuation.finish()
  }

  /// Returns the tags and the picture that are known so far, and begins a search for them if there was none.
  ///
  /// - Parameters:
  ///   - duration: nil until the film is open; a file isn't searched before that.
  func of(_ film: FilmIdentity, duration: MediaTime?, hasVideo: Bool) -> Found {
    let name = DesktopView.hash(film.identifier)
    if let found, found.name == name { return found.what }
    guard duration != nil || film.isStream, looking?.name != name else { return Found() }
    looking?.task.cancel()
    looking = (
      name,
      Task { [weak self] in
        await self?.look(for: film, name, hasVideo ? duration : nil)
      }
    )
    return Found()
  }

  private func look(for film: FilmIdentity, _ name: String, _ duration: MediaTime?) async {
    var result = Found()
    if !film.isStream {
      let path = film.location
      result.tags = await OwnedThread.run("artwork") { FileTags.read(path) } ?? FileTags()
    }
    let (cover, cache) = (result.tags.cover, cache)
    // The cover is shown from the cache's file.
    result.tags.cover = nil
    result.picture = await OwnedThread.run("artwork") { () -> URL? in
      if let known = cache?.url(for: name) { return known }
      return cover.flatMap { try? cache?.store($0, as: name) }
    }
    report(name, result)
    guard result.picture == nil, let cache, !Task.isCancelled,
      let still = film.isStream
        ? await still(ofStream: film) : await still(ofFile: film.location, lasting: duration),
      !Task.isCancelled
    else { return }
    result.picture = await OwnedThread.run("artwork") { try? cache.store(still, as: name) }
    report(name, result)
  }

  private func report(_ name: String, _ result: Found) {
    guard looking?.name == name else { return }
    found = (name, result)
    continuation.yield()
  }

  /// - Returns: nil if there is no picture or an operation fails; the film is then shown without one.
  private func still(ofFile path: String, lasting duration: MediaTime?) async -> Data? {
    guard let duration else { return nil }
    return try? await Self.still(
      of: path, at: MediaTime(seconds: duration.seconds * Self.faceOfFilm))
  }

  private func still(ofStream film: FilmIdentity) async -> Data? {
    guard let taken = try? await camera(film), let file = try? MemoryFile(taken) else { return nil }
    // The path is valid only during the file's lifetime.
    defer { withExtendedLifetime(file) {} }
    return try? await Self.still(of: file.path, at: .zero)
  }

  /// Returns a still of a film, or of a picture, in the size that is shown. It uses a player of its own.
  private static func still(of path: String, at place: MediaTime) async throws -> Data {
    let player = try MPVPlayer(
      configuration: .forStills(
        video: .none, options: [.init(name: "vf", value: "scale=\(width):-2")]))
    do {
      try await player.load(path, startingAt: place)
      let picture = try await player.pictureFile()
      await player.shutDown()
      return Data(picture)
    } catch {
      await player.shutDown()
      throw error
    }
  }
}
