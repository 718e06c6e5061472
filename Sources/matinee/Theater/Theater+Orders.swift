import Foundation
import GroupActivities
import MPVPlayer
import MediaLibrary
import Screening

/// The orders to this participant's player, to the drawing, to the party and to the library.
extension Theater {
  func perform(
    _ order: Decisions.PlayerOrder
  ) async throws -> CommandAnswer {
    switch order {
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
    case .perform(let command):
      if let notice = try await perform(command) { return .notice(notice) }
    }
    return .done
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

  func perform(_ order: Decisions.DrawingOrder) async throws {
    switch order {
    case .draw(let points):
      try await draw()
      if !points.isEmpty { try await draw(points) }
    case .press(at: let point): try await drawingBoard().press(at: point)
    case .move(to: let point): try await drawingBoard().move(to: point)
    case .lift: try await drawingBoard().lift()
    case .undo: try await undoStroke()
    case .reset: try await resetDrawing()
    case .leave: await leaveDrawing()
    }
  }

  func perform(
    _ order: Decisions.LibraryOrder
  ) async throws -> CommandAnswer {
    switch order {
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
    }
    return .done
  }

  private func library() throws(NothingToDo) -> MediaLibrary {
    guard let library = history?.library else { throw .noLibrary }
    return library
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
