import Timekeeping

/// What each viewer decides alone. None of it is a matter of the group.
extension MPVPlayer {
  /// - Parameter step: percent, below zero for quieter. mpv keeps the volume within 0 and `volume-max`.
  public func addVolume(_ step: Double) async throws(MPVError) {
    try await command(.string(MPVCommand.add), .string(MPVProperty.volume), .string("\(step)"))
  }

  /// - Parameter volume: percent; what is above mpv's `volume-max` is that. Sets an end to muting, but for zero.
  public func setVolume(_ volume: Double) async throws(MPVError) {
    let highest = try await get(MPVProperty.volumeMax).value.double ?? 100
    try await set(MPVProperty.volume, .double(min(max(0, volume), highest)))
    if volume > 0, state.isMuted { try await set(MPVProperty.mute, .flag(false)) }
  }

  /// Whether the window covers the whole screen; without a window it is kept for the next.
  public func setFullscreen(_ isFullscreen: Bool) async throws(MPVError) {
    try await set(MPVProperty.fullscreen, .flag(isFullscreen))
  }

  /// The picture that stands or moves now, without subtitles or what is drawn over it, as a picture file's bytes: JPEG,
  /// unless the user's configuration has another `screenshot-format`. Nothing of it is on a disk.
  public func picture() async throws(MPVError) -> [UInt8] {
    // What was loaded just now isn't to be seen yet.
    let outcome = await wait(
      serial: transportSerial, until: .now() + .seconds(10), for: { $0.item.hasStarted })
    guard outcome == .met else { throw MPVError(.superseded, MPVCommand.screenshotToFile) }
    let file = try MemoryFile()
    try await command(
      .string(MPVCommand.screenshotToFile), .string(file.path), .string("video"))
    let bytes = file.bytes
    guard !bytes.isEmpty else { throw MPVError(.nothingToPlay, MPVCommand.screenshotToFile) }
    return bytes
  }

  public func toggleMute() async throws(MPVError) { try await cycle(MPVProperty.mute) }

  /// - Returns: the one that is heard now; nil for none.
  @discardableResult
  public func cycleAudioTrack() async throws(MPVError) -> PlayerSnapshot.Track? {
    try await cycle(MPVProperty.aid)
    guard let id = try await get(MPVProperty.aid).value.integer else { return nil }
    return state.tracks.first { $0.kind == .audio && $0.id == Int(id) }
  }

  public func cycleSubtitleTrack() async throws(MPVError) { try await cycle(MPVProperty.sid) }

  public func toggleSubtitleVisibility() async throws(MPVError) {
    guard videoMode != .frames else {
      state.areSubtitlesVisible.toggle()
      emitter.yield(.subtitlesChanged)
      return
    }
    try await cycle(MPVProperty.subVisibility)
  }

  /// - Parameter delay: above zero shows subtitles later.
  public func setSubtitleDelay(_ delay: Duration) async throws(MPVError) {
    try await set(MPVProperty.subDelay, .double(delay.inSeconds))
  }

  /// - Parameter delay: above zero plays the sound later, against the picture.
  public func setAudioDelay(_ delay: Duration) async throws(MPVError) {
    try await set(MPVProperty.audioDelay, .double(delay.inSeconds))
  }

  private func cycle(_ property: String) async throws(MPVError) {
    try await command(.string(MPVCommand.cycle), .string(property))
  }
}
