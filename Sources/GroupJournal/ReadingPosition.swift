import Timekeeping

/// The needs of one reader of an attachment, in chunks.
struct ReadingPosition: Hashable, Sendable {
  /// The chunk at which the reader reads.
  var head = 0
  /// The chunks that blocked reads wait for.
  var blocked: [Int] = []
  /// The ranges that it prefers after its read-ahead window, in this order.
  var preferred: [Range<Int>] = []
}
