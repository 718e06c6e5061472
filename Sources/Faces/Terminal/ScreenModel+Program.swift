import Foundation
import GroupActivities
import MPVPlayer
import MatineeKit
import MediaLibrary
import PlaybackCoordination
import Screening
import TerminalUI
import Timekeeping

/// The conversion of the program's status to the screen's contents.
extension ScreenModel {
  init(
    status: ProgramStatus, chat: [ChatEntry], reactions: [ReactionEntry], library: LibraryModel,
    details: DetailsModel?, message: MessageModel?,
    question: QuestionModel?, ownName: String, isSteppedAway: Bool, slashCommands: [String],
    canRejoin: Bool, sync: SyncModel?
  ) {
    self.init(
      item: ItemModel(status), picture: PictureModel(status.shownPlayer),
      transport: TransportModel(status),
      party: status.invite.map { invite in
        PartyModel(
          name: TerminalText(PartyName.of(invite.party)),
          link: PartyModel.Link(status), invite: status.isInRoom ? nil : invite.text,
          isHost: status.me?.isHost ?? false,
          places: status.reach.map { PartyModel.places($0, invite) } ?? [],
          advice: status.reach?.advice.map { TerminalText($0) },
          limit: status.reach?.limit.map { TerminalText($0) },
          othersLosingParty: status.othersLosingParty, mayControl: status.rights.mayControl)
      },
      roster: status.participants.map { RosterEntry($0, status) }, chat: chat, reactions: reactions,
      reactionSigns: Reaction.allCases.map(\.sign),
      sketch: status.drawing.map { SketchModel($0) },
      playlist: status.activity.map { program in
        program.playlist.entries.map { entry in
          PlaylistLine(
            title: TerminalText(PartyText.clean(entry.title, limit: 200)),
            isCurrent: entry.id == program.current.id)
        }
      } ?? [],
      library: library, details: details, waiting: WaitingModel(status),
      message: message, question: question, ownName: TerminalText(status.me?.name ?? ownName),
      isSteppedAway: isSteppedAway,
      participantState: ParticipantState(status, canRejoin: canRejoin),
      groupTime: status.coordinator.groupItemTime, slashCommands: slashCommands,
      canRejoin: canRejoin, sync: sync)
  }
}

extension PartyModel.Link {
  fileprivate init(_ status: ProgramStatus) {
    guard status.link.isUp else {
      self = .reconnecting
      return
    }
    let isPartly = status.participants.contains { $0.door?.kind == .syncplay }
    self =
      status.link.room.map { .room(isEncrypted: $0 == .encrypted) }
      ?? (isPartly ? .partlyEncrypted : .encrypted)
  }
}

extension SketchModel {
  fileprivate init(_ status: DrawingStatus) {
    self.init(
      strokes: status.drawing.strokes.map { stroke in
        Stroke(
          author: TerminalText(status.authors[stroke.id.author] ?? "a participant"),
          points: stroke.points.map { point in
            let place = point.fractions
            return Point(x: Float(place.x), y: Float(place.y))
          })
      }, isDrawing: status.isDrawing)
  }
}

extension PictureModel {
  fileprivate init?(_ player: PlayerSnapshot) {
    guard player.handsOutFrames, player.isLoaded, player.hasVideo, let size = player.videoSize
    else {
      return nil
    }
    self.init(width: size.width, height: size.height)
    guard player.areSubtitlesVisible else { return }
    subtitles = Subtitles(markup: player.subtitleText)
    subtitles.position = player.subtitlePosition
  }
}

extension PartyModel {
  /// Returns the addresses. For a party that is announced on this network, the secret is sufficient and is listed too.
  fileprivate static func places(_ reach: Reach, _ invite: Invite) -> [Place] {
    var places = reach.places.map { place in
      Place(kind: TerminalText(place.kind.words), address: TerminalText(place.address.text))
    }
    if reach.awaitsRouter {
      places.insert(Place(kind: TerminalText(Reach.Place.Kind.internet.words), address: nil), at: 0)
    }
    if reach.isAnnounced, let secret = invite.text.split(separator: "#").last {
      places.append(
        Place(kind: "matinee join", address: TerminalText("\(secret)  on this network")))
    }
    return places
  }
}

extension ItemModel {
  fileprivate init?(_ status: ProgramStatus) {
    guard let film = status.film else { return nil }
    let player = status.player
    var details: [Detail] = []
    if let size = player.videoSize {
      let rate = player.framesPerSecond.map {
        String(format: ", %g fps", ($0 * 100).rounded() / 100)
      }
      details.append(
        Detail(name: "Video", value: TerminalText("\(size.width)×\(size.height)\(rate ?? "")")))
    }
    if let audio = player.tracks.first(where: { $0.kind == .audio && $0.isSelected }) {
      details.append(
        Detail(name: "Audio", value: TerminalText(audio.title ?? audio.language ?? "on")))
    }
    if let subtitles = player.tracks.first(where: { $0.kind == .subtitles && $0.isSelected }) {
      details.append(
        Detail(
          name: "Subtitles",
          value: TerminalText(
            player.areSubtitlesVisible ? subtitles.title ?? subtitles.language ?? "on" : "hidden")))
    }
    if let list = status.activity?.playlist, let following = list.entry(at: 1) {
      let next = PartyText.clean(following.title, limit: 100)
      let rest = list.entries.count - list.currentIndex - 2
      details.append(
        Detail(name: "Next", value: TerminalText(rest > 0 ? "\(next) and \(rest) more" : next)))
    }
    details.append(
      Detail(
        name: "Source",
        value: TerminalText(Self.source(of: film, status))))
    self.init(
      title: TerminalText(
        film.isStream && !film.isShared ? player.title ?? film.title : film.title),
      chapter: TerminalText(Self.chapter(of: status)), details: details)
  }

  private static func source(of film: FilmIdentity, _ status: ProgramStatus) -> String {
    if let shared = status.shared, let percent = shared.percent {
      return "\(status.name(of: shared.owner))'s copy, \(percent) % here"
    }
    if film.isStream { return film.location }
    return film.isOtherCopy ? "this computer, another copy" : "this computer"
  }

  private static func chapter(of status: ProgramStatus) -> String {
    guard let index = status.player.chapterIndex(at: status.shownPosition) else { return "" }
    return status.player.chapters[index].name(at: index)
  }
}

extension TransportModel {
  fileprivate init(_ status: ProgramStatus) {
    let player = status.player
    let coordinator = status.coordinator
    let shown = status.shownPosition
    self.init(
      status: Self.status(status), itemTime: max(.zero, shown), duration: player.duration,
      buffered: Self.buffered(status),
      rate: coordinator.rate, volume: player.hasAudio ? player.volume : nil,
      isMuted: player.isMuted, ducking: status.ducking, chapters: player.chapters.map(\.start))
  }

  /// The parts of the film that are here. Those of a shared film are known in bytes, which run nearly like the time.
  private static func buffered(_ status: ProgramStatus) -> [Range<MediaTime>] {
    let shown = status.shownPosition
    if let arrived = status.shared?.arrived, let duration = status.player.duration {
      return arrived.map {
        .zero + (duration - .zero) * $0.lowerBound ..< .zero + (duration - .zero) * $0.upperBound
      }
    }
    guard let until = status.player.bufferedUntil, until > shown else { return [] }
    return [shown..<until]
  }

  private static func status(_ status: ProgramStatus) -> Status {
    if status.isOpening { return .opening }
    let player = status.player
    let reasons = status.coordinator.suspensionReasons.filter { $0 != .stallRecovery }
    if let reason = reasons.last { return .suspended(TerminalText(StoryWords.words(for: reason))) }
    switch status.coordinator.status {
    case .noItem: return .empty
    case .waiting(let ids, _): return ids == [status.me?.id] ? .buffering : .waiting
    case .paused: return player.isAtEnd ? .ended : .paused
    case .playing: return player.isStalled ? .buffering : .playing
    }
  }
}

extension RosterEntry {
  fileprivate init(_ participant: Participant, _ status: ProgramStatus) {
    let isSelf = participant.id == status.me?.id
    let other = status.coordinator.otherParticipants.first { $0.id == participant.id }
    let reasons = isSelf ? status.coordinator.suspensionReasons : other?.suspensionReasons ?? []
    let percent = isSelf ? status.player.loadedPercent : other?.loadedPercent
    let loading = percent.map { "loading \($0) %" }
    var state = State.ready
    var note = Note.none
    if let reason = reasons.last {
      state = reason == .stallRecovery ? .preparing : .away
      let words = StoryWords.words(for: reason)
      note = .text(TerminalText(reason == .stallRecovery ? loading ?? words : words))
    } else if case .waiting(let ids, _) = status.coordinator.status, ids.contains(participant.id) {
      state = .preparing
      note = .text(TerminalText(loading ?? "loading…"))
    } else if isSelf, !status.isAlone, !status.hasPartyFilm {
      state = .preparing
      note = .text(status.isOpening ? "loading…" : "needs the film")
    } else if isSelf {
      note = status.sync.map { .syncError($0.error) } ?? .none
    } else if other?.currentItemIdentifier == nil {
      state = .preparing
      note = .text("needs the film")
    } else if let mine = status.coordinator.currentItemIdentifier,
      other?.currentItemIdentifier != mine
    {
      state = .away
      note = .text("another film")
    } else if let error = other?.syncError {
      note = .syncError(error)
    }
    self.init(
      name: TerminalText(participant.name), isSelf: isSelf,
      role: participant.role == .host ? .host : participant.role == .coHost ? .coHost : .guest,
      state: state, note: note, marks: status.marks(of: participant).map { TerminalText($0) })
  }
}

extension LibraryModel {
  init(
    _ library: FilmShelf, _ entries: [FilmShelf.Entry], known: [String: LibraryIndex.Details],
    found: LibraryIndex.Found?, current: FilmIdentity?, notice: String? = nil
  ) {
    func entry(_ entry: FilmShelf.Entry) -> Entry {
      let kind: Entry.Kind =
        switch entry.kind {
        case .folder: .folder
        case .film: .film
        case .audio: .audio
        case .place: .recent
        case .party: .party
        case .fact: .fact
        }
      return Entry(
        id: entry.location, kind: kind,
        title: TerminalText(known[entry.location]?.title ?? entry.title),
        note: TerminalText(entry.note ?? known[entry.location]?.note ?? ""),
        isCurrent: entry.location == current?.location)
    }
    self.init(
      location: library.folder ?? "", title: TerminalText(library.title),
      hasParent: library.parent != nil,
      entries: entries.map(entry),
      found: found.map { found in
        Found(
          query: found.query,
          entries: Self.each(found.files, beside: entries, known).map(entry))
      })
    self.notice = notice.map { TerminalText($0) }
    isNew = library.remembered.recent.isEmpty && library.remembered.parties.isEmpty
    filmFolder = current.flatMap {
      $0.isStream ? nil : FilmShelf.folder(of: $0.location)
    }
  }
}

extension LibraryModel {
  /// Returns an entry for each film that was found. It is the folder's own entry if there is one, and only one of
  /// several copies.
  fileprivate static func each(
    _ files: [(known: KnownFile, key: FilmShelf.FileKey)], beside entries: [FilmShelf.Entry],
    _ known: [String: LibraryIndex.Details]
  ) -> [FilmShelf.Entry] {
    var byFile: [FilmShelf.FileKey: FilmShelf.Entry] = [:]
    var byContent: [String: FilmShelf.Entry] = [:]
    for entry in entries {
      if let file = entry.file { byFile[file] = entry }
      if let content = known[entry.location]?.identifier { byContent[content] = entry }
    }
    var locations: Set<String> = []
    return files.compactMap { file, key in
      let entry =
        byFile[key] ?? file.identifier.flatMap { byContent[$0] }
        ?? FilmShelf.Entry(ofFileAt: file.path, file: key)
      byFile[key] = entry
      if let content = file.identifier { byContent[content] = entry }
      return locations.insert(entry.location).inserted ? entry : nil
    }
  }
}

extension WaitingModel {
  /// Returns nil if only this participant is waited for: it isn't shown that it waits for itself.
  fileprivate init?(_ status: ProgramStatus) {
    guard case .waiting(let all, let until) = status.coordinator.status,
      status.participants.count > 1
    else { return nil }
    let ids = all.filter { $0 != status.me?.id }
    guard !ids.isEmpty else { return nil }
    // As long as this participant isn't ready either, no time is promised.
    let isReady = ids.count == all.count
    self.init(
      waitingFor: ids.sorted().map { TerminalText(status.name(of: $0)) },
      remaining: isReady ? max(.zero, until - .now()) : nil)
  }
}

extension Reaction {
  var sign: ReactionSign {
    ReactionSign(symbol: TerminalText(symbol), word: TerminalText(rawValue))
  }
}
