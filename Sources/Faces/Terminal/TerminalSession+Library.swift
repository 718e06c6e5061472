import Concurrency
import FileNames
import Foundation
import GroupActivities
import MPVPlayer
import MatineeKit
import MediaLibrary
import Screening
import TerminalUI

/// The user's changes to the remembered folders, films, parties, people and hosts.
extension TerminalSession {
  func readRemembered() async {
    let scan = library.remembered.scan
    library.remembered = await index?.remembered ?? Remembered()
    library.remembered.scan = scan
    let problem = await index?.problem
    if let problem, problem != shownProblem { show(problem, .error) }
    shownProblem = problem
  }

  /// Returns the names in a folder of a path that is being typed; none if its disk doesn't answer.
  static func names(in folder: String) async -> [PathCompletion.Entry] {
    await OwnedThread.run("library", atMost: .seconds(2)) {
      let folder = FileName.expandingHome(folder)
      let names = FileName.names(in: folder.isEmpty ? "." : folder) ?? []
      return names.sorted { $0.localizedStandardCompare($1) == .orderedAscending }.map { name in
        PathCompletion.Entry(
          name: name, isFolder: FilmShelf.isFolder(folder + name),
          isFilm: MediaKind(fileNamed: name) != nil || FileList.isList(name))
      }
    } ?? []
  }

  /// Forgets an item. Only a party is confirmed first; the other items return when they are seen again.
  func forget(_ id: String) async throws {
    let known = library.remembered
    let name: String
    switch RememberedItem(id: id) {
    case .party(let party)?:
      try await program.perform(.library(.forgetParty(party)))
      name = Participant.ID(party).map(PartyName.of) ?? "the party"
    case .person(let party, let key)?:
      try await program.forget(person: key, of: party)
      name = known.people.first { $0.party == party && $0.key == key }?.name ?? "a participant"
    case .host(let host)?:
      try await program.perform(.library(.forgetHost(host)))
      name = host
    case nil:
      if library.folder == Remembered.Place.recent.rawValue,
        let film = known.recent.first(where: { $0.location == id })
      {
        try await program.forget(film: film.identifier)
        name = film.title
      } else if known.folders.contains(where: { $0.path == id }) {
        try await program.perform(.library(.dropFolder(id)))
        name = id
      } else {
        return show("Nothing to remove", .information)
      }
    }
    await index?.refresh()
    await readRemembered()
    if let place = library.folder.flatMap(Remembered.Place.init),
      library.remembered.entries(of: place).isEmpty
    {
      library.leave()
    }
    show("Removed \(PartyText.clean(name, limit: 100)) from the list", .information)
  }
}
