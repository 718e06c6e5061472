import GRDB

/// What is in files.
extension MediaLibrary {
  public func remember(_ file: KnownFile) async throws(MediaLibraryError) {
    try await write { database in
      let inode = try FileRow.fetchOne(database, key: file.path)?.inode
      try FileRow(file, inode: inode).upsert(database)
    }
  }

  /// What is known of these files, by path; of another version of a file it counts for nothing, which is for the
  /// caller to see.
  public func files(_ paths: [String]) async throws(MediaLibraryError) -> [String: KnownFile] {
    try await read { database in
      let rows = try FileRow.fetchAll(database, keys: paths)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.path, $0.file) })
    }
  }

  /// Files that have been this film: they may have changed or gone.
  public func files(of identifier: String) async throws(MediaLibraryError) -> [KnownFile] {
    try await read { database in
      try FileRow.filter(Column("identifier") == identifier && !Column("isAway"))
        .order(Column("path")).limit(Self.copyLimit).fetchAll(database).map(\.file)
    }
  }

  /// Nobody has more copies of one film, and one is enough.
  private static let copyLimit = 64

  /// The files in whose names, folders or titles all of these words are, in the order of their names.
  ///
  /// - Parameter query: as somebody types it; nothing is found for nothing.
  public func search(
    _ query: String, limit: Int
  ) async throws(MediaLibraryError) -> [KnownFile] {
    let words = SearchWords.of(query: query)
    guard !words.isEmpty else { return [] }
    return try await read { database in
      // Tens of thousands of names are read in some milliseconds: an index of their parts isn't worth its keeping.
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
