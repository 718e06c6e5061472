/// A copy of a picture. Its memory is kept from one picture to the next.
struct PictureCopy: Sendable {
  private(set) var width = 0
  private(set) var height = 0
  /// The pixels as 0x00RRGGBB, row by row; the highest byte is undefined.
  var pixels: [UInt32] = []

  mutating func copy(_ picture: PixelBuffer) {
    (width, height) = (picture.width, picture.height)
    let count = width * height
    if pixels.count != count { pixels = [UInt32](repeating: 0, count: count) }
    let rowBytes = 4 * width
    pixels.withUnsafeMutableBytes { bytes in
      for row in 0..<height {
        UnsafeMutableRawBufferPointer(rebasing: bytes[row * rowBytes..<(row + 1) * rowBytes])
          .copyMemory(
            from: UnsafeRawBufferPointer(
              start: picture.base + row * picture.stride, count: rowBytes))
      }
    }
  }

  /// Calls `body` with the picture.
  ///
  /// - Precondition: neither ``width`` nor ``height`` is 0.
  func withPixels<Result>(_ body: (PixelBuffer) -> Result) -> Result {
    pixels.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("a picture without pixels") }
      return body(PixelBuffer(base: base, width: width, height: height, stride: 4 * width))
    }
  }
}
