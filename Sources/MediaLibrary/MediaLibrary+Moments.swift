import Foundation
import GRDB
import Timekeeping

/// A place in a film that several people marked.
package struct MarkedMoment: Hashable, Sendable {
  /// The film's identifier.
  package var film: String
  package var title: String
  package var position: MediaTime
  package var names: [String]
  /// The path of the picture's file; nil without one.
  package var picture: String?

  package init(
    film: String, title: String, position: MediaTime, names: [String], picture: String? = nil
  ) {
    (self.film, self.title, self.position) = (film, title, position)
    (self.names, self.picture) = (names, picture)
  }
}

/// Moments of films.
extension MediaLibrary {
  /// The largest number of moments that are remembered; the oldest are forgotten first.
  static let momentLimit = 1000

  /// Records a moment, in place of an earlier record of the same position.
  ///
  /// - Throws: ``MediaLibraryError`` if the database can't be written.
  package func remember(_ moment: MarkedMoment) async throws(MediaLibraryError) {
    try await write { database in
      try MomentRow(moment, markedAt: Date().timeIntervalSince1970).upsert(database)
      let old = MomentRow.order(Column("markedAt").desc).limit(-1, offset: Self.momentLimit)
      for row in try old.fetchAll(database) {
        try row.delete(database)
        if let picture = row.picture { try? FileManager.default.removeItem(atPath: picture) }
      }
    }
  }

  /// Returns the moments, those of the film that was marked last first, each film's by their positions.
  ///
  /// - Throws: ``MediaLibraryError`` if the database can't be read.
  package func moments(limit: Int) async throws(MediaLibraryError) -> [MarkedMoment] {
    try await read { database in
      let rows = try MomentRow.order(Column("markedAt").desc).limit(limit).fetchAll(database)
      let films = rows.map(\.film).reduce(into: [String]()) { films, film in
        if !films.contains(film) { films.append(film) }
      }
      return films.flatMap { film in
        rows.filter { $0.film == film }.sorted { $0.position < $1.position }.map(\.moment)
      }
    }
  }

  /// Writes a moment's picture to a file that only this user can read.
  ///
  /// - Parameter picture: the contents of a picture file.
  /// - Returns: the file's path; nil if it couldn't be written.
  package func keep(_ picture: [UInt8], of moment: MarkedMoment) -> String? {
    guard let folder = self.folder?.appendingPathComponent("moments") else { return nil }
    let manager = FileManager.default
    let isPNG = picture.starts(with: [0x89, 0x50, 0x4E, 0x47])
    let name = moment.film.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.suffix(32)
    let file = folder.appendingPathComponent(
      "\(name)-\(moment.position.nanoseconds / 1_000_000).\(isPNG ? "png" : "jpg")")
    do {
      try manager.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { return nil }
    return manager.createFile(
      atPath: file.path, contents: Data(picture), attributes: [.posixPermissions: 0o600])
      ? file.path : nil
  }
}

private struct MomentRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "moment"

  var film: String
  /// The position in nanoseconds.
  var position: Int64
  var title: String
  var names: [String]
  var picture: String?
  /// Seconds since 1970.
  var markedAt: Double

  init(_ moment: MarkedMoment, markedAt: Double) {
    (film, title, names) = (moment.film, moment.title, moment.names)
    position = moment.position.nanoseconds
    picture = moment.picture
    self.markedAt = markedAt
  }

  var moment: MarkedMoment {
    MarkedMoment(
      film: film, title: title, position: MediaTime(nanoseconds: position), names: names,
      picture: picture)
  }
}
