import AVFormat
import Concurrency
import Foundation
import GroupActivities
import GroupJournal
import MPVPlayer
import Screening
import WatchTogether

/// Performs the effects on films that participants share.
@ScreeningActor
final class ShareAdapter {
  private let runner: LoopRunner
  private let films: SharedFilms
  private let subtitles: SubtitleExchange
  private let sound: SoundExchange
  private var journal: GroupSessionJournal?
  /// This participant's own films in the journal.
  private var given: [GroupSessionJournal.Attachment] = []
  /// The number of withdrawals: one also ends the sharing that is under way.
  private var withdrawals = 0
  private var contents: [UUID: Content] = [:]
  /// The smaller copy that is encoded, and the order of its parts.
  private var parts: (copy: UUID, order: PartOrder)?
  /// Encodes them.
  private var encoding: Task<Void, Never>?
  private let player: MPVPlayer
  private var tasks: [Task<Void, Never>] = []

  init(runner: LoopRunner, films: SharedFilms, player: MPVPlayer) {
    self.runner = runner
    self.films = films
    self.player = player
    subtitles = SubtitleExchange(runner: runner, player: player)
    sound = SoundExchange(runner: runner)
  }

  func close() {
    for task in tasks { task.cancel() }
    tasks = []
    encoding?.cancel()
    (journal, given, contents, parts) = (nil, [], [:], nil)
    films.follow(nil)
    subtitles.close()
    sound.close()
  }

  /// - Parameter session: the party's session; nil for none.
  func perform(
    _ order: ShareOrder, in session: GroupSession<FilmActivity>?, as me: Participant.ID?
  ) async throws -> EffectAnswer {
    switch order {
    case .follow: if let session, let me { follow(session, as: me) }
    case .give(let film, nil): return await give(film)
    case .give(let film, let quality?): return await giveSmaller(film, quality)
    case .withdraw: try await withdraw()
    case .prepare(let film): await films.prepare(film)
    case .giveSubtitles(let file, let film):
      guard let journal else { throw ShareProblem.noFilm }
      return try await subtitles.give(file, for: film, in: journal)
    case .align(let film, let entry):
      guard let journal else { return .done }
      let match = await sound.align(film, in: journal)
      return EffectAnswer([.share(.aligned(film, entry: entry, match))])
    case .giveSound(let film): if let journal { try await sound.give(film, in: journal) }
    case .keep(let film, let folder): return try await keep(film, in: folder)
    }
    return .done
  }

  private func follow(_ session: GroupSession<FilmActivity>, as me: Participant.ID) {
    close()
    let journal = GroupSessionJournal(session: session)
    self.journal = journal
    films.follow(session)
    let requests = GroupSessionMessenger(session: session).messages(of: PartRequest.self)
    tasks += [
      Task { [weak self] in
        for await attachments in journal.attachments { await self?.found(attachments, as: me) }
      },
      Task { [weak self] in
        for await (request, _) in requests { self?.ask(for: request) }
      },
    ]
  }

  /// The content of an attachment, by its metadata.
  private enum Content {
    case film(SharedFilms.Description)
    case part(SharedFilms.Part)
    case sound(SoundExchange.Description)
    /// Content of another program.
    case other
  }

  private func found(
    _ attachments: [GroupSessionJournal.Attachment], as me: Participant.ID
  ) async {
    subtitles.found(attachments.filter { !$0.isOnDemand && $0.addedBy != me })
    var copies: [SharedFilms.Copy] = []
    var sounds: [(GroupSessionJournal.Attachment, SoundExchange.Description)] = []
    var known: [UUID: Content] = [:]
    for attachment in attachments where attachment.isOnDemand {
      // The metadata of an attachment never changes.
      var content = contents[attachment.id]
      if content == nil { content = await Self.content(of: attachment) }
      known[attachment.id] = content
      switch content {
      case .part(let part):
        // The parts come after their header.
        let copy = copies.firstIndex {
          $0.attachment.id == part.copy && $0.attachment.addedBy == attachment.addedBy
        }
        if let copy { copies[copy].parts[part.index] = attachment }
      case .film(let description):
        copies.append(.init(attachment: attachment, description: description))
      case .sound(let description): sounds.append((attachment, description))
      case .other, nil: break
      }
    }
    contents = known
    films.set(copies)
    await sound.found(sounds, as: me)
    let offers = copies.filter { $0.attachment.addedBy != me }.map {
      SharedFilm(
        id: $0.attachment.id, film: $0.description.film, owner: $0.attachment.addedBy,
        size: $0.size, quality: $0.description.smaller?.quality)
    }
    await runner.handle(.share(.offered(offers)))
  }

  private static func content(of attachment: GroupSessionJournal.Attachment) async -> Content {
    if let part = try? await attachment.loadMetadata(of: SharedFilms.Part.self) {
      return .part(part)
    }
    if let sound = try? await attachment.loadMetadata(of: SoundExchange.Description.self) {
      return .sound(sound)
    }
    guard let film = try? await attachment.loadMetadata(of: SharedFilms.Description.self),
      film.smaller?.layout.isValid != false
    else { return .other }
    return .film(film)
  }

  private func give(_ film: FilmIdentity) async -> EffectAnswer {
    guard let journal else { return .done }
    let withdrawals = withdrawals
    // A list or an archive would be of no use without the files that it names.
    let (canOpen, map) = await OwnedThread.run("film") {
      let canOpen = MediaInformation.canOpen(film.location)
      return (canOpen, canOpen ? FilmMap.read(film.location) : nil)
    }
    guard canOpen else {
      return EffectAnswer([
        .share(.failed("“\(film.title)” isn't one film file, and can't be shared."))
      ])
    }
    do {
      let attachment = try await journal.add(
        URL(fileURLWithPath: film.location),
        metadata: SharedFilms.Description(film: film.identifier, map: map), isOnDemand: true)
      guard try await keeps(attachment, in: journal, since: withdrawals) else { return .done }
      return EffectAnswer([.share(.given(film, nil, size: Int(attachment.size)))])
    } catch {
      return EffectAnswer([.share(.failed("“\(film.title)” can't be shared: \(error)"))])
    }
  }

  /// Notes an attachment, or removes it if everything was withdrawn while it was being added.
  private func keeps(
    _ attachment: GroupSessionJournal.Attachment, in journal: GroupSessionJournal, since number: Int
  ) async throws(JournalError) -> Bool {
    guard self.journal === journal else { return false }
    guard number == withdrawals else {
      try await journal.remove(attachment: attachment)
      return false
    }
    given.append(attachment)
    return true
  }

  private func withdraw() async throws(JournalError) {
    encoding?.cancel()
    withdrawals += 1
    let withdrawn = given
    given = []
    for attachment in withdrawn { try await journal?.remove(attachment: attachment) }
  }

  /// Shares a copy that is encoded from where the film plays on, part by part.
  private func giveSmaller(_ film: FilmIdentity, _ quality: ShareQuality) async -> EffectAnswer {
    guard let journal else { return .done }
    let withdrawals = withdrawals
    do {
      let copy = try await SmallerCopy.open(film.location, quality)
      let smaller = SharedFilms.SmallerCopy(
        quality: quality, layout: copy.layout,
        size: copy.layout.parts * copy.layout.seconds * (quality.bitRate + 160_000) / 8)
      let header = try await journal.add(
        copy.header, metadata: SharedFilms.Description(film: film.identifier, smaller: smaller),
        isOnDemand: true)
      guard try await keeps(header, in: journal, since: withdrawals) else { return .done }
      encoding = Task { await encode(copy, of: film, as: header.id, in: journal) }
      return EffectAnswer([.share(.given(film, quality, size: smaller.size))])
    } catch {
      return EffectAnswer([
        .share(.failed("“\(film.title)” can't be shared in \(quality.rawValue): \(error)"))
      ])
    }
  }

  private func ask(for request: PartRequest) {
    if parts?.copy == request.copy { parts?.order.ask(for: request.index) }
  }

  private func encode(
    _ copy: SmallerCopy, of film: FilmIdentity, as id: UUID, in journal: GroupSessionJournal
  ) async {
    parts = (id, PartOrder(parts: copy.layout.parts, seconds: copy.layout.seconds))
    while true {
      let position = await player.snapshot().itemTime ?? .zero
      guard parts?.copy == id,
        let part = parts?.order.next(at: copy.part(at: position), now: .now())
      else { return }
      do {
        let bytes = try await copy.make(part)
        guard !Task.isCancelled else { return }
        let withdrawals = withdrawals
        let made = try await journal.add(
          bytes, metadata: SharedFilms.Part(copy: id, index: part), isOnDemand: true)
        guard try await keeps(made, in: journal, since: withdrawals) else { return }
      } catch {
        guard !Task.isCancelled else { return }
        return runner.send(
          .share(.failed("The smaller copy of “\(film.title)” ends early: \(error)")))
      }
    }
  }

  private func keep(_ film: FilmIdentity, in folder: String?) async throws -> EffectAnswer {
    guard let id = SharedFilm.id(of: film.location), let attachment = films.copies[id]?.attachment
    else { throw ShareProblem.notShared }
    let folder = folder ?? FileManager.default.currentDirectoryPath
    let layout = films.copies[id]?.description.smaller?.layout
    let name = attachment.fileName ?? film.title.replacing("/", with: "_") + ".mp4"
    let path = "\(folder)/\(name)"
    do {
      if let layout {
        try await keep(id, layout, at: path)
      } else {
        try await attachment.load(to: URL(fileURLWithPath: path))
      }
    } catch {
      return EffectAnswer([.share(.failed("The film can't be kept: \(error)"))])
    }
    return EffectAnswer([.share(.kept(path))])
  }

  /// Writes a smaller copy without its index, which is right for the slots only, as its parts are made.
  private func keep(_ id: UUID, _ layout: SmallCopy.Layout, at path: String) async throws {
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw JournalError.storage("\(path): \(String(cString: strerror(errno)))")
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    do {
      for part in -1..<layout.parts {
        var attachment = part < 0 ? films.copies[id]?.attachment : films.copies[id]?.parts[part]
        while attachment == nil {
          guard films.copies[id] != nil else { throw ShareProblem.notShared }
          try await Task.sleep(for: .seconds(1))
          attachment = films.copies[id]?.parts[part]
        }
        let bytes = try await attachment!.load(Data.self)
        try handle.write(contentsOf: part < 0 ? bytes.dropLast(layout.index) : bytes)
      }
    } catch {
      unlink(path)
      throw error
    }
  }
}
