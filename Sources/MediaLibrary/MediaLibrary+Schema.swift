import Foundation
import GRDB

/// The database's schema. A released migration is never changed: a new one follows it.
extension MediaLibrary {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("what was watched, and what is in files") { database in
      try database.create(table: "film") { table in
        table.primaryKey("identifier", .text)
        table.column("title", .text).notNull()
        table.column("location", .text).notNull()
        table.column("position", .integer).notNull()
        table.column("duration", .integer)
        table.column("watchedAt", .double).notNull().indexed()
      }
      try database.create(table: "file") { table in
        table.primaryKey("path", .text)
        table.column("size", .integer).notNull()
        table.column("modified", .integer).notNull()
        table.column("identifier", .text).indexed()
        table.column("information", .jsonText)
      }
    }
    migrator.registerMigration("media folders") { database in
      try database.create(table: "folder") { table in
        table.primaryKey("path", .text)
        table.column("addedAt", .double).notNull()
        table.column("scannedAt", .double)
        table.column("isAway", .boolean).notNull().defaults(to: false)
        // The folders with mounted disks at the last scan, as JSON.
        table.column("mounts", .jsonText).notNull().defaults(to: "[]")
      }
      try database.alter(table: "file") { table in
        table.add(column: "directory", .text).notNull().defaults(to: "")
        table.add(column: "words", .text).notNull().defaults(to: "")
        table.add(column: "inode", .integer)
        table.add(column: "isRead", .boolean).notNull().defaults(to: false)
        table.add(column: "isAway", .boolean).notNull().defaults(to: false)
      }
      let paths = try String.fetchAll(database, sql: "SELECT path FROM file")
      for path in paths {
        try database.execute(
          sql:
            "UPDATE file SET directory = ?, words = ?, isRead = identifier NOTNULL WHERE path = ?",
          arguments: [FileRow.directory(of: path), SearchWords.of(path: path, title: nil), path])
      }
      try database.create(indexOn: "file", columns: ["directory"])
      try database.create(indexOn: "file", columns: ["inode"])
      try database.create(
        index: "fileToRead", on: "file", columns: ["path"],
        condition: !Column("isRead") && !Column("isAway"))
    }
    migrator.registerMigration("parties, people and hosts") { database in
      try database.create(table: "party") { table in
        table.primaryKey("id", .text)
        table.column("invite", .text).notNull()
        table.column("identity", .blob).notNull()
        table.column("name", .text).notNull()
        table.column("title", .text)
        table.column("isHost", .boolean).notNull()
        table.column("port", .integer)
        table.column("seenAt", .double).notNull()
        table.column("ending", .text)
      }
      try database.create(table: "person") { table in
        table.primaryKey {
          table.column("party", .text)
          table.column("key", .text)
        }
        table.column("name", .text).notNull()
        table.column("metAt", .double).notNull()
        table.column("seenAt", .double).notNull().indexed()
      }
      try database.create(table: "host") { table in
        table.primaryKey("name", .text)
        table.column("allowedAt", .double).notNull()
      }
    }
    migrator.registerMigration("policy logs of parties") { database in
      try database.alter(table: "party") { table in table.add(column: "policyLog", .blob) }
    }
    migrator.registerMigration("films of parties") { database in
      try database.alter(table: "party") { table in table.add(column: "playlist", .blob) }
    }
    migrator.registerMigration("copies of films") { database in
      try database.create(table: "copy") { table in
        table.primaryKey {
          table.column("film", .text)
          table.column("copy", .text)
        }
        table.column("timeline", .jsonText).notNull()
      }
    }
    migrator.registerMigration("moments of films") { database in
      try database.create(table: "moment") { table in
        table.primaryKey {
          table.column("film", .text)
          table.column("position", .integer)
        }
        table.column("title", .text).notNull()
        table.column("names", .jsonText).notNull()
        table.column("picture", .text)
        table.column("markedAt", .double).notNull().indexed()
      }
    }
    migrator.registerMigration("remarks about films") { database in
      try database.create(table: "remark") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("film", .text).notNull().indexed()
        table.column("box", .blob).notNull()
      }
    }
    return migrator
  }
}
