import Concurrency
import FileNames
import Foundation
import MediaLibrary
import Screening
import Timekeeping

/// The memory of this program: media folders with their films, parties, people and trusted servers.
@ScreeningActor
final class LibraryRoom: FilmLibrary {
  /// The parts of the program that the library concerns.
  struct Links {
    /// A scan made progress: a copy of the film that is missing may be there.
    var scanned: @ScreeningActor () async -> Void
    /// A server is trusted no longer.
    var distrust: @ScreeningActor (String) -> Void
  }

  /// The minimum interval between two reports about a scan.
  private static let progressInterval = Duration.milliseconds(500)
  /// More items than a reader would go through.
  private static let listLimit = 200

  /// Nil if nothing is remembered.
  let library: MediaLibrary?
  private let events: EventBroadcast<ScreeningEvent>
  private let links: Links
  /// The scanner of the media folders; nil if nothing is remembered.
  private let scanner: LibraryScanner?
  private var following: Task<Void, Never>?
  /// A Boolean value that indicates whether a failure to remember was reported.
  private var hasFailed = false

  init(library: MediaLibrary?, events: EventBroadcast<ScreeningEvent>, links: Links) {
    self.library = library
    self.events = events
    self.links = links
    scanner = library.map {
      LibraryScanner(library: $0) { path in (try? FilmIdentity(path))?.identifier }
    }
  }

  func close() {
    scanner?.stop()
    following?.cancel()
  }

  /// Uses the library, without which the program works too. Only the first failure is reported.
  func forgivingly(_ body: (MediaLibrary) async throws -> Void) async {
    guard let library else { return }
    do {
      try await body(library)
    } catch MediaLibraryError.cancelled {
      // The next film has made a search needless.
    } catch {
      guard !hasFailed else { return }
      hasFailed = true
      events.send(.warning((error as? MediaLibraryError)?.withoutHistory ?? "\(error)"))
    }
  }

  // MARK: - Commands

  func perform(_ command: UserCommand.Library) async throws -> String? {
    switch command {
    case .folders: list(.init(folders: try await required().folders()))
    case .addFolder(let path): return try await add(folder: path)
    case .dropFolder(let path):
      guard try await drop(folder: path) else {
        throw UserCommandProblem(
          "\(path) isn't one of the media folders. To list them, type: folders")
      }
    case .scan: scanner?.scan()
    case .search(let query):
      list(.init(files: try await required().search(query, limit: Self.listLimit)))
    case .parties: list(.init(parties: try await required().parties()))
    case .forgetParty(let id): try await forget(party: id)
    case .people: list(.init(people: try await required().people(limit: Self.listLimit)))
    case .hosts: list(.init(hosts: try await required().hosts()))
    case .forgetHost(let host): try await forget(host: host)
    }
    return nil
  }

  private func list(_ listing: ScreeningEvent.Listing) { events.send(.listed(listing)) }

  private func required() throws(NothingToDo) -> MediaLibrary {
    guard let library else { throw .noLibrary }
    return library
  }

  // MARK: - Media folders

  /// Adds these folders to the media folders, and begins to scan all of them in the background.
  func begin(with folders: [String]) async {
    guard let scanner else { return }
    for folder in folders {
      guard let path = await Self.mediaFolder(folder) else {
        events.send(
          .warning("There is no folder \(folder), so it wasn't added to the library."))
        continue
      }
      await forgivingly { try await $0.add(folder: path) }
    }
    let scans = scanner.events
    following = Task { [weak self] in
      for await event in scans {
        await self?.handle(event)
        try? await Task.sleep(for: Self.progressInterval, clock: .suspending)
      }
    }
    scanner.scan()
  }

  private func handle(_ event: LibraryScanner.Event) async {
    switch event {
    case .progress(let progress):
      events.send(.library(.init(progress)))
      await links.scanned()
    case .failed(let error):
      events.send(
        .warning("The media folders couldn't be scanned completely: \(error.reason)"))
    }
  }

  /// Returns the path of the folder that the user named; nil if there is none, or if its disk doesn't answer.
  static func mediaFolder(_ text: String) async -> String? {
    await OwnedThread.run("library", atMost: .seconds(2)) {
      let path = URL(fileURLWithPath: (text as NSString).expandingTildeInPath)
        .standardizedFileURL.path
      return FilmShelf.isFolder(path) ? path : nil
    } ?? nil
  }

  /// - Returns: the notice for the user.
  private func add(folder text: String) async throws -> String {
    guard let folder = await Self.mediaFolder(text) else {
      throw UserCommandProblem("There is no folder \(text).")
    }
    try await library?.add(folder: folder)
    scanner?.scan()
    let name = FileName.shown(URL(fileURLWithPath: folder).lastPathComponent)
    return "Added \(name) to the library. Press / to search it."
  }

  /// - Returns: false if the path wasn't a media folder.
  @discardableResult
  func drop(folder path: String) async throws -> Bool {
    try await library?.drop(folder: path) ?? false
  }

  /// Returns this user's own copy of a film; nil if there is none any more.
  ///
  /// A file counts as a copy if it hasn't changed since its content was remembered. Only a changed file is read again.
  func copy(of identifier: String) async -> FilmIdentity? {
    var files: [KnownFile] = []
    await forgivingly { files = try await $0.files(of: identifier) }
    guard !files.isEmpty else { return nil }
    let known = files
    return await OwnedThread.run("library", atMost: .seconds(2)) {
      for file in known {
        guard let version = KnownFile.Version(ofFileAt: file.path) else { continue }
        if version == file.version { return FilmIdentity(identifier: identifier, path: file.path) }
        // The changed file may be another film.
        if let copy = try? FilmIdentity(file.path), copy.identifier == identifier { return copy }
      }
      return nil
    } ?? nil
  }

  func position(in identifier: String) async -> MediaTime? {
    var film: WatchedFilm?
    await forgivingly { film = try await $0.film(identifier) }
    return film.flatMap { $0.isFinished || $0.position <= .zero ? nil : $0.position }
  }

  // MARK: - Forgetting

  func forget(film identifier: String) async throws { try await library?.forget(identifier) }

  func forget(party id: String) async throws { try await library?.forget(party: id) }

  func forget(person key: String, of party: String) async throws {
    try await library?.forget(person: key, of: party)
  }

  /// - Parameter text: an origin, or a host for all of its origins.
  func forget(host text: String) async throws {
    links.distrust(text)
    let trusted = try await library?.hosts() ?? []
    let meant = trusted.filter { URLPolicy.isMeant($0.name, by: text) }
    guard !meant.isEmpty else { throw RejoinProblem.notTrusted(text) }
    for host in meant { try await library?.forget(host: host.name) }
  }

  // MARK: - Trusted servers

  /// Returns the servers that are permanently trusted.
  func trustedHosts() async -> [String] {
    do {
      return try await library?.hosts().map(\.name) ?? []
    } catch {
      events.send(
        .warning(
          "Can't read the trusted servers, so you are asked about each of them again: \(error)"))
      return []
    }
  }

  func trust(_ origin: FilmOrigin) async {
    await forgivingly { try await $0.allow(host: origin.description) }
  }
}

extension ScreeningEvent.Scan {
  init(_ progress: ScanProgress) {
    let phase: Phase =
      switch progress.phase {
      case .looking: .looking
      case .reading: .reading
      case .idle: .idle
      }
    self.init(
      phase: phase, seen: progress.seen, read: progress.read, toRead: progress.toRead,
      unreadable: progress.unreadable)
  }
}
