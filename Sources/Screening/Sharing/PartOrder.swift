import Timekeeping

/// The order in which the parts of a smaller copy are made: first the beginning, which each player reads, then on from the
/// last jump. An encoder that falls behind the film doesn't leave out the part for which a friend waits, and every other
/// part is one that a friend's player asks for: it may be elsewhere, and begins to read a little before its position.
package struct PartOrder: Sendable {
  private var missing: Set<Int>
  /// The duration of a part.
  private let duration: Duration
  /// The part to which the last jump led.
  private var begin = 0
  /// The part that played last, and when.
  private var last: (part: Int, at: HostTime)?
  /// The parts that players ask for, and whether the part made last was one of them.
  private var asked: [Int] = []
  private var wasAsked = false

  /// - Parameter seconds: the duration of a part, in seconds, from 1.
  package init(parts: Int, seconds: Int) {
    missing = Set(0..<parts)
    duration = .seconds(seconds)
  }

  /// A friend's player waits for a part.
  package mutating func ask(for part: Int) {
    if missing.contains(part), !asked.contains(part) { asked.append(part) }
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
    asked.removeAll { !missing.contains($0) }
    let wanted = wasAsked ? nil : asked.first
    wasAsked = wanted != nil
    let following = missing.filter { $0 >= begin }.min() ?? missing.min()
    return (missing.contains(0) ? 0 : wanted ?? following).flatMap { missing.remove($0) }
  }
}
