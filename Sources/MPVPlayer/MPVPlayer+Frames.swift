/// Where the picture goes.
extension MPVPlayer {
  /// Who shows the pictures while ``videoMode`` is ``MPVConfiguration/VideoMode/frames``.
  public nonisolated func setFrameTarget(_ target: (any FrameTarget)?) {
    handle.renderer?.setTarget(target)
  }

  /// Has the picture that is on handed over once more: the target has another size, or had left it out.
  public nonisolated func redrawFrame() { handle.renderer?.redraw() }

  /// Takes the picture somewhere else while playback goes on, which mpv holds up for a moment.
  ///
  /// - Precondition: ``MPVConfiguration/offersFrames`` for ``MPVConfiguration/VideoMode/frames``.
  public func setVideoMode(_ mode: MPVConfiguration.VideoMode) async throws(MPVError) {
    guard mode != videoMode else { return }
    precondition(mode != .frames || handle.renderer != nil, "the player offers no frames")
    let wasFrames = videoMode == .frames
    let subtitles = state.areSubtitlesVisible
    videoMode = mode
    drawOverlays()
    if mode != .window { await leavePictureInPicture() }
    if mode == .frames {
      for option in mode.options(hasDisplay: false) {
        try await set(option.name, .string(option.value))
      }
    } else {
      if wasFrames {
        try await set(MPVProperty.keepAspect, .flag(true))
        try await set(MPVProperty.osdLevel, .integer(1))
        try await set(MPVProperty.subVisibility, .flag(subtitles))
      }
      try await set(
        MPVProperty.vo, .string(mode == .none || Display.current == nil ? "null" : windowOutputs))
    }
  }

  /// Where no window opens, the picture goes on without one.
  var windowOutputs: String {
    (handle.configuredOutputs ?? Display.current?.outputs ?? "gpu") + ",null"
  }
}
