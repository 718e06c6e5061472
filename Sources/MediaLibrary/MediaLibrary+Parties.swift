import Foundation
import GRDB

/// Parties, the people met in them, and the trusted hosts of films.
extension MediaLibrary {
  // MARK: - Parties

  /// Records a party, in place of an earlier record, and keeps the fifty seen last.
  ///
  /// - Throws: ``MediaLibraryError`` if the database can't be written.
  package func remember(_ party: RememberedParty) async throws(MediaLibraryError) {
    try await write { database in
      try PartyRow(party).upsert(database)
      // An unused invite is a secret that need not be kept.
      try database.execute(
        sql: """
          DELETE FROM party WHERE id NOT IN
            (SELECT id FROM party ORDER BY seenAt DESC LIMIT \(Self.partyLimit))
          """)
    }
  }

  /// The number of parties that are kept; older ones are forgotten.
  static let partyLimit = 50

  /// Returns a remembered party; nil for an unknown one.
  ///
  /// - Parameter id: the party's public id.
  /// - Throws: ``MediaLibraryError`` if the database can't be read.
  package func party(_ id: String) async throws(MediaLibraryError) -> RememberedParty? {
    try await read { try PartyRow.fetchOne($0, key: id)?.party }
  }

  /// Returns the parties, the latest first.
  package func parties() async throws(MediaLibraryError) -> [RememberedParty] {
    try await read { try PartyRow.order(Column("seenAt").desc).fetchAll($0).map(\.party) }
  }

  /// Changes a remembered party. An unknown party is ignored.
  package func update(
    party id: String, _ change: @escaping @Sendable (inout RememberedParty) -> Void
  ) async throws(MediaLibraryError) {
    try await write { database in
      guard var party = try PartyRow.fetchOne(database, key: id)?.party else { return }
      change(&party)
      try PartyRow(party).update(database)
    }
  }

  /// Forgets a party, and all people met in it.
  package func forget(party id: String) async throws(MediaLibraryError) {
    try await write { database in
      try database.execute(sql: "DELETE FROM party WHERE id = ?", arguments: [id])
      try database.execute(sql: "DELETE FROM person WHERE party = ?", arguments: [id])
    }
    try await clearJournal()
  }

  // MARK: - People

  /// Records that a person is present now.
  ///
  /// - Parameter since: the time at which this user joined: people met since then don't count as known from before.
  /// - Returns: the earlier records of the person.
  package func meet(
    _ person: MetPerson, since: Date
  ) async throws(MediaLibraryError) -> Acquaintance {
    try await write { database in
      let known = try PersonRow.fetchOne(
        database, key: ["party": person.party, "key": person.key])?.person
      var acquaintance = Acquaintance(before: known.flatMap { $0.metAt < since ? $0 : nil })
      if known == nil {
        let others = try PersonRow.filter(Column("party") == person.party)
          .order(Column("seenAt").desc).limit(Self.peopleInOneParty).fetchAll(database)
        acquaintance.namesake =
          others.first {
            $0.name.lowercased() == person.name.lowercased()
              && $0.metAt < since.timeIntervalSince1970
          }?.person
      }
      var row = PersonRow(person)
      if let known { row.metAt = known.metAt.timeIntervalSince1970 }
      try row.upsert(database)
      if known == nil {
        // Remove the person seen longest ago.
        try database.execute(
          sql: """
            DELETE FROM person WHERE (SELECT count(*) FROM person) > \(Self.peopleLimit)
              AND rowid = (SELECT rowid FROM person ORDER BY seenAt LIMIT 1)
            """)
      }
      return acquaintance
    }
  }

  private static let peopleInOneParty = 500
  static let peopleLimit = 2000

  /// Returns the people seen most recently, the latest first.
  package func people(limit: Int) async throws(MediaLibraryError) -> [MetPerson] {
    try await read { database in
      try PersonRow.order(Column("seenAt").desc).limit(limit).fetchAll(database).map(\.person)
    }
  }

  /// Forgets a person that was met in a party. An unknown person is ignored.
  ///
  /// - Parameters:
  /// - key: ``MetPerson/key``.
  /// - party: the party's public id.
  /// - Throws: ``MediaLibraryError`` if the database can't be written.
  package func forget(person key: String, of party: String) async throws(MediaLibraryError) {
    try await write { database in
      try database.execute(
        sql: "DELETE FROM person WHERE party = ? AND key = ?", arguments: [party, key])
    }
  }

  // MARK: - Hosts

  /// Trusts a host: films on it open without asking from now on.
  ///
  /// - Parameter name: the host's name, in any case.
  /// - Throws: ``MediaLibraryError`` if the database can't be written.
  package func allow(host name: String) async throws(MediaLibraryError) {
    try await write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO host (name, allowedAt) VALUES (?, ?)",
        arguments: [name.lowercased(), Date().timeIntervalSince1970])
    }
  }

  /// Returns the trusted hosts in the order of their names.
  package func hosts() async throws(MediaLibraryError) -> [TrustedHost] {
    try await read { database in
      try Row.fetchAll(database, sql: "SELECT name, allowedAt FROM host ORDER BY name").map {
        TrustedHost(name: $0["name"], allowedAt: Date(timeIntervalSince1970: $0["allowedAt"]))
      }
    }
  }

  /// Removes a trusted host.
  ///
  /// - Returns: false if the host wasn't trusted.
  @discardableResult
  package func forget(host name: String) async throws(MediaLibraryError) -> Bool {
    try await write { database in
      try database.execute(sql: "DELETE FROM host WHERE name = ?", arguments: [name.lowercased()])
      return database.changesCount > 0
    }
  }
}

// MARK: - Rows

private struct PartyRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "party"

  var id: String
  var invite: String
  var identity: Data
  var name: String
  var title: String?
  var playlist: Data?
  var isHost: Bool
  var port: Int?
  /// Seconds since 1970.
  var seenAt: Double
  var policyLog: Data?
  var ending: String?

  init(_ party: RememberedParty) {
    id = party.id
    invite = party.invite
    identity = Data(party.identity)
    name = party.name
    title = party.title
    playlist = party.playlist
    isHost = party.isHost
    port = party.port
    seenAt = party.seenAt.timeIntervalSince1970
    policyLog = party.policyLog
    ending = party.ending
  }

  var party: RememberedParty {
    RememberedParty(
      id: id, invite: invite, identity: Array(identity), name: name, title: title,
      playlist: playlist, isHost: isHost, port: port,
      seenAt: Date(timeIntervalSince1970: seenAt), policyLog: policyLog, ending: ending)
  }
}

private struct PersonRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "person"

  var party: String
  var key: String
  var name: String
  /// Seconds since 1970.
  var metAt: Double
  var seenAt: Double

  init(_ person: MetPerson) {
    party = person.party
    key = person.key
    name = person.name
    metAt = person.metAt.timeIntervalSince1970
    seenAt = person.seenAt.timeIntervalSince1970
  }

  var person: MetPerson {
    MetPerson(
      party: party, key: key, name: name, metAt: Date(timeIntervalSince1970: metAt),
      seenAt: Date(timeIntervalSince1970: seenAt))
  }
}

/// A server from which the films of parties are opened without asking.
package struct TrustedHost: Hashable, Sendable {
  /// The host's name in lower case.
  package var name: String
  /// The time at which the user agreed.
  package var allowedAt: Date
}
