import Foundation

/// The films and folders that the user named, or those of one folder.
struct FilmLibrary: Sendable {
  struct Entry: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case folder, film, audio }

    var kind: Kind
    var title: String
    /// A path or a URL.
    var location: String
  }

  private static let filmTypes: Set<String> = [
    "mkv", "mp4", "m4v", "webm", "avi", "mov", "mpg", "mpeg", "ts", "m2ts", "ogv", "wmv", "flv",
    "3gp", "vob",
  ]
  private static let audioTypes: Set<String> = [
    "mp3", "flac", "ogg", "oga", "opus", "m4a", "aac", "wav", "wma", "mka",
  ]
  /// What one folder shows at most.
  private static let limit = 2000

  /// What the user named on the command line; the current folder if nothing.
  let roots: [String]
  /// The folder that is shown; nil for the roots themselves.
  private(set) var folder: String?
  /// What the folder held when it was changed last: it is asked for with every drawing.
  private var listing: (folder: String, changed: timespec, entries: [Entry])?

  init(roots: [String]) {
    self.roots = roots.isEmpty ? [FileManager.default.currentDirectoryPath] : roots
    if self.roots.count == 1, Self.isFolder(self.roots[0]) { folder = self.roots[0] }
  }

  static func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  var title: String { folder.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "Films" }

  var parent: String?? {
    guard let folder else { return nil }
    if roots.contains(folder) { return roots.count == 1 ? nil : .some(nil) }
    return .some(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
  }

  mutating func enter(_ folder: String?) { self.folder = folder }

  /// Folders first, each in the order of people.
  mutating func entries() -> [Entry] {
    guard let folder else { return roots.map(Self.entry) }
    var status = stat()
    guard stat(folder, &status) == 0 else { return [] }
    let changed = status.st_mtim
    if let listing, listing.folder == folder, listing.changed.tv_sec == changed.tv_sec,
      listing.changed.tv_nsec == changed.tv_nsec
    {
      return listing.entries
    }
    let entries = Self.entries(in: folder)
    listing = (folder, changed, entries)
    return entries
  }

  private static func entries(in folder: String) -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let entries = names.filter { !$0.hasPrefix(".") }.prefix(limit).compactMap { name in
      let entry = entry(URL(fileURLWithPath: folder).appendingPathComponent(name).path)
      let type = (name as NSString).pathExtension.lowercased()
      return entry.kind == .folder || filmTypes.contains(type)
        || audioTypes.contains(type) ? entry : nil
    }
    return entries.sorted { a, b in
      (a.kind == .folder ? 0 : 1, a.title.lowercased()) < (
        b.kind == .folder ? 0 : 1, b.title.lowercased()
      )
    }
  }

  private static func entry(_ location: String) -> Entry {
    if FilmIdentity.scheme(of: location) != nil {
      return Entry(kind: .film, title: location, location: location)
    }
    let url = URL(fileURLWithPath: location)
    if isFolder(location) {
      return Entry(kind: .folder, title: url.lastPathComponent, location: location)
    }
    let isAudio = audioTypes.contains(url.pathExtension.lowercased())
    return Entry(
      kind: isAudio ? .audio : .film, title: url.deletingPathExtension().lastPathComponent,
      location: location)
  }
}
