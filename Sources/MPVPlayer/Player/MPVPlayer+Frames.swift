/// The destination of the picture.
extension MPVPlayer {
  /// Sets the receiver of the pictures while ``videoMode`` is ``MPVConfiguration/VideoMode/frames``.
  package nonisolated func setFrameTarget(_ target: (any FrameTarget)?) {
    handle.renderer?.setTarget(target)
  }

  /// Passes the current picture to the target again, because the target has another size or had left the picture out.
  package nonisolated func redrawFrame() { handle.renderer?.redraw() }

  /// Changes the destination of the picture during playback, which mpv interrupts for a moment.
  ///
  /// - Precondition: ``MPVConfiguration/offersFrames`` for ``MPVConfiguration/VideoMode/frames``.
  package func setVideoMode(_ mode: MPVConfiguration.VideoMode) async throws(MPVError) {
    guard mode != pictureOutput.mode else { return }
    precondition(mode != .frames || handle.renderer != nil, "the player offers no frames")
    let wasFrames = pictureOutput.mode == .frames
    let subtitles = state.areSubtitlesVisible
    pictureOutput.modeChanged(mode)
    drawOverlays()
    if mode != .window { await leavePictureInPicture() }
    if mode == .frames {
      for option in mode.options(hasDisplay: false) {
        try await set(option.name, .string(option.value))
      }
      try await showSubtitlesInFrames()
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

  /// Sets whether mpv draws the subtitles into the pictures that it hands out, instead of leaving them to the target.
  package func drawSubtitles(_ isDrawn: Bool) async throws(MPVError) {
    guard pictureOutput.drawSubtitles(isDrawn), pictureOutput.mode == .frames else { return }
    try await showSubtitlesInFrames()
  }

  /// Passes the viewer's choice on to mpv as far as it draws subtitles.
  func showSubtitlesInFrames() async throws(MPVError) {
    let isShown = pictureOutput.drawsSubtitles && state.areSubtitlesVisible
    try await set(MPVProperty.subVisibility, .flag(isShown))
  }

  /// Limits the window to this display, as far as the user's configuration leaves that open. The context that mpv chose
  /// at its start, without a window, may no longer be right, and mpv on its own would also try the console.
  private func confine(to display: Display) async {
    guard let api = handle.openGraphicsAPI else { return }
    for contexts in display.graphicsContexts(api: api) {
      if (try? await set(MPVProperty.gpuContext, .string(contexts))) != nil { return }
    }
  }

  /// The outputs for a window. If no window opens, the picture continues without one.
  var windowOutputs: String {
    (handle.configuredOutputs ?? Display.current?.outputs ?? "gpu") + ",null"
  }
}
