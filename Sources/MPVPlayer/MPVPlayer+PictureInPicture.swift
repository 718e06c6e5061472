/// The window's state before it became small.
struct WindowPlace: Hashable, Sendable {
  /// The properties' earlier values.
  var properties: [String: MPVValue] = [:]
  /// The window's scale relative to its film; nil if there was no window.
  var scale: Double?
}

/// Picture in picture: a small window in the corner, without a border and above all others.
extension MPVPlayer {
  /// A Boolean value that indicates whether the window is small, or will be when it opens.
  public var isPictureInPicture: Bool { beforePictureInPicture != nil }

  /// A quarter of the screen's width, at its lower right corner.
  private static let corner = "25%-24-24"
  /// The properties of the small window. They include the user's `autofit`, which would otherwise override the size.
  private static let small: [(name: String, value: MPVValue)] = [
    (MPVProperty.fullscreen, .flag(false)),
    (MPVProperty.maximized, .flag(false)),
    (MPVProperty.border, .flag(false)),
    (MPVProperty.onTop, .flag(true)),
    (MPVProperty.autofit, .string("")),
    (MPVProperty.autofitSmaller, .string("")),
    (MPVProperty.geometry, .string(corner)),
  ]

  /// Makes the window small, or restores it. A window that isn't open yet opens that way.
  ///
  /// The change interrupts playback for a moment, because the window is closed and opened: its position is read only
  /// when it opens (X11). On Wayland the compositor decides the position, and whether the window is above others.
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
        // Only an open window has a scale; the first one of a session has the film's own size.
        request({ $0.setProperty(MPVProperty.currentWindowScale, .double(scale), id: $1) }) {
          _, _ in
        }
      }
      return
    }
    // Set before any wait: a second press reverses the change.
    beforePictureInPicture = place
    for (name, _) in Self.small { place.properties[name] = try? await get(name).value }
    place.scale = try? await get(MPVProperty.currentWindowScale).value.double
    beforePictureInPicture = place
    for (name, value) in Self.small { try await set(name, value) }
    if place.scale != nil { try await openWindowAnew() }
  }

  /// Closes the window and opens it again, by another spelling of the same outputs, which is a change to mpv.
  private func openWindowAnew() async throws(MPVError) {
    hasRepeatedOutput.toggle()
    try await set(
      MPVProperty.vo, .string(windowOutputs + (hasRepeatedOutput ? ",null" : "")))
  }

  /// Restores the properties when the window is gone, so that the next one is an ordinary one.
  func leavePictureInPicture() async {
    guard let place = beforePictureInPicture else { return }
    beforePictureInPicture = nil
    for (name, value) in place.properties { try? await set(name, value) }
  }

  // MARK: - The mouse

  /// Starts or stops reporting the mouse's position in the picture (``PlayerEvent/pointerMoved(x:y:)``).
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

  /// Shows the position in the film, as mpv does after a seek with its own keys.
  public func showProgress() {
    request({ $0.command(.array([.string(MPVCommand.showProgress)]), id: $1) }) { _, _ in }
  }
}
