import Foundation
import GroupActivities
import MediaLibrary

/// A command about the remembered folders, parties, people and hosts.
enum LibraryCommand: Hashable, Sendable {
  case folders
  case addFolder(String)
  case dropFolder(String)
  case scan
  case search(String)
  case parties
  /// The party's id; nil for the last party.
  case rejoin(String?)
  case forgetParty(String)
  case people
  case hosts
  case forgetHost(String)

  static let words = [
    "folders", "add-folder", "drop-folder", "scan", "search", "parties", "rejoin", "forget-party",
    "people", "hosts", "forget-host",
  ]

  init(_ word: String, _ rest: String) throws(HeadlessCommand.Problem) {
    func need(_ what: String) throws(HeadlessCommand.Problem) -> String {
      guard !rest.isEmpty else {
        throw HeadlessCommand.Problem(description: "\(word) needs \(what)")
      }
      return rest
    }
    switch word {
    case "folders": self = .folders
    case "add-folder": self = .addFolder(try need("a folder"))
    case "drop-folder": self = .dropFolder(try need("a folder. To list the folders, type: folders"))
    case "scan": self = .scan
    case "search": self = .search(try need("words of a film's name"))
    case "parties": self = .parties
    case "rejoin": self = .rejoin(rest.isEmpty ? nil : rest)
    case "forget-party":
      self = .forgetParty(try need("a party's id. To list the parties, type: parties"))
    case "people": self = .people
    case "hosts": self = .hosts
    case "forget-host":
      self = .forgetHost(try need("a server. To list the trusted servers, type: hosts"))
    default: preconditionFailure("\(word) is none of the library's")
    }
  }
}

/// The items of an answer, each as an object for programs and a sentence for people.
struct Listing: Sendable {
  var name: String
  var objects: [HeadlessEvents.Object]
  var sentences: [String]

  fileprivate init<Item>(
    _ name: String, _ items: [Item], orElse nothing: String,
    object: (Item) -> HeadlessEvents.Object, sentence: (Item) -> String
  ) {
    self.name = name
    objects = items.map(object)
    sentences = items.isEmpty ? [nothing] : items.map(sentence)
  }
}

extension Theater {
  /// More items than a reader would go through.
  private static let listLimit = 200

  func carryOut(_ command: LibraryCommand, _ hosting: PartyHosting.Options) async throws {
    guard let library = history?.library else { return }
    switch command {
    case .folders: list(folders: try await library.folders())
    case .addFolder(let path):
      guard let folder = Self.mediaFolder(path) else {
        throw HeadlessCommand.Problem(description: "There is no folder \(path).")
      }
      try await addFolder(folder)
    case .dropFolder(let path):
      guard try await dropFolder(path) else {
        throw HeadlessCommand.Problem(
          description: "\(path) isn't one of the media folders. To list them, type: folders")
      }
    case .scan: scanner?.scan()
    case .search(let query):
      list(files: try await library.search(query, limit: Self.listLimit))
    case .parties: list(parties: try await library.parties())
    case .rejoin(let id):
      let last = try await library.parties().first { $0.ending == nil }
      guard let id = id ?? last?.id else { throw RejoinProblem.unknown }
      try await rejoin(id, hosting)
    case .forgetParty(let id): try await forget(party: id)
    case .people: list(people: try await library.people(limit: Self.listLimit))
    case .hosts: list(hosts: try await library.hosts())
    case .forgetHost(let host): try await forget(host: host)
    }
  }

  private func list(folders: [MediaFolder]) {
    let nothing = "The library has no media folders. Add one with: add-folder FOLDER"
    emit(
      .listed(
        Listing("folders", folders, orElse: nothing) { folder in
          [
            "path": folder.path, "titles": folder.fileCount, "away": folder.isAway,
            "scanned": folder.scannedAt.map { $0.formatted(.iso8601) } ?? NSNull(),
          ]
        } sentence: { folder in
          let films = folder.fileCount == 1 ? "1 film" : "\(folder.fileCount) films"
          return "\(folder.path): \(folder.isAway ? "offline" : films)"
        }))
  }

  private func list(files: [KnownFile]) {
    emit(
      .listed(
        Listing("found", files, orElse: "No match") { file in
          [
            "path": file.path, "item": file.identifier ?? NSNull(),
            "duration": file.information?.duration.map { $0 / .seconds(1) } ?? NSNull(),
          ]
        } sentence: {
          $0.path
        }))
  }

  /// Lists the parties without their invites, which are secrets.
  private func list(parties: [RememberedParty]) {
    emit(
      .listed(
        Listing("parties", parties, orElse: "No recent parties") { party in
          [
            "party": party.id, "name": Participant.ID(party.id).map(PartyName.of) ?? NSNull(),
            "title": party.title ?? NSNull(), "as": party.name, "host": party.isHost,
            "last": party.seenAt.formatted(.iso8601), "ending": party.ending ?? NSNull(),
          ]
        } sentence: { party in
          let name = Participant.ID(party.id).map(PartyName.of) ?? ""
          let state = party.ending ?? (party.isHost ? "yours" : "as \(party.name)")
          return "\(name), \(state), \(Remembered.day(party.seenAt)): rejoin \(party.id)"
        }))
  }

  private func list(people: [MetPerson]) {
    emit(
      .listed(
        Listing("people", people, orElse: "You haven't met anyone yet") { person in
          [
            "name": person.name, "party": person.party, "id": person.key,
            "met": person.metAt.formatted(.iso8601), "last": person.seenAt.formatted(.iso8601),
          ]
        } sentence: {
          "\($0.name), last on \(Remembered.day($0.seenAt))"
        }))
  }

  private func list(hosts: [TrustedHost]) {
    emit(
      .listed(
        Listing("hosts", hosts, orElse: "No trusted servers") { host in
          ["host": host.name, "since": host.allowedAt.formatted(.iso8601)]
        } sentence: {
          "\($0.name), since \(Remembered.day($0.allowedAt))"
        }))
  }
}
