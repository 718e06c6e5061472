import Foundation
import GroupActivities
import MediaLibrary

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

/// The lists about the remembered folders, parties, people and hosts.
extension Theater {
  /// More items than a reader would go through.
  static let listLimit = 200

  func list(folders: [MediaFolder]) {
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

  func list(files: [KnownFile]) {
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
  func list(parties: [RememberedParty]) {
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

  func list(people: [MetPerson]) {
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

  func list(hosts: [TrustedHost]) {
    emit(
      .listed(
        Listing("hosts", hosts, orElse: "No trusted servers") { host in
          ["host": host.name, "since": host.allowedAt.formatted(.iso8601)]
        } sentence: {
          "\($0.name), since \(Remembered.day($0.allowedAt))"
        }))
  }
}
