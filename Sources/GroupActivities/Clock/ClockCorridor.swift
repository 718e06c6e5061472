/// The widest straight corridor that lies below all of some points and above all of some others.
///
/// Both sets bound one slowly drifting line, from above and from below. The quicker a message was, the nearer
/// its bound is to the line. The corridor's middle is the line's most likely location: it is exact if the
/// quickest messages of both directions were equally quick. The corridor's slope is the line's slope.
/// (Fitting each side by linear programming goes back to Moon, Skelly and Towsley, 1999; here one slope
/// serves both sides, and only the hulls count.)
struct ClockCorridor: Hashable, Sendable {
  struct Point: Hashable, Sendable {
    var time: Double
    var value: Double
  }

  /// The vertices of the convex hulls that face each other.
  private let ceiling: [Point]
  private let floor: [Point]
  /// The slope of the middle, per unit of time.
  let slope: Double
  /// The corridor's width; below zero if no straight line fits between the points.
  let width: Double
  /// The value of the middle at time zero.
  private let intercept: Double

  /// - Parameters:
  ///   - uppers, lowers: the points in order of time; not empty.
  ///   - noise: the part of the width that a few points may contribute by chance. A slope of 50 ppm has to
  ///     gain half of this.
  ///   - slopes: the possible slopes.
  init?(uppers: [Point], lowers: [Point], noise: Double, slopes: ClosedRange<Double>) {
    guard !uppers.isEmpty, !lowers.isEmpty else { return nil }
    let ceiling = Self.hull(uppers, turn: 1)
    let floor = Self.hull(lowers, turn: -1)
    let toll = (noise * 0.5 + 20e-6) / (50e-6 * 50e-6)
    // The walls' intercepts far from time zero are differences of large numbers, so they are taken at the
    // middle of the points' time.
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

  /// Returns the slope of the line that lies above all points and is as near to them as possible on average:
  /// the slope of the hull's edge that spans the points' mean time (Moon, Skelly and Towsley, 1999).
  ///
  /// - Parameter points: the points in order of time.
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
      // If two points have the same time, only the inner one counts.
      if let last = hull.last, last.time == point.time {
        guard (last.value - point.value) * turn > 0 else { continue }
        hull.removeLast()
      }
      hull.append(point)
    }
    return hull
  }

  func middle(at time: Double) -> Double { intercept + slope * time }

  /// Returns the bounds of the line's value at a time, for all of the given slopes.
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
