import Concurrency
import GroupActivities
import MPVPlayer
import Screening
import SoundCapture
import Timekeeping

/// Performs the effects on this participant's own player: volume, tracks, picture, mpv's own commands, and the latency of
/// the sound output.
@ScreeningActor
final class PlayerAdapter {
  private let player: MPVPlayer
  private let latency: LatencyMemory
  private let events: EventBroadcast<ScreeningEvent>

  private let runner: LoopRunner
  private var calls: CallMonitor?
  private var following: Task<Void, Never>?

  init(
    player: MPVPlayer, latency: LatencyMemory, runner: LoopRunner,
    events: EventBroadcast<ScreeningEvent>
  ) {
    self.player = player
    self.latency = latency
    self.runner = runner
    self.events = events
  }

  func close() {
    calls?.stop()
    following?.cancel()
  }

  private func listen(_ listens: Bool) throws {
    close()
    guard listens else { return }
    let (reports, continuation) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    calls = try CallMonitor { continuation.yield($0) }
    following = Task { [runner] in
      for await isHeard in reports { await runner.handle(.playback(.callHeard(isHeard))) }
    }
  }

  /// Returns the player's state now.
  func facts() async -> PlayerFacts { await player.facts() }

  func perform(_ order: PlayerOrder) async throws -> EffectAnswer {
    switch order {
    case .setVolume(let volume):
      return .notice(await volumeWords(try await player.setVolume(volume)))
    case .changeVolume(by: let change):
      return .notice(await volumeWords(try await player.addVolume(change)))
    case .toggleMute: try await player.toggleMute()
    case .listenForCalls(let listens): try listen(listens)
    case .lower(let isLowered): try await player.lower(isLowered)
    case .setLatencyOffset(let delay): await latency.set(LatencyOffset(clamping: delay))
    case .changeLatencyOffset(by: let steps): await latency.change(by: steps)
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
    case .show(let location, let isClosed):
      try await player.setVideoMode(MPVConfiguration.VideoMode(location))
      events.send(.video(location, isClosed: isClosed))
    case .setPictureInPicture(let isSmall): try await player.setPictureInPicture(isSmall)
    case .setFullscreen(let isFullscreen): try await player.setFullscreen(isFullscreen)
    // A player that has shut down needs no preparation.
    case .expectNudges(let expects): try? await player.setExpectsNudges(expects)
    case .endLoops: await player.endLoops()
    case .prefer(let tracks):
      await player.prefer(
        audio: tracks.audio.map(LanguageCode.spellings) ?? [],
        subtitles: tracks.subtitles.map(LanguageCode.spellings) ?? [],
        areSubtitlesOff: tracks.areSubtitlesOff)
    case .addSubtitles(let subtitles, let title, let item):
      try await player.addSubtitles(
        subtitles.text.webVTT, titled: title, language: subtitles.description.language, to: item)
    case .perform(let command): return .notice(try await perform(command))
    }
    return .done
  }

  /// mpv reports a new volume later than it sets it.
  private func volumeWords(_ volume: Double) async -> String {
    "Volume \(Int(clampingRounded: volume)) %"
      + (await player.snapshot().isMuted ? " (muted)" : "")
  }

  // MARK: - mpv's own commands

  /// - Returns: the notice that follows the command; nil for none.
  /// - Throws: `PlayerCommandProblem` if the command can't be carried out now.
  private func perform(_ command: PlayerCommand) async throws -> String? {
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
            ? " Open a film, and check that the screenshot folder is writable." : ""))
    }
  }
}

extension MPVPlayer {
  /// The state that decisions depend on.
  fileprivate func facts() async -> PlayerFacts {
    let shown = snapshot()
    var facts = PlayerFacts()
    facts.itemTime = shown.itemTime
    facts.duration = shown.duration
    facts.isAtEnd = shown.isAtEnd
    facts.canSeek = shown.isSeekable || !shown.isLoaded
    facts.isLoaded = shown.isLoaded
    facts.isSeeking = shown.isSeeking
    facts.isStalled = shown.isStalled
    facts.loadedPercent = shown.loadedPercent
    facts.frameDuration = shown.frameDuration
    facts.chapters = shown.chapters.map(\.start)
    facts.introductions = zip(shown.chapters, shown.chapters.dropFirst()).compactMap {
      Introduction.isNamed($0.title) && $0.start < $1.start ? $0.start..<$1.start : nil
    }
    facts.picture = ScreeningEvent.VideoLocation(videoMode)
    facts.isPictureInPicture = isPictureInPicture
    facts.tracks = shown.tracks.compactMap(PlayerFacts.Track.init)
    facts.earliest = await earliestTime()
    return facts
  }
}

extension PlayerFacts.Track {
  /// Returns nil for a track of pictures.
  fileprivate init?(_ track: PlayerSnapshot.Track) {
    switch track.kind {
    case .video: return nil
    case .audio:
      self.init(kind: .audio, language: track.language, isSelected: track.isSelected)
    case .subtitles:
      let file = track.file.flatMap { FilmIdentity.scheme(of: $0) == nil ? $0 : nil }
      self.init(
        kind: .subtitles, language: track.language, file: file, isSelected: track.isSelected)
    }
  }
}

extension ScreeningEvent.VideoLocation {
  init(_ mode: MPVConfiguration.VideoMode) {
    self =
      switch mode {
      case .window: .window
      case .frames: .terminal
      case .none: .none
      }
  }
}

extension MPVConfiguration.VideoMode {
  fileprivate init(_ location: ScreeningEvent.VideoLocation) {
    self =
      switch location {
      case .window: .window
      case .terminal: .frames
      case .none: .none
      }
  }
}
