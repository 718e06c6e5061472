import Concurrency
import Foundation
import MediaLibrary
import Screening
import Timekeeping

/// The media folders, and this user's copies of films in them.
extension Theater {
  /// The minimum interval between two reports about a scan.
  private static let progressInterval = Duration.milliseconds(500)

  /// Adds these folders to the media folders, and begins to scan all of them in the background.
  func beginLibrary(with folders: [String]) async {
    guard let scanner else { return }
    for folder in folders {
      guard let path = await Self.mediaFolder(folder) else {
        emit(.warning("There is no folder \(folder), so it wasn't added to the library."))
        continue
      }
      await forgivingly { try await $0.add(folder: path) }
    }
    let events = scanner.events
    tasks.append(
      Task { [weak self] in
        for await event in events {
          await self?.take(event)
          try? await Task.sleep(for: Self.progressInterval, clock: .suspending)
        }
      })
    scanner.scan()
  }

  /// Returns the path of the folder that the user named; nil if there is none, or if its disk doesn't answer.
  static func mediaFolder(_ text: String) async -> String? {
    await OwnedThread.run("library", atMost: .seconds(2)) {
      let path = URL(fileURLWithPath: (text as NSString).expandingTildeInPath)
        .standardizedFileURL.path
      return FilmLibrary.isFolder(path) ? path : nil
    } ?? nil
  }

  private func take(_ event: LibraryScanner.Event) async {
    switch event {
    case .progress(let progress):
      emit(.library(.init(progress)))
      await lookForOwnCopy()
    case .failed(let error):
      emit(.warning("The media folders couldn't be scanned completely: \(error.reason)"))
    }
  }

  /// Looks for a copy of the party's film, which the scan may have found.
  func lookForOwnCopy() async {
    guard case .missing = programme.state, let entry = programme.adopted?.current,
      let copy = await ownCopy(of: entry.identifier)
    else { return }
    remember([copy])
    await take(.copyFound(copy, entry: entry.id))
  }

  /// Returns this user's own copy of a film; nil if there is none any more.
  ///
  /// A file counts as a copy if it hasn't changed since its content was remembered. Only a changed file is read again.
  func ownCopy(of identifier: String) async -> FilmIdentity? {
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

  func addFolder(_ path: String) async throws {
    try await history?.library.add(folder: URL(fileURLWithPath: path).standardizedFileURL.path)
    scanner?.scan()
  }

  /// - Returns: false if the path wasn't a media folder.
  @discardableResult
  func dropFolder(_ path: String) async throws -> Bool {
    try await history?.library.drop(folder: path) ?? false
  }

  func forget(film identifier: String) async throws {
    try await history?.library.forget(identifier)
  }

  /// Uses the library, without which the player works too. Only the first failure is reported.
  func forgivingly(_ body: (MediaLibrary) async throws -> Void) async {
    guard let library = history?.library else { return }
    do {
      try await body(library)
    } catch {
      guard history?.hasFailed == false else { return }
      history?.hasFailed = true
      let text = (error as? MediaLibraryError)?.withoutHistory ?? "\(error)"
      emit(.warning(text))
    }
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
