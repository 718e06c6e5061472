/// A picture in memory that the caller owns: rows of pixels of four bytes, blue, green, red and one that is unused
/// (mpv's `bgr0`).
package struct PixelBuffer {
  /// The address of the first row.
  package let base: UnsafeRawPointer
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// The distance from one row to the next, in bytes; a multiple of 4.
  package let stride: Int

  /// - Parameter base: the address of the first row, a multiple of 4; the memory has to outlive the value.
  package init(base: UnsafeRawPointer, width: Int, height: Int, stride: Int) {
    precondition(width >= 0 && height >= 0 && stride >= 4 * width && stride % 4 == 0)
    self.base = base
    self.width = width
    self.height = height
    self.stride = stride
  }

  /// Returns a pixel's colour as 0x00RRGGBB.
  @inline(__always)
  func color(_ x: Int, _ y: Int) -> UInt32 {
    base.load(fromByteOffset: y * stride + 4 * x, as: UInt32.self) & 0xFF_FFFF
  }
}
