/// Lines and text over the picture in mpv's window, beside the user's own on-screen display.
extension MPVPlayer {
  /// Shows these lines over the picture in the window, in place of the previous ones.
  package func setLines(_ lines: [PictureLine]) {
    if overlays.linesChanged(lines) { drawOverlays() }
  }

  /// Shows this text over the picture in the window, in place of the previous one.
  package func setText(_ text: WindowText) {
    if overlays.textChanged(text) { drawOverlays() }
  }

  func windowChanged(_ value: MPVValue) {
    if overlays.windowChanged(WindowShape(value)) { drawOverlays() }
  }

  /// Draws the overlays in the window only: a frame target draws into the pictures itself.
  func drawOverlays() {
    let changes = overlays.changes(
      isWindow: pictureOutput.mode == .window, hasSubtitles: state.hasSubtitles)
    for (number, overlay) in changes { draw(overlay, as: number) }
  }

  /// Draws with mpv's command `osd-overlay`.
  private func draw(_ overlay: DrawnOverlay, as id: Int64) {
    request({ handle, reply in
      handle.command(
        .map([
          "name": .string(MPVCommand.osdOverlay), "id": .integer(id),
          "format": .string(overlay.events.isEmpty ? "none" : "ass-events"),
          "data": .string(overlay.events),
          "res_x": .integer(Int64(overlay.width)), "res_y": .integer(Int64(overlay.height)),
        ]), id: reply)
    }) { _, _ in }
  }
}
