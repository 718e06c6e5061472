import Foundation
import MediaLibrary
import Timekeeping

/// The media folders, and whose copy of a film is in them.
extension Theater {
  /// Nobody reads more often how far a scan is.
  private static let progressInterval = Duration.milliseconds(500)

  /// Has the media folders looked through in the background, these among them from now on.
  func beginLibrary(with folders: [String]) async {
    guard let scanner else { return }
    for folder in folders {
      guard let path = Self.mediaFolder(folder) else {
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

  /// The folder that somebody names so; nil if there is none.
  static func mediaFolder(_ text: String) -> String? {
    let path = URL(fileURLWithPath: (text as NSString).expandingTildeInPath)
      .standardizedFileURL.path
    return FilmLibrary.isFolder(path) ? path : nil
  }

  private func take(_ event: LibraryScanner.Event) async {
    switch event {
    case .progress(let progress):
      emit(.library(progress))
      await lookForOwnCopy()
    case .failed(let error):
      emit(.warning("The media folders couldn't be scanned completely: \(error.reason)"))
    }
  }

  /// The party's film may have been found meanwhile.
  func lookForOwnCopy() async {
    guard film == nil, party != nil, undecided == nil, let adopted, adopted.location == nil,
      let copy = await ownCopy(of: adopted.identifier), film == nil, self.adopted == adopted
    else { return }
    remember([copy])
    await adopt(adopted, by: nil)
  }

  /// This user's own copy of a film, wherever it is; nil if there is none any more.
  ///
  /// It is taken by what is remembered of it: nothing is read but whether it has changed since.
  func ownCopy(of identifier: String) async -> FilmIdentity? {
    let files = (try? await history?.library.files(of: identifier)) ?? []
    guard !files.isEmpty else { return nil }
    return await OwnThread.run(atMost: .seconds(2)) {
      for file in files {
        guard let version = KnownFile.Version(ofFileAt: file.path) else { continue }
        if version == file.version { return FilmIdentity(identifier: identifier, path: file.path) }
        // It may have become another film.
        if let copy = try? FilmIdentity(file.path), copy.identifier == identifier { return copy }
      }
      return nil
    } ?? nil
  }

  func addFolder(_ path: String) async throws {
    try await history?.library.add(folder: URL(fileURLWithPath: path).standardizedFileURL.path)
    scanner?.scan()
  }

  /// - Returns: false if it wasn't one.
  @discardableResult
  func dropFolder(_ path: String) async throws -> Bool {
    try await history?.library.drop(folder: path) ?? false
  }

  func forget(film identifier: String) async throws {
    try await history?.library.forget(identifier)
  }

  /// Without it the player works, too: it is told once that something isn't remembered.
  func forgivingly(_ body: (MediaLibrary) async throws -> Void) async {
    guard let library = history?.library else { return }
    do {
      try await body(library)
    } catch {
      guard history?.hasFailed == false else { return }
      history?.hasFailed = true
      emit(.warning("\(error)"))
    }
  }
}
