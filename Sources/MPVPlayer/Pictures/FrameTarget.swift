/// A picture in memory: rows of pixels of four bytes: blue, green, red and an unused one (`bgr0`).
package struct VideoFrame {
  /// The address of the first row. The memory belongs to the player, and is valid until the target's method returns.
  package let base: UnsafeRawPointer
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// The distance from one row to the next, in bytes.
  package let stride: Int
}

/// A receiver of a player's pictures. The player calls it on its render thread. Its methods may wait there, but must
/// not call libmpv, nor take a lock under which another thread calls libmpv (`mpv/render.h`, "Threading").
package protocol FrameTarget: Sendable {
  /// Returns the size of the next picture in pixels; nil if the picture should be left out. The target decides the
  /// shape: the picture fills it.
  func nextFrameSize() -> (width: Int, height: Int)?

  /// Prepares the picture. The picture is valid until this returns.
  func prepare(_ frame: VideoFrame)

  /// Shows the prepared picture at its time.
  func present()
}
