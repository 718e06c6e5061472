/// Makes a still picture exact: errors within the tolerance are invisible while the film moves, but visible when it
/// doesn't.
///
/// Each picture adds a few rows, so that the amount is never large. Films that hold each picture for two or three
/// frames, like animated ones, don't count as still.
struct Refinement: Hashable, Sendable {
  /// The number of equal pictures in a row that make a still one.
  private static let patience = 3
  /// The divisor that gives the number of cells to send with one picture.
  private static let share = 8

  private var fingerprint: UInt64 = 0
  private var repetitions = 0
  /// The next row to make exact; nil once all rows are.
  private(set) var row: Int? = 0

  /// Begins from the first row, because the shown cells aren't known.
  mutating func restart() { self = Refinement() }

  /// Begins the refinement of a picture.
  ///
  /// - Parameter isStill: whether the picture certainly doesn't change: then there is no wait.
  /// - Returns: the first row to make exact, and the number of cells that may be sent; nil for none.
  mutating func begin(_ picture: PixelBuffer, cells: Int, isStill: Bool) -> (row: Int, cells: Int)?
  {
    let fingerprint = picture.fingerprint
    guard fingerprint == self.fingerprint else {
      self.fingerprint = fingerprint
      repetitions = 0
      row = 0
      return nil
    }
    repetitions += 1
    guard let row, isStill || repetitions >= Self.patience else { return nil }
    return (row, max(1, cells / Self.share))
  }

  /// Ends the refinement of a picture.
  ///
  /// - Parameter next: the first row that isn't exact yet; nil if all are.
  mutating func end(at next: Int?) { row = next }

  /// A Boolean value that indicates whether encoding the same picture again would make it more exact.
  var isUnfinished: Bool { row != nil }
}

extension PixelBuffer {
  /// A hash of the pixels, in practice different for different pixels.
  fileprivate var fingerprint: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for y in 0..<height {
      for x in 0..<width {
        hash = (hash ^ UInt64(color(x, y))) &* 0x100_0000_01B3
      }
    }
    return hash
  }
}
