import AVFormat
import Foundation
import GroupActivities
import MPVPlayer
import NowPlaying
import Timekeeping

/// Finds what the desktop shows beside a film's title: a picture, and who made it.
///
/// The file's own cover, else the activity's preview, else a picture out of the film, by a player that nobody sees. A
/// stream is not opened a second time for it: its picture is what was on the screen once it had played for a while.
actor Artwork {
  /// What is on the screen once this film has played for a while, as a picture file; fails if another one does by then.
  typealias Camera = @Sendable (_ film: FilmIdentity) async throws -> [UInt8]

  struct Found: Hashable, Sendable {
    var tags = FileTags()
    var picture: URL?
  }

  /// Something was found.
  nonisolated let changes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  /// Nil where nothing is kept.
  private let cache: ArtworkCache?
  private let camera: Camera
  private var found: (name: String, what: Found)?
  private var looking: (name: String, task: Task<Void, Never>)?

  /// Where a film shows its face: its titles are over.
  private static let faceOfFilm = 0.2
  /// What a lock screen has a place for.
  private static let width = 640

  init(cache: ArtworkCache?, camera: @escaping Camera) {
    self.cache = cache
    self.camera = camera
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Where pictures are kept (XDG Base Directory Specification, `XDG_CACHE_HOME`).
  static func folder(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> URL? {
    BaseFolder.path("XDG_CACHE_HOME", orInHome: ".cache", environment: environment).map {
      URL(fileURLWithPath: $0 + "/artwork")
    }
  }

  func close() {
    looking?.task.cancel()
    looking = nil
    continuation.finish()
  }

  /// - Parameters:
  ///   - duration: nil while the film isn't open yet; then nothing is looked for.
  /// - Returns: what has been found up to now.
  func of(_ film: FilmIdentity, preview: Data?, duration: MediaTime?, hasVideo: Bool) -> Found {
    let name = DesktopView.hash(film.identifier)
    if let found, found.name == name { return found.what }
    guard duration != nil || film.isStream, looking?.name != name else { return Found() }
    looking?.task.cancel()
    looking = (
      name,
      Task { [weak self] in
        await self?.look(for: film, name, preview, hasVideo ? duration : nil)
      }
    )
    return Found()
  }

  private func look(
    for film: FilmIdentity, _ name: String, _ preview: Data?, _ duration: MediaTime?
  ) async {
    var result = Found()
    if !film.isStream {
      let path = film.location
      result.tags = await OwnThread.run { FileTags.read(path) } ?? FileTags()
    }
    let (cover, cache) = (result.tags.cover ?? preview, cache)
    // It is in its file, and shown from there.
    result.tags.cover = nil
    result.picture = await OwnThread.run { () -> URL? in
      if let known = cache?.url(for: name) { return known }
      return cover.flatMap { try? cache?.store($0, as: name) }
    }
    tell(name, result)
    guard result.picture == nil, let cache, !Task.isCancelled,
      let still = film.isStream
        ? await still(ofStream: film) : await still(ofFile: film.location, lasting: duration),
      !Task.isCancelled
    else { return }
    result.picture = await OwnThread.run { try? cache.store(still, as: name) }
    tell(name, result)
  }

  private func tell(_ name: String, _ result: Found) {
    guard looking?.name == name else { return }
    found = (name, result)
    continuation.yield()
  }

  /// - Returns: nil if there is none, or something fails: the film is shown without a picture then.
  private func still(ofFile path: String, lasting duration: MediaTime?) async -> Data? {
    guard let duration else { return nil }
    return try? await Self.still(
      of: path, at: MediaTime(seconds: duration.seconds * Self.faceOfFilm))
  }

  private func still(ofStream film: FilmIdentity) async -> Data? {
    guard let taken = try? await camera(film), let file = try? MemoryFile(taken) else { return nil }
    // Its path holds as long as it does.
    defer { withExtendedLifetime(file) {} }
    return try? await Self.still(of: file.path, at: .zero)
  }

  /// A picture of a film, or of a picture, as large as is shown, by a player of its own.
  private static func still(of path: String, at place: MediaTime) async throws -> Data {
    let player = try MPVPlayer(
      configuration: .forStills(
        video: .none, options: [.init(name: "vf", value: "scale=\(width):-2")]))
    do {
      try await player.load(path, startingAt: place)
      let picture = try await player.picture()
      await player.shutDown()
      return Data(picture)
    } catch {
      await player.shutDown()
      throw error
    }
  }
}
