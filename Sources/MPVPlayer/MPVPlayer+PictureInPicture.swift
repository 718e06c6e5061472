/// What a window was like before it became small.
struct WindowPlace: Hashable, Sendable {
  /// Properties as they were.
  var properties: [String: MPVValue] = [:]
  /// How large it was against its film; nil where there was no window.
  var scale: Double?
}

/// The window as a small one in the corner, without a border and above all others.
extension MPVPlayer {
  /// Whether the window is small, or will be when it opens.
  public var isPictureInPicture: Bool { beforePictureInPicture != nil }

  /// A quarter of the screen's width, at its lower right corner.
  private static let corner = "25%-24-24"
  /// So that the user's `autofit` doesn't have the last word over the size.
  private static let small: [(name: String, value: MPVValue)] = [
    (MPVProperty.fullscreen, .flag(false)),
    (MPVProperty.maximized, .flag(false)),
    (MPVProperty.border, .flag(false)),
    (MPVProperty.onTop, .flag(true)),
    (MPVProperty.autofit, .string("")),
    (MPVProperty.autofitSmaller, .string("")),
    (MPVProperty.geometry, .string(corner)),
  ]

  /// Makes the window small, and as it was before. A window that isn't open yet opens so.
  ///
  /// Playback is held up for a moment, since the window is another one then: where it stands is asked for only when it
  /// opens (X11). On Wayland the compositor decides where it stands, and whether it is above others.
  public func setPictureInPicture(_ isSmall: Bool) async throws(MPVError) {
    guard isSmall != isPictureInPicture, videoMode == .window else { return }
    var place = WindowPlace()
    guard isSmall else {
      place = beforePictureInPicture ?? place
      beforePictureInPicture = nil
      for (name, _) in Self.small {
        if let value = place.properties[name] { try await set(name, value) }
      }
      try await openWindowAnew()
      if let scale = place.scale {
        // Only a window that is open has a scale; the first one of a session has the film's own size.
        request({ $0.setProperty(MPVProperty.currentWindowScale, .double(scale), id: $1) }) {
          _, _ in
        }
      }
      return
    }
    // Before any wait: a second press is the way back.
    beforePictureInPicture = place
    for (name, _) in Self.small { place.properties[name] = try? await get(name).value }
    place.scale = try? await get(MPVProperty.currentWindowScale).value.double
    beforePictureInPicture = place
    for (name, value) in Self.small { try await set(name, value) }
    if place.scale != nil { try await openWindowAnew() }
  }

  /// Another spelling of the same outputs is a change to mpv, which closes the window and opens it.
  private func openWindowAnew() async throws(MPVError) {
    hasRepeatedOutput.toggle()
    try await set(
      MPVProperty.vo, .string(windowOutputs + (hasRepeatedOutput ? ",null" : "")))
  }

  /// The window is gone: the next one is an ordinary one.
  func leavePictureInPicture() async {
    guard let place = beforePictureInPicture else { return }
    beforePictureInPicture = nil
    for (name, value) in place.properties { try? await set(name, value) }
  }

  // MARK: - The mouse

  /// Tells where the mouse points in the picture (``PlayerEvent/pointerMoved(x:y:)``), or stops that.
  public func followPointer(_ isFollowed: Bool) {
    guard isFollowed != (pointerObserver != nil) else { return }
    if let observer = pointerObserver {
      handle.unobserveProperty(observer: observer)
      pointerObserver = nil
    } else {
      let observer = makeObserver()
      pointerObserver = observer
      handle.observeProperty(MPVProperty.mousePos, observer: observer)
    }
  }

  func pointerMoved(_ value: MPVValue) {
    let (width, height) = (
      window.width - window.left - window.right, window.height - window.top - window.bottom
    )
    guard width > 0, height > 0, let x = value["x"]?.double, let y = value["y"]?.double else {
      return
    }
    emitter.yield(.pointerMoved(x: (x - window.left) / width, y: (y - window.top) / height))
  }

  /// Where in the film one is, as mpv shows it after a seek by its own keys.
  public func showProgress() {
    request({ $0.command(.array([.string(MPVCommand.showProgress)]), id: $1) }) { _, _ in }
  }
}
