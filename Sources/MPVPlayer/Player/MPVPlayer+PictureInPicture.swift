/// Picture in picture.
extension MPVPlayer {
  /// A Boolean value that indicates whether the window is small, or will be when it opens.
  package var isPictureInPicture: Bool { smallWindow.isSmall }

  /// Makes the window small, or restores it. A window that isn't open yet opens that way.
  ///
  /// The change interrupts playback for a moment, because the window is closed and opened: its position is read only
  /// when it opens (X11). On Wayland the compositor decides the position, and whether the window is above others.
  package func setPictureInPicture(_ isSmall: Bool) async throws(MPVError) {
    guard isSmall != isPictureInPicture, pictureOutput.mode == .window else { return }
    var arrangement = WindowArrangement()
    guard isSmall else {
      arrangement = smallWindow.ended() ?? arrangement
      for (name, _) in PictureInPicture.properties {
        if let value = arrangement.properties[name] { try await set(name, value) }
      }
      try await openWindowAgain()
      if let scale = arrangement.scale {
        // Only an open window has a scale; the first one of a session has the film's own size.
        request({ $0.setProperty(MPVProperty.currentWindowScale, .double(scale), id: $1) }) {
          _, _ in
        }
      }
      return
    }
    smallWindow.began()
    for (name, _) in PictureInPicture.properties {
      arrangement.properties[name] = try? await get(name).value
    }
    arrangement.scale = try? await get(MPVProperty.currentWindowScale).value.double
    smallWindow.remembered(arrangement)
    for (name, value) in PictureInPicture.properties { try await set(name, value) }
    // Also without a scale: between two films the window is open, but has none.
    try await openWindowAgain()
  }

  /// Closes the window and opens it again.
  private func openWindowAgain() async throws(MPVError) {
    try await set(MPVProperty.vo, .string(smallWindow.respelled(windowOutputs)))
  }

  /// Restores the properties when the window is gone, so that the next one is an ordinary one.
  func leavePictureInPicture() async {
    guard let arrangement = smallWindow.ended() else { return }
    for (name, value) in arrangement.properties { try? await set(name, value) }
  }
}
