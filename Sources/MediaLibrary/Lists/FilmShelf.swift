import FileNames
import Foundation

/// The films and folders that the user named, or the contents of one folder. It reads no disk: ``FolderReader`` does.
package struct FilmShelf: Sendable {
  package struct Entry: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case folder, film, audio, place, party, fact }

    package var kind: Kind
    package var title: String
    /// A path, a URL, or the identifier of a place or of a ``RememberedItem``.
    package var location: String
    /// The note beside the title; nil for the known facts about the file.
    package var note: String?
    /// The file itself, which shows whether two paths lead to the same file; nil for an item that isn't a file.
    package var file: FileKey?
  }

  /// A file, independent of the path that leads to it.
  package struct FileKey: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Waits for the disk. Returns nil if there is nothing at the path.
    init?(_ path: String) {
      guard let status = FileName.status(of: path) else { return nil }
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
    }
  }

  /// The remembered items, in their own places.
  package var remembered = Remembered()

  /// The paths and URLs from the command line; without any, the current folder.
  let roots: [String]
  /// The top of the library: the folder, if the user named exactly one; nil for the list of roots.
  private let top: String?
  /// The folder or place that is shown; nil for the roots.
  package private(set) var folder: String?

  /// The folder of the film with which the library was opened last; nil for none. It has the places, as the top has.
  private var filmFolder: String?

  /// Creates a library. Waits for the disk.
  package init(roots: [String]) {
    self.roots = roots.isEmpty ? [FileName.currentFolder] : roots
    top = self.roots.count == 1 && Self.isFolder(self.roots[0]) ? self.roots[0] : nil
    folder = top
  }

  /// Returns whether there is a folder at the path. Waits for the disk.
  package static func isFolder(_ path: String) -> Bool {
    FileName.status(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Returns the locations of a folder's films, or if it has none of its audio files, in the order in which people sort
  /// their names. Waits for the disk.
  package static func films(in folder: String) throws(FolderProblem) -> [String] {
    let entries = try LocalFileSystem().contents(of: folder)
    let films = entries.filter { $0.kind == .film }
    return (films.isEmpty ? entries.filter { $0.kind == .audio } : films).map(\.location)
  }

  /// Returns the folder in which a film or another folder is.
  package static func folder(of location: String) -> String {
    URL(fileURLWithPath: location).deletingLastPathComponent().path
  }

  /// Returns whether an item of the list is entered, not played.
  package func isPlace(_ id: String, in listing: FolderListing) -> Bool {
    Remembered.Place(rawValue: id) != nil
      || entries(listing).contains { $0.location == id && $0.kind == .folder }
  }

  /// The contents that are to be read from the disk; nil while a place is shown.
  package var subject: FolderListings.Subject? {
    if place != nil { return nil }
    return folder.map { .folder($0) } ?? .roots(roots)
  }

  /// The place that is shown; nil while a folder is shown.
  private var place: Remembered.Place? { folder.flatMap(Remembered.Place.init) }

  package var title: String {
    if let place { return place.title }
    return folder.map { FileName.shown(URL(fileURLWithPath: $0).lastPathComponent) } ?? "Films"
  }

  /// The level above a folder or place.
  package enum Parent: Hashable, Sendable {
    case roots
    /// A folder or place.
    case folder(String)
  }

  /// The level above the one that is shown; nil at the top.
  package var parent: Parent? {
    guard let folder else { return nil }
    if place != nil { return (filmFolder ?? top).map { .folder($0) } ?? .roots }
    if remembered.folders.contains(where: { $0.path == folder }), folder != top,
      folder != filmFolder
    {
      return .folder(Remembered.Place.folders.rawValue)
    }
    if roots.contains(folder), roots.count > 1 { return .roots }
    let parent = Self.folder(of: folder)
    return parent != folder ? .folder(parent) : top == nil ? .roots : nil
  }

  /// Shows a folder or place.
  package mutating func enter(_ folder: String) { self.folder = folder }

  /// Shows the folder of the film with which the library is opened.
  package mutating func open(filmFolder: String) {
    (folder, self.filmFolder) = (filmFolder, filmFolder)
  }

  /// Shows the ``parent``, if there is one.
  package mutating func leave() {
    switch parent {
    case .roots: folder = nil
    case .folder(let parent): folder = parent
    case nil: break
    }
  }

  /// Returns the entries to show.
  ///
  /// - Parameter listing: the listing of ``subject``; any for a place.
  package func entries(_ listing: FolderListing) -> [Entry] {
    if let place { return remembered.entries(of: place) }
    guard folder == top || folder == filmFolder else { return listing.entries }
    return remembered.places + listing.entries
  }
}

extension FilmShelf.Entry {
  /// - Parameter title: the title; nil for that of the file's name.
  package init(ofFileAt location: String, title: String? = nil, file: FilmShelf.FileKey? = nil) {
    let name = URL(fileURLWithPath: location).deletingPathExtension().lastPathComponent
    self.init(
      kind: MediaKind(fileNamed: location) == .audio ? .audio : .film,
      title: title ?? FileName.film(name), location: location, file: file)
  }
}
