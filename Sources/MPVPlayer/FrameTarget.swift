/// A picture in memory: rows of pixels of four bytes, blue, green, red and one that means nothing (`bgr0`).
public struct VideoFrame {
  public let base: UnsafeRawPointer
  /// In pixels.
  public let width: Int
  public let height: Int
  /// From one row to the next, in bytes.
  public let stride: Int
}

/// Shows a player's pictures. Called on the player's render thread, which may wait in it, and where nothing of
/// libmpv may be called, nor a lock be taken under which somebody calls it (`mpv/render.h`, "Threading").
public protocol FrameTarget: Sendable {
  /// How large the next picture is to be, in pixels; nil if it is to be left out. Its shape is the target's
  /// affair: the picture fills it.
  func nextFrameSize() -> (width: Int, height: Int)?

  /// Gets the picture ready. It is valid until this returns.
  func prepare(_ frame: VideoFrame)

  /// Shows it: it is time.
  func present()
}
