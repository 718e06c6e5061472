import GRDB

/// The contents of files.
extension MediaLibrary {
  /// Records a file's version and contents, in place of an earlier record of the same path.
  ///
  /// - Throws: ``MediaLibraryError`` if the database can't be written.
  package func remember(_ file: KnownFile) async throws(MediaLibraryError) {
    try await write { database in
      let inode = try FileRow.fetchOne(database, key: file.path)?.inode
      try FileRow(file, inode: inode).upsert(database)
    }
  }

  /// Returns the known information about these files, by path. The caller must compare the versions: information about
  /// another version of a file is not valid.
  package func files(_ paths: [String]) async throws(MediaLibraryError) -> [String: KnownFile] {
    try await read { database in
      let rows = try FileRow.fetchAll(database, keys: paths)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.path, $0.file) })
    }
  }

  /// Returns files that have contained this film; they may have changed or gone.
  package func files(of identifier: String) async throws(MediaLibraryError) -> [KnownFile] {
    try await read { database in
      try FileRow.filter(Column("identifier") == identifier && !Column("isAway"))
        .order(Column("path")).limit(Self.copyLimit).fetchAll(database).map(\.file)
    }
  }

  /// Returns the sizes of all known files, in bytes.
  package func fileSizes() async throws(MediaLibraryError) -> Set<Int> {
    try await read { database in
      Set(try Int.fetchAll(database, sql: "SELECT DISTINCT size FROM file WHERE NOT isAway"))
    }
  }

  /// The limit of copies of one film; one of them is enough.
  private static let copyLimit = 64

  /// Returns the files whose names, folders or titles contain all of these words, in the order of their names.
  ///
  /// - Parameter query: the words as typed; an empty query finds no files.
  package func search(
    _ query: String, limit: Int
  ) async throws(MediaLibraryError) -> [KnownFile] {
    let words = SearchWords.of(query: query)
    guard !words.isEmpty else { return [] }
    return try await read { database in
      // SQLite scans tens of thousands of names in some milliseconds: an index of their parts isn't worth maintaining.
      let conditions = Array(repeating: "instr(words, ?) > 0", count: words.count)
      return try FileRow.fetchAll(
        database,
        sql: """
          SELECT * FROM file WHERE NOT isAway AND \(conditions.joined(separator: " AND "))
          ORDER BY words, path LIMIT \(limit)
          """,
        arguments: StatementArguments(words)
      ).map(\.file)
    }
  }
}
