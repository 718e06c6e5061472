import AVFormat
import Concurrency
import FileNames
import Foundation
import MPVPlayer
import MediaLibrary
import Screening
import WatchTogether

/// Reading films' identities.
extension FilmIdentity {
  /// - Throws: ``FilmError`` for a file that isn't there, can't be read, or is empty, and for a URL that is too long.
  package init(_ location: String) throws(FilmError) {
    if let scheme = Self.scheme(of: location), scheme != "file" {
      guard location.utf8.count <= PlaylistEntry.locationLimit else {
        throw .longAddress(bytes: location.utf8.count)
      }
      self.init(
        identifier: FilmIdentifier.ofStream(location),
        title: Self.title(ofStream: location), location: location)
      return
    }
    let path = Self.path(location)
    self.init(identifier: try FilmIdentifier.ofFile(path), path: path)
  }

  /// Returns the absolute path of a file that the user named.
  static func path(_ location: String) -> String {
    let named = FileName.path(ofURL: location) ?? FileName.expandingHome(location)
    let path = named.hasPrefix("/") ? named : FileName.currentFolder + "/" + named
    return URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// Returns the locations of the films that a playlist's file lists; nil for any other file. Waits for the disk.
  package static func films(listedIn location: String) -> [String]? {
    if let scheme = scheme(of: location), scheme != "file" { return nil }
    return FileList.films(in: path(location))
  }

  /// Returns the locations of the films in a folder; nil for anything else. Waits for the disk.
  ///
  /// - Throws: the reason why there are none, as text for the user.
  static func films(inFolder location: String) throws(UserCommandProblem) -> [String]? {
    if let scheme = scheme(of: location), scheme != "file" { return nil }
    let folder = path(location)
    guard FilmShelf.isFolder(folder) else { return nil }
    let name = FileName.shown(folder)
    let films: [String]
    do throws(FolderProblem) { films = try FilmShelf.films(in: folder) } catch {
      throw UserCommandProblem("Can't read the folder \(name): \(error.reason)")
    }
    if films.isEmpty { throw UserCommandProblem("There are no films in the folder \(name)") }
    return films
  }

  /// Reads a film's identity without blocking the caller: a disk may have to spin up first.
  package static func read(_ location: String) async throws(FilmError) -> FilmIdentity {
    try await OwnedThread.run("film") {
      Result { () throws(FilmError) in
        do throws(FilmError) {
          return try FilmIdentity(location).named
        } catch {
          // A typed name may have a space before or after it, which a file's own name rarely has.
          let trimmed = location.trimmingCharacters(in: .whitespaces)
          guard case .missing = error, trimmed != location, !trimmed.isEmpty else { throw error }
          return try FilmIdentity(trimmed).named
        }
      }
    }.get()
  }

  /// The film with the title in its file's headers, if there is one. Waits for the disk.
  package var named: FilmIdentity {
    guard !isStream, let title = MediaInformation.read(location)?.shownTitle else { return self }
    var film = self
    film.title = title
    return film
  }

  /// Returns a Boolean value that indicates whether a location is that of a file that was changed within the last
  /// minute: it may still be on its way to this disk.
  static func wasJustWritten(_ location: String) -> Bool {
    guard scheme(of: location) == nil, let status = FileName.status(of: location) else {
      return false
    }
    return time(nil) - status.st_mtim.tv_sec < 60
  }

  /// Creates the identity of a file whose content is known. Waits for the disk.
  package init(identifier: String, path: String) {
    self.init(
      identifier: identifier,
      title: FileName.film(URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent),
      location: path)
    fileSize = FileName.status(of: path).map { Int($0.st_size) }
  }

  /// Returns a file's name, or a page's whole address, since a name like "watch" is not specific. Credentials in the
  /// URL are omitted.
  private static func title(ofStream location: String) -> String {
    let name = location.split(whereSeparator: "?#".contains).first?.split(separator: "/").last
      .map { $0.removingPercentEncoding ?? String($0) }
    guard let parts = URLComponents(string: location), let host = parts.host, !host.isEmpty else {
      return name ?? location
    }
    if let name, parts.path.count > 1, name.contains(".") { return name }
    let page = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
    return (host.hasPrefix("www.") ? String(host.dropFirst(4)) : host) + page
      + (parts.query.map { "?" + $0 } ?? "")
  }
}
