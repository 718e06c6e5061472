import GRDB
import Timekeeping

/// Other copies of films, with their times on the films' own timelines.
extension MediaLibrary {
  /// Records the times of a copy, in place of an earlier record.
  ///
  /// - Parameters:
  ///   - copy: the identifier of the copy's content.
  ///   - film: the identifier of the film in whose place it is watched.
  /// - Throws: ``MediaLibraryError`` if the database can't be written.
  package func remember(
    copy: String, of film: String, _ timeline: CopyTimeline
  ) async throws(MediaLibraryError) {
    try await write { try CopyRow(film: film, copy: copy, timeline: timeline).upsert($0) }
  }

  /// Returns the remembered times of a copy; nil for an unknown one.
  ///
  /// - Throws: ``MediaLibraryError`` if the database can't be read.
  package func timeline(
    ofCopy copy: String, of film: String
  ) async throws(MediaLibraryError) -> CopyTimeline? {
    try await read { try CopyRow.fetchOne($0, key: ["film": film, "copy": copy])?.timeline }
  }
}

private struct CopyRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "copy"

  var film: String
  var copy: String
  var timeline: CopyTimeline
}
