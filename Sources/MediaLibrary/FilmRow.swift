import Foundation
import GRDB
import Timekeeping

/// A watched film's row in the database.
struct FilmRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "film"

  var identifier: String
  var title: String
  var location: String
  /// The position in nanoseconds.
  var position: Int64
  var duration: Int64?
  /// Seconds since 1970.
  var watchedAt: Double

  init(_ film: WatchedFilm) {
    identifier = film.identifier
    title = film.title
    location = film.location
    position = film.position.nanoseconds
    duration = film.duration?.nanoseconds
    watchedAt = film.watchedAt.timeIntervalSince1970
  }

  var film: WatchedFilm {
    WatchedFilm(
      identifier: identifier, title: title, location: location,
      position: MediaTime(nanoseconds: position),
      duration: duration.map { MediaTime(nanoseconds: $0) },
      watchedAt: Date(timeIntervalSince1970: watchedAt))
  }
}
