/// The destination of the picture.
struct PictureOutput: Hashable, Sendable {
  private(set) var mode: MPVConfiguration.VideoMode
  /// A Boolean value that indicates whether the output is `vo=null` because a window could not be opened.
  private(set) var hasNoWindow = false
  /// A Boolean value that indicates whether the file that needed a window was opened again without it.
  private var hasOpenedWithoutWindow = false
  /// mpv's `fullscreen`, with a window or without.
  private var isFullscreen = false
  /// A Boolean value that indicates whether mpv draws the subtitles into the pictures that it hands out.
  private(set) var drawsSubtitles = false
  /// A Boolean value that indicates whether the picture is made of several.
  private var hasGrid = false

  init(mode: MPVConfiguration.VideoMode) { self.mode = mode }

  mutating func modeChanged(_ mode: MPVConfiguration.VideoMode) { self.mode = mode }

  /// - Returns: false if nothing changes.
  mutating func drawSubtitles(_ isDrawn: Bool) -> Bool {
    defer { drawsSubtitles = isDrawn }
    return isDrawn != drawsSubtitles
  }

  mutating func fullscreenChanged(_ isFullscreen: Bool) { self.isFullscreen = isFullscreen }

  /// A Boolean value that indicates whether the window covers the whole screen; nil without a window.
  var coversScreen: Bool? { mode == .window && !hasNoWindow ? isFullscreen : nil }

  // MARK: A window that can't be opened

  /// Returns whether a line of mpv's log says that the window failed, for the first time; there is no event.
  mutating func windowFailed(_ line: String) -> Bool {
    guard line.contains("the selected video_out (--vo) device"), !hasNoWindow else { return false }
    hasNoWindow = true
    return true
  }

  /// Returns whether a window that couldn't be opened may be the reason for the end of a file of ours.
  func mayLackWindow(_ reason: MPVEvent.EndOfFile.Reason, mayOpenWindow: Bool) -> Bool {
    (reason == .error || reason == .eof) && !hasOpenedWithoutWindow && mayOpenWindow
  }

  /// The file is opened again without its window, which happens once.
  mutating func opensWithoutWindow() { hasOpenedWithoutWindow = true }

  // MARK: Several pictures

  mutating func gridShown() { hasGrid = true }

  /// Returns whether there was a grid, which must be removed.
  mutating func gridEnded() -> Bool {
    defer { hasGrid = false }
    return hasGrid
  }
}
