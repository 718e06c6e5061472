/// Collects the bytes of a head up to its empty line. It examines each byte once.
struct HeadBuffer: Hashable, Sendable {
  enum Outcome: Hashable, Sendable {
    case incomplete
    case tooLong
    /// - Parameter rest: the bytes after the head.
    case complete(head: [UInt8], rest: [UInt8])
  }

  /// The bytes that have arrived, of a head that isn't complete.
  private(set) var bytes: [UInt8] = []
  private var searched = 0

  mutating func append(_ more: some Sequence<UInt8>) -> Outcome {
    bytes += more
    while searched < bytes.count {
      searched += 1
      guard searched >= 4, bytes[searched - 1] == 0x0A, bytes[searched - 2] == 0x0D,
        bytes[searched - 3] == 0x0A, bytes[searched - 4] == 0x0D
      else {
        guard searched < ProxyRequest.headLimit else { return .tooLong }
        continue
      }
      return .complete(head: Array(bytes[..<searched]), rest: Array(bytes[searched...]))
    }
    return .incomplete
  }
}
