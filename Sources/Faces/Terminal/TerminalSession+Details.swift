import AVFormat
import FileNames
import Foundation
import GroupActivities
import MatineeKit
import MediaLibrary
import Screening
import TerminalUI
import Timekeeping

/// The details of a film in the library.
extension TerminalSession {
  /// The position of a film's still, as a fraction of its duration: late enough to be behind the titles.
  private static let faceOfFilm = 0.2

  /// - Parameter wanted: nil if no details are shown any more.
  func showDetails(of wanted: ScreenCommand.WantedDetails?) async {
    let id = wanted?.id
    if let id, library.isPlace(id, in: listing) || RememberedItem(id: id) != nil {
      return show("Press Enter to open this folder.", .information)
    }
    detailed = nil
    stillTask?.cancel()
    guard let id, wanted?.hasStill == true else {
      stillTask = nil
      detailed = id.map { ($0, nil) }
      return await still.hide(showing: await program.shownPlayer)
    }
    detailed = (id, nil)
    guard FilmIdentity.scheme(of: id) == nil, let known = await index?.details[id],
      let video = known.information?.video, video.width > 0, video.height > 0
    else { return }
    let length = known.information?.duration ?? .zero
    let moments = moments(of: known)
    let place =
      wanted?.moment.flatMap { moments.indices.contains($0) ? moments[$0].position : nil }
      ?? known.watched?.resumePosition
      ?? MediaTime(seconds: length / .seconds(1) * Self.faceOfFilm)
    stillTask = Task { [weak self] in
      // A user who scrolls through the list doesn't need stills.
      try? await Task.sleep(for: .milliseconds(120), clock: .suspending)
      guard !Task.isCancelled, let size = await self?.still.show(id, at: place) else { return }
      await self?.stillCame(PictureModel(width: size.width, height: size.height), of: id)
    }
  }

  private func moments(of known: LibraryIndex.Details?) -> [MarkedMoment] {
    known?.identifier.flatMap { library.remembered.moments[$0] } ?? []
  }

  /// Plays a film from one of its moments, an index of ``DetailsModel/moments``.
  func chooseMoment(_ index: Int, of id: String) async {
    let moments = moments(of: await self.index?.details[id])
    await choose(id, at: moments.indices.contains(index) ? moments[index].position : nil)
  }

  private func stillCame(_ picture: PictureModel, of id: String) async {
    guard detailed?.id == id else { return }
    detailed?.still = picture
    await render()
  }

  func detailsModel(_ known: [String: LibraryIndex.Details]) -> DetailsModel? {
    guard let detailed else { return nil }
    let film = known[detailed.id]
    return DetailsModel(
      id: detailed.id, film, moments: moments(of: film), still: detailed.still)
  }
}

extension DetailsModel {
  fileprivate init(
    id: String, _ known: LibraryIndex.Details?, moments: [MarkedMoment], still: PictureModel?
  ) {
    let information = known?.information
    let name = FileName.shown(URL(fileURLWithPath: id).deletingPathExtension().lastPathComponent)
    let isFile = FilmIdentity.scheme(of: id) == nil
    let title = known?.title ?? (isFile ? FileName.film(name) : known?.watched?.title ?? id)
    var lines: [ItemModel.Detail] = []
    func add(_ name: TerminalText, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      lines.append(
        ItemModel.Detail(name: name, value: TerminalText(PartyText.clean(value, limit: 300))))
    }
    if isFile, name != title { add("Name", name) }
    add("Length", Self.length(known))
    if let watched = known?.watched { add("Watched", Self.watched(watched)) }
    add("Video", information?.video.map(Self.picture))
    let tracks = information?.tracks ?? []
    add("Audio", tracks.filter { $0.kind == .audio }.map(Self.sound).joined(separator: "; "))
    add(
      "Subtitles",
      tracks.filter { $0.kind == .subtitles }.map { $0.language ?? $0.title ?? $0.codec }
        .joined(separator: ", "))
    if let information {
      let size = ByteCountFormatter.string(
        fromByteCount: Int64(information.size), countStyle: .file)
      add("File", "\(size), \(information.container)")
    }
    add("Source", id)
    self.init(
      id: id, title: TerminalText(title), lines: lines,
      moments: moments.map {
        TerminalText("\(StoryWords.clock($0.position))  \(StoryWords.list($0.names))")
      }, still: still)
  }

  private static func length(_ known: LibraryIndex.Details?) -> String? {
    guard
      let length = known?.information?.duration.map({ MediaTime.zero + $0 })
        ?? known?.watched?.duration
    else { return nil }
    let chapters = known?.information?.chapters ?? 0
    return StoryWords.clock(length) + (chapters > 1 ? ", \(chapters) chapters" : "")
  }

  private static func watched(_ film: WatchedFilm) -> String {
    let day = film.watchedAt.formatted(.iso8601.year().month().day())
    if film.isFinished { return "to the end, \(day)" }
    guard let place = film.resumePosition else { return "started, \(day)" }
    return "to \(StoryWords.clock(place)), \(day). Enter resumes, b restarts."
  }

  private static func picture(_ track: MediaInformation.Track) -> String {
    let rate = track.framesPerSecond.map {
      String(format: ", %g fps", ($0 * 100).rounded() / 100)
    }
    return "\(track.width)×\(track.height)\(rate ?? ""), \(track.codec)"
  }

  private static func sound(_ track: MediaInformation.Track) -> String {
    let channels =
      switch track.channels {
      case 1: " mono"
      case 2: " stereo"
      case 6: " 5.1"
      case 8: " 7.1"
      case 0: ""
      default: " \(track.channels) channels"
      }
    return (track.language.map { $0 + " " } ?? "") + track.codec + channels
      + (track.title.map { " (\($0))" } ?? "")
  }
}
