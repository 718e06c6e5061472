/// A film's bytes, of which some may still be on their way. libmpv's threads read them.
package protocol MediaSource: AnyObject, Sendable {
  /// The number of bytes.
  var size: Int64 { get }

  /// Reads bytes at an offset, and blocks until the first of them is there.
  ///
  /// - Parameter isReleased: ends the wait as soon as it returns true; it is asked before each wait.
  /// - Returns: the number of bytes; 0 at the end; nil if the wait was ended, or if the bytes can't be had.
  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless isReleased: () -> Bool
  ) -> Int?

  /// Lets a blocked read ask again whether it is released.
  func wake()
}
