import MPVPlayer
import TerminalUI
import TerminalVideo

/// Draws mpv's pictures in the screen's pane.
struct PaneTarget: FrameTarget {
  let surface: PictureSurface

  func nextFrameSize() -> (width: Int, height: Int)? { surface.nextPictureSize() }

  func prepare(_ frame: VideoFrame) {
    surface.prepare(
      PixelBuffer(
        base: frame.base, width: frame.width, height: frame.height, stride: frame.stride))
  }

  func present() { surface.present() }
}
