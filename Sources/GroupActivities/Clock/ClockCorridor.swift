/// The widest straight corridor that lies below all of some points and above all of some others.
///
/// Both sets bound one slowly drifting line, from above and from below, and each bound is the nearer to it the
/// quicker its message was. The corridor's middle is where the line most likely is: right if the quickest
/// messages of both ways were equally quick. Its slope is the line's. (Fitting each side by linear programming
/// goes back to Moon, Skelly and Towsley, 1999; here one slope serves both, and only the hulls count.)
struct ClockCorridor: Hashable, Sendable {
  struct Point: Hashable, Sendable {
    var time: Double
    var value: Double
  }

  /// The vertices of the convex hulls that face each other.
  private let ceiling: [Point]
  private let floor: [Point]
  /// Of the middle, per unit of time.
  let slope: Double
  /// Below zero if no straight line fits between.
  let width: Double
  /// The middle at time zero.
  private let intercept: Double

  /// - Parameters:
  ///   - uppers, lowers: in order of time; not empty.
  ///   - noise: how much of the width the chance of a few points may make. A slope of 50 ppm has to gain
  ///     half of this.
  ///   - slopes: which are possible.
  init?(uppers: [Point], lowers: [Point], noise: Double, slopes: ClosedRange<Double>) {
    guard !uppers.isEmpty, !lowers.isEmpty else { return nil }
    let ceiling = Self.hull(uppers, turn: 1)
    let floor = Self.hull(lowers, turn: -1)
    let toll = (noise * 0.5 + 20e-6) / (50e-6 * 50e-6)
    // Far from time zero the two walls' intercepts are differences of large numbers.
    let middle = (uppers[uppers.count - 1].time + uppers[0].time) / 2
    func walls(_ slope: Double) -> (low: Double, high: Double) {
      var (low, high) = (-Double.infinity, Double.infinity)
      for point in ceiling { high = min(high, point.value - slope * (point.time - middle)) }
      for point in floor { low = max(low, point.value - slope * (point.time - middle)) }
      return (low, high)
    }
    func gain(_ slope: Double) -> Double {
      let (low, high) = walls(slope)
      return high - low - toll * slope * slope
    }
    // Concave: a sum of minima of straight lines and a parabola.
    var (left, right) = (slopes.lowerBound, slopes.upperBound)
    while right - left > 0.05e-6 {
      let third = (right - left) / 3
      if gain(left + third) < gain(right - third) { left += third } else { right -= third }
    }
    let slope = (left + right) / 2
    let (low, high) = walls(slope)
    self.ceiling = ceiling
    self.floor = floor
    self.slope = slope
    width = high - low
    intercept = (low + high) / 2 - slope * middle
  }

  /// The slope of the line that lies above all points and as near to them as can be, on average: of the hull's
  /// edge that spans their mean time (Moon, Skelly and Towsley, 1999).
  ///
  /// - Parameter points: in order of time.
  static func slope(below points: [Point]) -> Double? {
    let hull = hull(points, turn: -1)
    let mean = points.reduce(0) { $0 + $1.time } / Double(max(1, points.count))
    guard let end = hull.firstIndex(where: { $0.time >= mean }), end > 0 else { return nil }
    let (a, b) = (hull[end - 1], hull[end])
    return (b.value - a.value) / (b.time - a.time)
  }

  /// Andrew's monotone chain: the vertices that a line from below (`turn` 1) or above (-1) can touch.
  private static func hull(_ points: [Point], turn: Double) -> [Point] {
    var hull: [Point] = []
    for point in points {
      while hull.count >= 2 {
        let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
        let cross =
          (b.time - a.time) * (point.value - a.value) - (b.value - a.value) * (point.time - a.time)
        guard cross * turn <= 0 else { break }
        hull.removeLast()
      }
      // Of two at one time only the inner one counts.
      if let last = hull.last, last.time == point.time {
        guard (last.value - point.value) * turn > 0 else { continue }
        hull.removeLast()
      }
      hull.append(point)
    }
    return hull
  }

  func middle(at time: Double) -> Double { intercept + slope * time }

  /// Between what the line lies at a time, whichever of the slopes it has.
  func bounds(at time: Double, slopes: ClosedRange<Double>) -> (low: Double, high: Double) {
    var (low, high) = (-Double.infinity, Double.infinity)
    for point in ceiling {
      let distance = time - point.time
      high = min(
        high, point.value + distance * (distance > 0 ? slopes.upperBound : slopes.lowerBound))
    }
    for point in floor {
      let distance = time - point.time
      low = max(
        low, point.value + distance * (distance > 0 ? slopes.lowerBound : slopes.upperBound))
    }
    return (low, high)
  }
}
