import Foundation
import MediaLibrary

/// The films and folders that the user named, or those of one folder.
struct FilmLibrary: Sendable {
  struct Entry: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case folder, film, audio, recent }

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

  /// The place that has what was watched last: no path begins so.
  static let recentID = "recent:"

  /// What was watched last, the latest first.
  var recent: [WatchedFilm] = []

  /// What the user named on the command line; the current folder if nothing.
  let roots: [String]
  /// Where everything begins: the only folder that was named, or nil for all that was named.
  private let top: String?
  /// The folder that is shown; nil for the roots themselves.
  private(set) var folder: String?
  /// What the folder held when it was changed last: it is asked for with every drawing.
  private var listing: (folder: String, changed: timespec, entries: [Entry])?

  init(roots: [String]) {
    self.roots = roots.isEmpty ? [FileManager.default.currentDirectoryPath] : roots
    top = self.roots.count == 1 && Self.isFolder(self.roots[0]) ? self.roots[0] : nil
    folder = top
  }

  static func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// Whether it is gone into, rather than played.
  static func isPlace(_ id: String) -> Bool { id == recentID || isFolder(id) }

  var title: String {
    if folder == Self.recentID { return "Recently watched" }
    return folder.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "Films"
  }

  var parent: String?? {
    guard let folder else { return nil }
    if folder == Self.recentID { return .some(top) }
    if roots.contains(folder) { return roots.count == 1 ? nil : .some(nil) }
    return .some(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
  }

  mutating func enter(_ folder: String?) { self.folder = folder }

  /// Folders first, each in the order of people.
  mutating func entries() -> [Entry] {
    if folder == Self.recentID {
      return recent.map {
        Entry(kind: Self.kind(ofFileAt: $0.location), title: $0.title, location: $0.location)
      }
    }
    let entries = listed()
    guard folder == top, !recent.isEmpty else { return entries }
    return [Entry(kind: .recent, title: "Recently watched", location: Self.recentID)] + entries
  }

  private mutating func listed() -> [Entry] {
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
    return Entry(
      kind: kind(ofFileAt: location), title: url.deletingPathExtension().lastPathComponent,
      location: location)
  }

  private static func kind(ofFileAt location: String) -> Entry.Kind {
    let type = (location as NSString).pathExtension.lowercased()
    return audioTypes.contains(type) ? .audio : .film
  }
}
