import Timekeeping

/// The order in which the parts of a smaller copy are made: first the beginning, which each player reads, then on from the
/// last jump. An encoder that falls behind the film doesn't leave out the part for which a friend waits.
package struct PartOrder: Sendable {
  private var missing: Set<Int>
  /// The duration of a part.
  private let duration: Duration
  /// The part to which the last jump led.
  private var begin = 0
  /// The part that played last, and when.
  private var last: (part: Int, at: HostTime)?

  /// - Parameter seconds: the duration of a part, in seconds, from 1.
  package init(parts: Int, seconds: Int) {
    missing = Set(0..<parts)
    duration = .seconds(seconds)
  }

  /// Returns the part to make now; nil when all are made.
  ///
  /// - Parameter part: the one that plays now.
  package mutating func next(at part: Int, now: HostTime) -> Int? {
    if let last {
      // At double speed a film goes on by two parts in the time of one.
      let reach = last.part + 1 + Int(2 * (now - last.at).inSeconds / duration.inSeconds)
      if !(last.part...reach).contains(part) { begin = part }
    } else {
      begin = part
    }
    last = (part, now)
    let next = missing.contains(0) ? 0 : missing.filter { $0 >= begin }.min() ?? missing.min()
    return next.flatMap { missing.remove($0) }
  }
}
