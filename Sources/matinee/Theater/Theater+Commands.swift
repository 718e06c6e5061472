import DrawTogether
import Foundation
import GroupActivities
import MPVPlayer
import MediaLibrary
import PlaybackCoordination
import Screening
import Timekeeping

/// The answer to a command, beside the events that follow from it.
enum CommandAnswer: Sendable {
  case done
  /// A sentence for the user.
  case notice(String)
  case state(TheaterStatus)
}

/// The user's commands, from every interface.
extension Theater {
  /// Carries out a command.
  ///
  /// - Throws: the reason why it isn't possible, in words for the user.
  func carryOut(_ command: UserCommand) async throws -> CommandAnswer {
    try await check(command)
    switch command {
    case .play(let immediately):
      try requireFilm()
      if immediately { try await play(immediately: true) } else { try await setPaused(false) }
    case .pause:
      try requireFilm()
      try await setPaused(true)
    case .playPause:
      try requireFilm()
      try await playPause()
    case .stop: try await stopPlayback()
    case .seek(to: let place): try await seek(to: place)
    case .skip(by: let distance): try await seek(by: distance)
    case .seekPercent(let percent, let isRelative):
      try await seek(percent: percent, isRelative: isRelative)
    case .seekChapter(by: let count): try await seek(chapters: count)
    case .frameStep(by: let frames): try await step(frames: frames)
    case .setRate(let rate): try await setRate(rate)
    case .addRate(let change):
      try await setRate(ArgumentText.clampingRate(await coordinator.snapshot().rate + change))
    case .multiplyRate(by: let factor): try await multiplyRate(by: factor)
    case .cycleRates(let rates): try await cycle(rates: rates)
    case .scrub(to: let place): try await scrub(to: place)
    case .endScrub(at: let place): try await endScrub(at: place)

    case .load(let location): await open(location)
    case .loadAlone(let location): try await openAlone(FilmIdentity.read(location))
    case .enqueue(let location): try await enqueue(location)
    case .advance(by: let step): try await advance(by: step)
    case .watch(entry: let index): try await watch(at: index)
    case .moveEntry(from: let from, to: let to): try await move(from: from, to: to)
    case .dropEntry(let index): try await drop(at: index)

    case .setVolume(let volume):
      try await player.setVolume(volume)
      return .notice(await volumeWords(nil))
    case .changeVolume(by: let change):
      return .notice(await volumeWords(try await player.addVolume(change)))
    case .toggleMute: try await player.toggleMute()
    case .setLatencyOffset(let delay): await setLatencyOffset(LatencyOffset(clamping: delay))
    case .changeLatencyOffset(by: let steps):
      await changeLatencyOffset(by: LatencyOffset.step * steps)
    case .cycleAudio: return .notice(TrackWords.audio(try await player.cycleAudioTrack()))
    case .cycleSubtitles(by: let step):
      let choice = try await player.cycleSubtitleTrack(by: step)
      let isVisible = await player.snapshot().areSubtitlesVisible
      return .notice(TrackWords.subtitles(choice, isVisible: isVisible))
    case .toggleSubtitles:
      let hasTrack = await player.snapshot().tracks.contains {
        $0.kind == .subtitles && $0.isSelected
      }
      let isVisible = try await player.toggleSubtitleVisibility()
      return .notice(TrackWords.visibility(isVisible, hasTrack: hasTrack))
    case .cycleVideo: try await cycleVideo()
    case .togglePictureInPicture: try await togglePictureInPicture()
    case .setFullscreen(let isFullscreen): try await player.setFullscreen(isFullscreen)
    case .player(let command):
      if let notice = try await perform(command) { return .notice(notice) }

    case .whatHappened: try await whatHappened()
    case .suspend(let reason): try await suspend(reason)
    case .resume: await resume()
    case .setReady(let isReady): await setReady(isReady)
    case .toggleReady: await toggleReady()
    case .askWhetherReady: try await askWhetherReady()

    case .say(let text): try await say(text)
    case .react(let reaction): try await react(reaction)
    case .setName(let name): try await setName(name)
    case .draw(let points):
      try await draw()
      if !points.isEmpty { try await draw(points) }
    case .pressPen(at: let point): try await drawingBoard().press(at: point)
    case .movePen(to: let point): try await drawingBoard().move(to: point)
    case .liftPen: try await drawingBoard().lift()
    case .undoStroke: try await undoStroke()
    case .resetDrawing: try await resetDrawing()
    case .leaveDrawing: await leaveDrawing()

    case .host: try await openParty(hostingOptions)
    case .join(invite: let text):
      try await joinParty(try Invite(text), brokers: hostingOptions.brokers)
    case .rejoin(let id): try await rejoin(party: id)
    case .leave: await leaveParty()
    case .endFilm: try await endSession()
    case .endParty: try await closeParty()
    case .rule(let rule): try await change(rule)
    case .answer(let isAllowed, let forGood):
      guard programme.isAsking else { throw NothingToDo.noQuestion }
      await decide(isAllowed, forGood: forGood)

    case .folders: list(folders: try await library().folders())
    case .addFolder(let path): return .notice(try await add(folder: path))
    case .dropFolder(let path):
      guard try await dropFolder(path) else {
        throw UserCommandProblem(
          "\(path) isn't one of the media folders. To list them, type: folders")
      }
    case .scan: scanner?.scan()
    case .search(let query):
      list(files: try await library().search(query, limit: Self.listLimit))
    case .parties: list(parties: try await library().parties())
    case .forgetParty(let id): try await forget(party: id)
    case .people: list(people: try await library().people(limit: Self.listLimit))
    case .hosts: list(hosts: try await library().hosts())
    case .forgetHost(let host): try await forget(host: host)

    case .state: return .state(await status())
    case .quit: emit(.quitWanted)
    }
    return .done
  }

  /// Sets the options for parties that this participant opens or joins.
  func setHostingOptions(_ options: PartyHosting.Options) { hostingOptions = options }

  /// Notes that the user begins or stops looking for something to watch.
  func setBrowsing(_ isBrowsing: Bool) { self.isBrowsing = isBrowsing }
}

/// A command without an effect at the moment.
enum NothingToDo: Error, Hashable, CustomStringConvertible {
  case noPreview, noQuestion, lengthUnknown, noLibrary

  var description: String {
    switch self {
    case .noPreview: "There is no preview to end. Begin one, as in: scrub 754.5"
    case .noQuestion:
      "There is no question to answer. allow and deny answer the question about a video's server."
    case .lengthUnknown: "Length unknown. Seek to a time, as in: seek 12:34"
    case .noLibrary: "Nothing is remembered, because the library couldn't be opened."
    }
  }
}

/// A command that requires a party.
struct PartyOnly: Error, Hashable, CustomStringConvertible {
  /// The command's name in ``UserCommandTable``.
  var name: String

  var description: String {
    switch name {
    case "what-happened": "Catching up works in a party only. Press left to go back."
    case "suspend": "Stepping away works in a party only."
    case "toggle-ready", "ready-check": "The ready check works in a party only."
    default: "“\(name)” works in a party only. To open one, type: host"
    }
  }
}

extension Theater {
  /// Checks the conditions that ``UserCommandTable`` lists for a command.
  private func check(_ command: UserCommand) async throws {
    guard let row = UserCommandTable.row(command.name) else { return }
    guard let party else {
      if row.isPartyOnly { throw PartyOnly(name: row.name) }
      return
    }
    switch row.permission {
    case .anyone: return
    case .controllers where row.section == .party:
      // The others ignore a participant who may not control playback, also one who is apart from them.
      guard await party.rules.mayControl(party.localID) else { throw PartyError.notPermitted }
    case .controllers:
      // A trailer plays here alone, and a guest opens a copy of the party's film.
      if preroll != nil || row.name == "load" { return }
      guard await coordinator.mayControl else { throw CoordinationError.notPermitted }
    case .coHosts:
      let role = await party.rules.role(of: party.localID)
      guard role != .guest else { throw PartyError.notPermitted }
    case .host:
      guard await party.localParticipant.isHost else { throw PartyError.notPermitted }
    }
  }

  private func requireFilm() throws(CoordinationError) {
    guard film != nil || program != nil else { throw .noCurrentItem }
  }

  private func library() throws(NothingToDo) -> MediaLibrary {
    guard let library = history?.library else { throw .noLibrary }
    return library
  }

  /// Pauses or plays the film, or the trailer while there is one.
  func setPaused(_ isPaused: Bool) async throws {
    if let preroll, await preroll.snapshot().isPaused != isPaused {
      return try await preroll.playPause()
    }
    if isPaused { try await pause() } else { try await play() }
  }

  private func seek(percent: Double, isRelative: Bool) async throws {
    guard let duration = await player.snapshot().duration else { throw NothingToDo.lengthUnknown }
    let here = isRelative ? await coordinator.snapshot().itemTime ?? .zero : .zero
    let target = here.seconds + duration.seconds * percent / 100
    try await seek(to: MediaTime(seconds: min(max(0, target), duration.seconds)))
  }

  private func seek(chapters count: Int) async throws {
    if await player.snapshot().chapters.isEmpty {
      try await seek(by: .seconds(600 * count))
    } else {
      try await seekChapter(by: count)
    }
  }

  private func cycle(rates: [Double]) async throws {
    let rate = await coordinator.snapshot().rate
    // As in mpv, a rate that isn't among them is followed by the first.
    let index = rates.firstIndex { abs($0 - rate) < 0.005 }
    guard !rates.isEmpty else { return }
    try await setRate(rates[index.map { ($0 + 1) % rates.count } ?? 0])
  }

  private func volumeWords(_ known: Double?) async -> String {
    let shown = await player.snapshot()
    return "Volume \(Int(clampingRounded: known ?? shown.volume)) %"
      + (shown.isMuted ? " (muted)" : "")
  }

  private func cycleVideo() async throws {
    let next: MPVConfiguration.VideoMode =
      switch await player.videoMode {
      case .frames: Display.isThere ? .window : .none
      case .window: .none
      case .none: player.configuration.offersFrames || !Display.isThere ? .frames : .window
      }
    try await show(in: next)
  }

  /// - Parameter id: the party's id; nil for the last party.
  private func rejoin(party id: String?) async throws {
    let last = try await library().parties().first { $0.ending == nil }
    guard let id = id ?? last?.id else { throw RejoinProblem.unknown }
    try await rejoin(id, hostingOptions)
  }

  /// - Returns: the notice for the user.
  private func add(folder text: String) async throws -> String {
    guard let folder = await Self.mediaFolder(text) else {
      throw UserCommandProblem("There is no folder \(text).")
    }
    try await addFolder(folder)
    let name = URL(fileURLWithPath: folder).lastPathComponent
    return "Added \(name) to the library. Press / to search it."
  }
}
