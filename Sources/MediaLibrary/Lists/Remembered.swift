import Foundation
import GroupActivities
import Screening

/// The remembered items from earlier runs, in the places that the library shows beside the folders.
package struct Remembered: Sendable {
  /// A place of the library. No path begins with one of the raw values.
  package enum Place: String, CaseIterable, Sendable {
    case recent = "recent:"
    case parties = "parties:"
    case folders = "folders:"
    case people = "people:"
    case hosts = "hosts:"

    var title: String {
      switch self {
      case .recent: "Recently watched"
      case .parties: "Recent parties"
      case .folders: "Media folders"
      case .people: "People"
      case .hosts: "Trusted servers"
      }
    }
  }

  /// The films that were watched last, the latest first.
  package var recent: [WatchedFilm] = []
  /// The files of the recent films, by location, as far as the disk answered.
  var files: [String: FilmShelf.FileKey] = [:]
  package var folders: [MediaFolder] = []
  package var parties: [RememberedParty] = []
  package var people: [MetPerson] = []
  /// The moments that several people marked, by the films' identifiers.
  package var moments: [String: [MarkedMoment]] = [:]
  var hosts: [TrustedHost] = []
  /// The progress of a scan; nil while no folder is scanned.
  package var scan: ScreeningEvent.Scan?

  package init() {}

  /// The places that aren't empty.
  var places: [FilmShelf.Entry] {
    Place.allCases.compactMap { place in
      let count = entries(of: place).count
      guard count > 0 else { return nil }
      return FilmShelf.Entry(
        kind: .place, title: place.title, location: place.rawValue,
        note: place == .folders
          ? scan?.note ?? String(count) : place == .recent ? nil : String(count))
    }
  }

  package func entries(of place: Place) -> [FilmShelf.Entry] {
    switch place {
    case .recent:
      recent.map {
        FilmShelf.Entry(ofFileAt: $0.location, title: $0.title, file: files[$0.location])
      }
    case .folders:
      folders.map { folder in
        FilmShelf.Entry(
          kind: .folder, title: folder.path, location: folder.path,
          note: folder.isAway ? "offline" : "\(folder.fileCount) titles")
      }
    case .parties:
      parties.map { party in
        let name = Participant.ID(party.id).map(PartyName.of) ?? party.id
        let title = party.title.map { PartyText.clean($0, limit: 200) }
        let state = party.ending ?? (party.isHost ? "yours" : "as \(party.name)")
        return FilmShelf.Entry(
          kind: .party, title: name + (title.map { ": \($0)" } ?? ""),
          location: RememberedItem.party(party.id).id,
          note: "\(state), \(StoryWords.day(party.seenAt))")
      }
    case .people:
      people.map { person in
        let party = Participant.ID(person.party).map(PartyName.of) ?? person.party
        return FilmShelf.Entry(
          kind: .fact, title: PartyText.clean(person.name, limit: 100),
          location: RememberedItem.person(party: person.party, key: person.key).id,
          note: "in \(party), \(StoryWords.day(person.seenAt)), key \(person.key.prefix(8))")
      }
    case .hosts:
      hosts.map { host in
        FilmShelf.Entry(
          kind: .fact, title: host.name, location: RememberedItem.host(host.name).id,
          note: "since \(StoryWords.day(host.allowedAt))")
      }
    }
  }
}

extension ScreeningEvent.Scan {
  /// The progress as text: "reading 1200 of 50000"; nil at the end of the scan.
  fileprivate var note: String? {
    switch phase {
    case .looking: "scanning: \(seen)"
    case .reading: "reading \(read) of \(toRead)"
    case .idle: nil
    }
  }
}

/// An item in one of the places that is not a file.
package enum RememberedItem: Hashable, Sendable {
  case party(String)
  case person(party: String, key: String)
  case host(String)

  /// The item's identifier, which differs from every path.
  var id: String {
    switch self {
    case .party(let id): "party:" + id
    case .person(let party, let key): "person:\(party)/\(key)"
    case .host(let name): "host:" + name
    }
  }

  package init?(id: String) {
    let parts = id.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "party": self = .party(parts[1])
    case "host": self = .host(parts[1])
    case "person":
      let words = parts[1].split(separator: "/").map(String.init)
      guard words.count == 2 else { return nil }
      self = .person(party: words[0], key: words[1])
    default: return nil
    }
  }
}
