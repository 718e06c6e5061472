import Foundation
import MediaLibrary
import Screening

/// The lists about the remembered folders, parties, people and hosts.
extension Theater {
  /// More items than a reader would go through.
  static let listLimit = 200

  func list(folders: [MediaFolder]) {
    emit(
      .listed(
        .folders(
          folders.map {
            .init(path: $0.path, titles: $0.fileCount, isAway: $0.isAway, scanned: $0.scannedAt)
          })))
  }

  func list(files: [KnownFile]) {
    emit(
      .listed(
        .found(
          files.map { file in
            .init(
              path: file.path, item: file.identifier,
              duration: file.information?.duration.map { $0 / .seconds(1) })
          })))
  }

  /// Lists the parties without their invites, which are secrets.
  func list(parties: [RememberedParty]) {
    emit(
      .listed(
        .parties(
          parties.map {
            .init(
              party: $0.id, title: $0.title, ownName: $0.name, isHost: $0.isHost, last: $0.seenAt,
              ending: $0.ending)
          })))
  }

  func list(people: [MetPerson]) {
    emit(
      .listed(
        .people(
          people.map {
            .init(name: $0.name, party: $0.party, id: $0.key, met: $0.metAt, last: $0.seenAt)
          })))
  }

  func list(hosts: [TrustedHost]) {
    emit(.listed(.hosts(hosts.map { .init(host: $0.name, since: $0.allowedAt) })))
  }
}
