/// Makes a picture that stands exact: what a tolerance lets pass while the film moves is seen once it doesn't.
///
/// A few rows with each picture, so that it is never much at once; films that hold each picture for two or three
/// frames, as drawn ones do, aren't taken for standing.
struct Refinement: Hashable, Sendable {
  /// So many pictures in a row have to be the same.
  private static let patience = 3
  /// Of the cells, with one picture.
  private static let share = 8

  private var fingerprint: UInt64 = 0
  private var repetitions = 0
  /// How far it has come; nil once all rows are exact.
  private(set) var row: Int? = 0

  /// Nothing is known of what is shown.
  mutating func restart() { self = Refinement() }

  /// - Parameter stands: whether nothing moves for certain: then there is nothing to wait for.
  /// - Returns: the first row to be made exact, and how many cells may be sent; nil for none.
  mutating func begin(_ picture: PixelBuffer, cells: Int, stands: Bool) -> (row: Int, cells: Int)? {
    let fingerprint = picture.fingerprint
    guard fingerprint == self.fingerprint else {
      self.fingerprint = fingerprint
      repetitions = 0
      row = 0
      return nil
    }
    repetitions += 1
    guard let row, stands || repetitions >= Self.patience else { return nil }
    return (row, max(1, cells / Self.share))
  }

  /// - Parameter next: the first row that isn't exact yet; nil if all are.
  mutating func end(at next: Int?) { row = next }

  /// Whether the same picture once more would be made more exact.
  var isUnfinished: Bool { row != nil }
}

extension PixelBuffer {
  /// The same for the same pixels, and in practice for no others.
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
