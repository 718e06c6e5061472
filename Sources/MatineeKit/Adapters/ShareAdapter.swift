import AVFormat
import Concurrency
import Foundation
import GroupActivities
import GroupJournal
import Screening
import WatchTogether

/// Performs the effects on films that participants share.
@ScreeningActor
final class ShareAdapter {
  private let runner: LoopRunner
  private let films: SharedFilms
  private var journal: GroupSessionJournal?
  /// This participant's own films in the journal.
  private var given: [GroupSessionJournal.Attachment] = []
  private var tasks: [Task<Void, Never>] = []

  init(runner: LoopRunner, films: SharedFilms) {
    self.runner = runner
    self.films = films
  }

  func close() {
    for task in tasks { task.cancel() }
    tasks = []
    (journal, given) = (nil, [])
    films.set([])
  }

  /// - Parameter session: the party's session; nil for none.
  func perform(
    _ order: ShareOrder, in session: GroupSession<FilmActivity>?, as me: Participant.ID?
  ) async throws -> EffectAnswer {
    switch order {
    case .follow: if let session, let me { follow(session, as: me) }
    case .give(let film): return await give(film)
    case .withdraw:
      let withdrawn = given
      given = []
      for attachment in withdrawn { try await journal?.remove(attachment: attachment) }
    case .keep(let film, let folder): return try await keep(film, in: folder)
    }
    return .done
  }

  private func follow(_ session: GroupSession<FilmActivity>, as me: Participant.ID) {
    close()
    let journal = GroupSessionJournal(session: session)
    self.journal = journal
    tasks.append(
      Task { [weak self] in
        for await attachments in journal.attachments { await self?.found(attachments, as: me) }
      })
  }

  private func found(
    _ attachments: [GroupSessionJournal.Attachment], as me: Participant.ID
  ) async {
    let shared = attachments.filter(\.isOnDemand)
    films.set(shared)
    var offers: [SharedFilm] = []
    for attachment in shared where attachment.addedBy != me {
      guard
        let description = try? await attachment.loadMetadata(of: SharedFilms.Description.self)
      else { continue }
      offers.append(
        SharedFilm(
          id: attachment.id, film: description.film, owner: attachment.addedBy,
          size: Int(attachment.size)))
    }
    await runner.handle(.share(.offered(offers)))
  }

  private func give(_ film: FilmIdentity) async -> EffectAnswer {
    guard let journal else { return .done }
    // A list or an archive would be of no use without the files that it names.
    guard await OwnedThread.run("film", { MediaInformation.canOpen(film.location) }) else {
      return EffectAnswer([
        .share(.failed("“\(film.title)” isn't one film file, and can't be shared."))
      ])
    }
    do {
      let attachment = try await journal.add(
        URL(fileURLWithPath: film.location),
        metadata: SharedFilms.Description(film: film.identifier), isOnDemand: true)
      guard self.journal === journal else { return .done }
      given.append(attachment)
      return EffectAnswer([.share(.given(film, size: Int(attachment.size)))])
    } catch {
      return EffectAnswer([.share(.failed("“\(film.title)” can't be shared: \(error)"))])
    }
  }

  private func keep(_ film: FilmIdentity, in folder: String?) async throws -> EffectAnswer {
    guard let id = SharedFilm.id(of: film.location), let attachment = films.attachments[id] else {
      throw ShareProblem.notShared
    }
    let folder = folder ?? FileManager.default.currentDirectoryPath
    let path = "\(folder)/\(attachment.fileName ?? film.title)"
    do {
      try await attachment.load(to: URL(fileURLWithPath: path))
    } catch {
      return EffectAnswer([.share(.failed("The film can't be kept: \(error)"))])
    }
    return EffectAnswer([.share(.kept(path))])
  }
}
