import Foundation
import Screening

/// The lists of what is remembered.
extension ScreeningEvent.Listing {
  package init(folders: [MediaFolder]) {
    self = .folders(
      folders.map {
        .init(path: $0.path, titles: $0.fileCount, isAway: $0.isAway, scanned: $0.scannedAt)
      })
  }

  package init(moments: [MarkedMoment]) {
    self = .moments(
      moments.map {
        .init(title: $0.title, position: $0.position, names: $0.names, picture: $0.picture)
      })
  }

  package init(files: [KnownFile]) {
    self = .found(
      files.map { file in
        .init(
          path: file.path, item: file.identifier,
          duration: file.information?.duration.map { $0 / .seconds(1) })
      })
  }

  /// Lists the parties without their invites, which are secrets.
  package init(parties: [RememberedParty]) {
    self = .parties(
      parties.map {
        .init(
          party: $0.id, title: $0.title, ownName: $0.name, isHost: $0.isHost, last: $0.seenAt,
          ending: $0.ending)
      })
  }

  package init(people: [MetPerson]) {
    self = .people(
      people.map {
        .init(name: $0.name, party: $0.party, id: $0.key, met: $0.metAt, last: $0.seenAt)
      })
  }

  package init(hosts: [TrustedHost]) {
    self = .hosts(hosts.map { .init(host: $0.name, since: $0.allowedAt) })
  }
}
