import GroupActivities
import MPVPlayer
import Screening
import Timekeeping

/// This participant's own settings of its player: volume, tracks, and mpv's own commands.
@ScreeningActor
final class PlayerRoom: FilmPlayer {
  private let core: ScreeningCore<OriginRefusal>
  private let player: MPVPlayer
  private let latency: LatencyRoom
  private let picture: PictureRoom
  private let isLive: @ScreeningActor () -> Bool

  init(
    core: ScreeningCore<OriginRefusal>, player: MPVPlayer, latency: LatencyRoom,
    picture: PictureRoom, isLive: @escaping @ScreeningActor () -> Bool
  ) {
    self.core = core
    self.player = player
    self.latency = latency
    self.picture = picture
    self.isLive = isLive
  }

  func reading() async -> ScreeningReading.Player {
    let shown = await player.snapshot()
    var reading = ScreeningReading.Player()
    reading.itemTime = shown.itemTime
    reading.duration = shown.duration
    reading.isAtEnd = shown.isAtEnd
    reading.canSeek = shown.isSeekable || !shown.isLoaded
    reading.frameDuration = shown.frameDuration
    reading.chapters = shown.chapters.map(\.start)
    if isLive() { reading.earliest = await player.earliestTime() }
    return reading
  }

  var loadedPercent: Int? { get async { await player.snapshot().loadedPercent } }

  func perform(_ order: PlayerOrder) async throws -> String? {
    switch order {
    case .setVolume(let volume):
      try await player.setVolume(volume)
      return await volumeWords(nil)
    case .changeVolume(by: let change):
      return await volumeWords(try await player.addVolume(change))
    case .toggleMute: try await player.toggleMute()
    case .setLatencyOffset(let delay): await latency.set(LatencyOffset(clamping: delay))
    case .changeLatencyOffset(by: let steps): await latency.change(by: steps)
    case .cycleAudio: return TrackWords.audio(try await player.cycleAudioTrack())
    case .cycleSubtitles(by: let step):
      let choice = try await player.cycleSubtitleTrack(by: step)
      let isVisible = await player.snapshot().areSubtitlesVisible
      return TrackWords.subtitles(choice, isVisible: isVisible)
    case .toggleSubtitles:
      let hasTrack = await player.snapshot().tracks.contains {
        $0.kind == .subtitles && $0.isSelected
      }
      let isVisible = try await player.toggleSubtitleVisibility()
      return TrackWords.visibility(isVisible, hasTrack: hasTrack)
    case .cycleVideo: try await picture.cycle()
    case .togglePictureInPicture: try await picture.togglePictureInPicture()
    case .setFullscreen(let isFullscreen): try await player.setFullscreen(isFullscreen)
    // A player that has shut down needs no preparation.
    case .expectNudges(let expects): try? await player.setExpectsNudges(expects)
    case .endLoops: await player.endLoops()
    case .perform(let command): return try await perform(command)
    }
    return nil
  }

  private func volumeWords(_ known: Double?) async -> String {
    let shown = await player.snapshot()
    return "Volume \(Int(clampingRounded: known ?? shown.volume)) %"
      + (shown.isMuted ? " (muted)" : "")
  }

  // MARK: - mpv's own commands

  /// - Returns: the notice that follows the command; nil for none.
  /// - Throws: ``PlayerCommandProblem`` if the command can't be carried out now.
  private func perform(_ command: PlayerCommand) async throws -> String? {
    switch command.requirement {
    case .none: break
    case .noParty where core.machine.membership.isMember:
      throw PlayerCommandProblem(
        description: "“\(command.subject)” would move only you, so it doesn't work in a party.")
    case .window where await player.videoMode != .window:
      throw PlayerCommandProblem(
        description: "“\(command.subject)” works in mpv's window only.")
    case .noParty, .window: break
    }
    // mpv's own display would be unreadable in the terminal's video.
    let isForDisplay = ["show-text", "show-progress"].contains(command.arguments.first)
    let isInWindow = await player.videoMode == .window
    do throws(MPVError) {
      if command.feedback == .screenshot {
        let path = try await player.screenshot(command.arguments)
        return "Screenshot saved" + (path.map { ": \(PartyText.clean($0, limit: 300))" } ?? ".")
      }
      if !isForDisplay || isInWindow {
        try await player.perform(command.arguments, showsInWindow: command.feedback != .none)
      }
      guard case .text(let text) = command.feedback else { return nil }
      return PartyText.clean(try await player.expand(text), limit: 500)
    } catch {
      guard error.reason == .call else { throw error }
      let words = command.arguments.joined(separator: " ")
      throw PlayerCommandProblem(
        description: "mpv can't do “\(PartyText.clean(words, limit: 100))” now."
          + (command.feedback == .screenshot
            ? " Open a video, and check that the screenshot folder is writable." : ""))
    }
  }
}

/// The reason why one of mpv's commands can't be carried out now.
struct PlayerCommandProblem: Error, CustomStringConvertible {
  var description: String
}

extension PlayerReport {
  /// - Returns: nil for an event that concerns another part of the program.
  init?(_ event: PlayerEvent) {
    switch event {
    case .userPaused: self = .paused
    case .userResumed: self = .resumed
    case .userSought(let place): self = .sought(to: place)
    case .userChangedRate(let rate): self = .changedRate(to: rate)
    case .userLoaded(let path): self = .loaded(path: path)
    case .userStopped: self = .closed
    case .userQuit: self = .quit
    case .strayed(let time): self = .strayed(at: time)
    case .loopBegan: self = .loopBegan
    case .ended(let place, let isEarly, let item):
      self = .ended(at: place, isEarly: isEarly, item: item)
    case .connectionLost: self = .connectionLost
    case .failed(let error): self = .failed("\(error)")
    case .audioDeviceLost: self = .soundLost
    case .audioDeviceFound: self = .soundFound
    case .windowUnavailable(let reason): self = .windowUnavailable(reason)
    case .loadedPercentChanged: self = .loadedPercentChanged
    case .buffered, .loaded, .pausedChanged, .rateChanged, .volumeChanged, .fullscreenChanged,
      .tracksChanged, .subtitlesChanged, .position:
      self = .changed
    case .windowKey, .pointerMoved, .audioDeviceChanged, .configured, .log, .stalled, .shutdown:
      return nil
    }
  }
}
