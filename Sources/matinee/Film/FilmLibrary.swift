import Foundation
import GroupActivities
import MediaLibrary
import Timekeeping

/// The films and folders that the user named, or the contents of one folder.
struct FilmLibrary: Sendable {
  struct Entry: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case folder, film, audio, place, party, fact }

    var kind: Kind
    var title: String
    /// A path, a URL, or the identifier of a place or of a ``RememberedItem``.
    var location: String
    /// The note beside the title; nil for the known facts about the file.
    var note: String?
    /// The file itself, which shows whether two paths lead to the same file; nil for an item that isn't a file.
    var file: FileKey?
  }

  /// A file, independent of the path that leads to it.
  struct FileKey: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Returns nil if there is nothing at the path.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
    }
  }

  /// The maximum number of names that are read in one folder.
  private static let limit = 2000

  /// The remembered items, in their own places.
  var remembered = Remembered()

  /// The paths and URLs from the command line; without any, the current folder.
  let roots: [String]
  /// The top of the library: the folder, if the user named exactly one; nil for the list of roots.
  private let top: String?
  /// The folder or place that is shown; nil for the roots.
  private(set) var folder: String?
  /// The folder's entries at its last modification. They are kept because each drawing asks for them.
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

  /// Returns whether the item is entered, not played.
  static func isPlace(_ id: String) -> Bool {
    Remembered.Place(rawValue: id) != nil || isFolder(id)
  }

  /// The place that is shown; nil while a folder is shown.
  private var place: Remembered.Place? { folder.flatMap(Remembered.Place.init) }

  var title: String {
    if let place { return place.title }
    return folder.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "Films"
  }

  var parent: String?? {
    guard let folder else { return nil }
    if place != nil { return .some(top) }
    if remembered.folders.contains(where: { $0.path == folder }), folder != top {
      return .some(Remembered.Place.folders.rawValue)
    }
    if roots.contains(folder), roots.count > 1 { return .some(nil) }
    let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
    return parent == folder ? nil : .some(parent)
  }

  mutating func enter(_ folder: String?) { self.folder = folder }

  /// Returns the folders and then the files, each sorted by title without regard to case.
  mutating func entries() -> [Entry] {
    if let place { return remembered.entries(of: place) }
    let entries = listed()
    guard folder == top else { return entries }
    return remembered.places + entries
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
      return entry.kind == .folder || MediaKind(fileNamed: name) != nil ? entry : nil
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
    return Entry(ofFileAt: location)
  }
}

extension FilmLibrary.Entry {
  /// - Parameter title: the title; nil for the file's name.
  init(ofFileAt location: String, title: String? = nil) {
    let name = URL(fileURLWithPath: location).deletingPathExtension().lastPathComponent
    self.init(
      kind: MediaKind(fileNamed: location) == .audio ? .audio : .film, title: title ?? name,
      location: location, file: FilmLibrary.FileKey(location))
  }
}
