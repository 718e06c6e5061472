import Crypto
import Foundation
import GRDB

/// A remark about a film, as it is remembered.
package struct KeptRemark: Hashable, Sendable, Codable {
  package var author: String
  package var text: String
  /// The position in the film, in milliseconds.
  package var position: Int

  package init(author: String, text: String, position: Int) {
    (self.author, self.text, self.position) = (author, text, position)
  }
}

/// Remarks about films. They are encrypted with a key in a file of its own: a copy of the library alone shows nothing.
extension MediaLibrary {
  /// The largest number of remarks that are remembered about a film; the oldest are forgotten first.
  static let remarkLimit = 2000
  static let keyName = "remarks.key"

  /// Records a remark about a film.
  ///
  /// - Throws: ``MediaLibraryError`` if the database can't be written, or the key's file.
  package func remember(
    _ remark: KeptRemark, about film: String
  ) async throws(MediaLibraryError) {
    let folder = folder
    try await write { database in
      let key = try Self.remarkKey(in: folder, create: true)
      guard let key else { return }
      let box = try ChaChaPoly.seal(
        JSONEncoder().encode(remark), using: key, authenticating: Data(film.utf8))
      try database.execute(
        sql: "INSERT INTO remark (film, box) VALUES (?, ?)", arguments: [film, box.combined])
      try database.execute(
        sql: """
          DELETE FROM remark WHERE film = ? AND id NOT IN
            (SELECT id FROM remark WHERE film = ? ORDER BY id DESC LIMIT ?)
          """, arguments: [film, film, Self.remarkLimit])
    }
  }

  /// Returns what is remembered about a film, without what this key can't read.
  ///
  /// - Throws: ``MediaLibraryError`` if the database can't be read, or the key's file.
  package func remarks(about film: String) async throws(MediaLibraryError) -> [KeptRemark] {
    let folder = folder
    return try await read { database in
      guard let key = try Self.remarkKey(in: folder, create: false) else { return [] }
      let boxes = try Data.fetchAll(
        database, sql: "SELECT box FROM remark WHERE film = ? ORDER BY id", arguments: [film])
      return boxes.compactMap { box in
        guard let box = try? ChaChaPoly.SealedBox(combined: box),
          let bytes = try? ChaChaPoly.open(box, using: key, authenticating: Data(film.utf8))
        else { return nil }
        return try? JSONDecoder().decode(KeptRemark.self, from: bytes)
      }
    }
  }

  /// - Returns: nil for a library in memory, and without a key if none is made.
  private static func remarkKey(in folder: URL?, create: Bool) throws -> SymmetricKey? {
    guard let file = folder?.appendingPathComponent(keyName) else { return nil }
    if let bytes = FileManager.default.contents(atPath: file.path), bytes.count == 32 {
      return SymmetricKey(data: bytes)
    }
    guard create else { return nil }
    let key = SymmetricKey(size: .bits256)
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: key.withUnsafeBytes { Data($0) },
        attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    return key
  }
}
