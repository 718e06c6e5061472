import Timekeeping

/// The bounds of the group's offset that follow from the participants' wall clocks.
///
/// Each wall clock that a time service keeps shows UTC within a known error. Two of them, one here and one at another
/// participant, therefore bound the offset between the two host clocks without a message between them: also the
/// asymmetry of the path, which no exchange can see. Wall clocks may be wrong, so the bounds narrow the proven interval
/// of the exchanges, and never move it.
struct ClockWitness: Hashable, Sendable {
  /// Group time minus host time.
  var lower: Duration
  var upper: Duration
  /// The host time for which the bounds hold.
  var taken: HostTime
  /// The number of other participants' wall clocks that agree.
  var count: Int

  /// - Parameters:
  ///   - own: this machine's wall clock, against its host clock.
  ///   - others: the other participants' wall clocks, against group time.
  /// - Returns: nil if there are none, or if they contradict one another.
  init?(own: WallClockRecord.Reading, others: [WallClockRecord.Reading], at now: HostTime) {
    let intervals = others.map { reading in
      (lower: reading.offset - reading.uncertainty, upper: reading.offset + reading.uncertainty)
    }
    guard let agreed = Self.agreement(of: intervals) else { return nil }
    lower = own.offset - own.uncertainty - agreed.upper
    upper = own.offset + own.uncertainty - agreed.lower
    taken = now
    count = agreed.count
  }

  /// Returns the range that contains the truth if less than half of the intervals don't (Marzullo, 1984): from the
  /// first to the last point that enough of them contain.
  ///
  /// - Returns: nil if no point is in enough intervals, else the range and the number of intervals that overlap it.
  static func agreement(
    of intervals: [(lower: Duration, upper: Duration)]
  ) -> (lower: Duration, upper: Duration, count: Int)? {
    guard !intervals.isEmpty else { return nil }
    let wrong = (intervals.count - 1) / 2
    let needed = intervals.count - wrong
    // At one point, an interval begins before another one ends.
    var edges: [(at: Duration, step: Int)] = []
    for interval in intervals { edges += [(interval.lower, 1), (interval.upper, -1)] }
    edges.sort { $0.at == $1.at ? $0.step > $1.step : $0.at < $1.at }
    var depth = 0
    var range: (lower: Duration, upper: Duration)?
    for edge in edges {
      if edge.step > 0 {
        depth += 1
        if depth == needed { range = (range?.lower ?? edge.at, edge.at) }
      } else {
        if depth == needed { range?.upper = edge.at }
        depth -= 1
      }
    }
    return range.map { range in
      let count = intervals.count { $0.lower <= range.upper && $0.upper >= range.lower }
      return (range.lower, range.upper, count)
    }
  }

  /// Returns an estimate, narrowed to the bounds; nil if they contradict it.
  ///
  /// An estimate within the bounds stays: most paths are nearly even, and wall clocks are seldom better than their
  /// bounds by much. One beyond them is refuted. The further away it is, the less it counts; from half of the bounds'
  /// width on, only their middle does. The uncertainty never grows by that.
  func narrow(
    _ estimate: ClockEstimator.Estimate, at now: HostTime
  ) -> ClockEstimator.Estimate? {
    let growth = (now - taken).magnitude * WallClockRecord.growth
    let low = max(lower - growth, estimate.offset - estimate.uncertainty)
    let high = min(upper + growth, estimate.offset + estimate.uncertainty)
    guard low <= high else { return nil }
    var result = estimate
    let half = (high - low) / 2
    let beyond = max(low - estimate.offset, estimate.offset - high)
    if beyond > .zero {
      let share = beyond < half ? 1 - beyond / half : 0
      result.offset = low + half + half * (estimate.offset > high ? share : -share)
    }
    result.uncertainty = max(high - result.offset, result.offset - low)
    return result
  }
}
