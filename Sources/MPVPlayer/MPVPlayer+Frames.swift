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
      let display = mode == .window ? Display.current : nil
      if let display { await confine(to: display) }
      try await set(MPVProperty.vo, .string(display == nil ? "null" : windowOutputs))
    }
  }

  /// Has the window opened on this display and on nothing else, as far as the user's configuration leaves that open.
  /// What mpv was started with, without a window, may not hold by now, and on its own it would try the console too.
  private func confine(to display: Display) async {
    guard let api = handle.openGraphicsAPI else { return }
    for contexts in display.graphicsContexts(api: api) {
      if (try? await set(MPVProperty.gpuContext, .string(contexts))) != nil { return }
    }
  }

  /// Where no window opens, the picture goes on without one.
  var windowOutputs: String {
    (handle.configuredOutputs ?? Display.current?.outputs ?? "gpu") + ",null"
  }
}
