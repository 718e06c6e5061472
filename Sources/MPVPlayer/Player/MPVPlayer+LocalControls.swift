import Timekeeping

/// Settings that each viewer makes alone. None of them affects the group.
extension MPVPlayer {
  /// Changes the volume.
  ///
  /// - Parameter step: per cent, below zero for quieter. mpv keeps the volume between 0 and `volume-max`.
  /// - Returns: the volume now, in per cent.
  @discardableResult
  package func addVolume(_ step: Double) async throws(MPVError) -> Double {
    try await command(.string(MPVCommand.add), .string(MPVProperty.volume), .string("\(step)"))
    return try await get(MPVProperty.volume).value.double ?? state.volume
  }

  /// Sets the volume. A volume above zero also ends muting.
  ///
  /// - Parameter volume: per cent; limited to mpv's `volume-max`.
  /// - Returns: the volume that was set.
  @discardableResult
  package func setVolume(_ volume: Double) async throws(MPVError) -> Double {
    let highest = try await get(MPVProperty.volumeMax).value.double ?? 100
    let volume = min(max(0, volume), highest)
    try await set(MPVProperty.volume, .double(volume))
    if volume > 0, state.isMuted { try await set(MPVProperty.mute, .flag(false)) }
    return volume
  }

  /// Sets whether the window covers the whole screen. Without a window the setting applies to the next one.
  package func setFullscreen(_ isFullscreen: Bool) async throws(MPVError) {
    try await set(MPVProperty.fullscreen, .flag(isFullscreen))
  }

  /// Returns the current picture, without subtitles and overlays, as the contents of a picture file: JPEG, unless the
  /// user's configuration has another `screenshot-format`. Nothing is written to a disk.
  package func pictureFile() async throws(MPVError) -> [UInt8] {
    // A film that was loaded just now has no picture yet.
    let outcome = await wait(
      serial: transportSerial, until: .now() + .seconds(10), for: { $0.film.item.hasStarted })
    guard outcome == .met else { throw MPVError(.superseded, MPVCommand.screenshotToFile) }
    let file = try MemoryFile()
    let arguments = MPVValue.array([
      .string(MPVCommand.screenshotToFile), .string(file.path), .string("video"),
    ])
    _ = try await answer(
      MPVCommand.screenshotToFile, { $0.command(arguments, writingTo: file, id: $1) })
    let bytes = file.bytes
    guard !bytes.isEmpty else { throw MPVError(.nothingToPlay, MPVCommand.screenshotToFile) }
    return bytes
  }

  /// Mutes or unmutes the sound.
  ///
  /// - Returns: whether the sound is muted now.
  @discardableResult
  package func toggleMute() async throws(MPVError) -> Bool {
    try await cycle(MPVProperty.mute)
    return try await get(MPVProperty.mute).value.flag ?? false
  }

  /// Lowers the sound by 12 dB, or ends that. The volume that the user sees stays: mpv's amplification of films with a
  /// known loudness changes, and that of the others.
  package func lower(_ isLowered: Bool) async throws(MPVError) {
    guard sound.lower(isLowered) else { return }
    for gain in [MPVProperty.replayGainFallback, MPVProperty.replayGainPreamp] {
      let decibels = try await get(gain).value.double ?? 0
      try await set(gain, .double(decibels + (isLowered ? -12 : 12)))
    }
  }

  /// A track among the tracks of its kind.
  package struct TrackChoice: Hashable, Sendable {
    /// The track; nil for none.
    package var track: PlayerSnapshot.Track?
    /// The track's number, from 1; 0 for none.
    package var number: Int
    /// The number of tracks of the kind, without the choice of none.
    package var count: Int
  }

  /// Plays the next audio track, or the first one after the last.
  @discardableResult
  package func cycleAudioTrack() async throws(MPVError) -> TrackChoice {
    try await cycle(.audio, MPVProperty.aid, by: 1, includingNone: false)
  }

  /// Shows the subtitle track that is `step` tracks further; no subtitles is one of the choices.
  @discardableResult
  package func cycleSubtitleTrack(by step: Int = 1) async throws(MPVError) -> TrackChoice {
    try await cycle(.subtitles, MPVProperty.sid, by: step, includingNone: true)
  }

  private func cycle(
    _ kind: PlayerSnapshot.Track.Kind, _ property: String, by step: Int, includingNone: Bool
  ) async throws(MPVError) -> TrackChoice {
    let tracks = state.tracks.filter { $0.kind == kind }
    let id = try await get(property).value.integer.map(Int.init)
    // 0 is none.
    let current = tracks.firstIndex { $0.id == id }.map { $0 + 1 } ?? 0
    let lowest = includingNone ? 0 : 1
    guard tracks.count >= 1 else { return TrackChoice(track: nil, number: 0, count: 0) }
    let choices = tracks.count + 1 - lowest
    let steps = current < lowest ? 0 : current - lowest + step
    let number = lowest + (steps % choices + choices) % choices
    let track = number == 0 ? nil : tracks[number - 1]
    if number != current {
      try await set(property, track.map { .integer(Int64($0.id)) } ?? .string("no"))
      try await readTracks()
    }
    return TrackChoice(track: track, number: number, count: tracks.count)
  }

  /// Shows or hides the subtitles.
  ///
  /// - Returns: whether subtitles are shown now.
  @discardableResult
  package func toggleSubtitleVisibility() async throws(MPVError) -> Bool {
    guard pictureOutput.mode != .frames else {
      state.subtitlesShown(!state.areSubtitlesVisible)
      try await showSubtitlesInFrames()
      emitter.yield(.subtitlesChanged)
      return state.areSubtitlesVisible
    }
    try await cycle(MPVProperty.subVisibility)
    return try await get(MPVProperty.subVisibility).value.flag ?? true
  }

  private func cycle(_ property: String) async throws(MPVError) {
    try await command(.string(MPVCommand.cycle), .string(property))
  }
}
