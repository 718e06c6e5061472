import Foundation

/// The widest straight corridor that lies below all of some points and above all of some others.
///
/// Both sets bound one slowly drifting line, from above and from below. The quicker a message was, the nearer
/// its bound is to the line. The corridor's middle is the line's most likely location: it is exact if the
/// quickest messages of both directions were equally quick. The corridor's slope is the line's slope.
/// (Fitting each side by linear programming goes back to Moon, Skelly and Towsley, 1999; here one slope
/// serves both sides, and only the hulls count.)
///
/// Many slopes are possible, and the one with the widest corridor changes with each quick message. The middle and the
/// slope are therefore means over all slopes, each as heavy as it is likely.
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
  ///   - noise: the usual excess of a point, divided by the number of points: the part of the width that a few points
  ///     contribute by chance.
  ///   - slopes: the possible slopes.
  init?(uppers: [Point], lowers: [Point], noise: Double, slopes: ClosedRange<Double>) {
    guard !uppers.isEmpty, !lowers.isEmpty else { return nil }
    ceiling = Self.hull(uppers, turn: 1)
    floor = Self.hull(lowers, turn: -1)
    // The walls' intercepts far from time zero are differences of large numbers, so they are taken at the
    // middle of the points' time.
    let middle = (uppers[uppers.count - 1].time + uppers[0].time) / 2
    let likelihood = Likelihood(
      ceiling: ceiling, floor: floor, middle: middle, scale: noise / 2 + Self.rounding)
    let mean = likelihood.mean(over: slopes)
    slope = mean.slope
    width = mean.width
    intercept = mean.value - slope * middle
  }

  /// The error of the points' own values.
  private static let rounding = 5e-6

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

  /// The likelihood of a slope: the greater, the wider the corridor is, and the less the clocks drift.
  ///
  /// Excesses that are distributed exponentially are as likely as `exp(-sum / scale)`, so a corridor that is wider by the
  /// scale is e times as likely.
  private struct Likelihood {
    let ceiling: [Point]
    let floor: [Point]
    let middle: Double
    let scale: Double

    /// The usual drift between two clocks.
    private static let drift = 20e-6
    /// The resolution of slopes.
    private static let resolution = 0.05e-6
    /// The logarithm of the weight below which slopes are left out.
    private static let negligible = -8.0
    private static let count = 32

    private func walls(_ slope: Double) -> (low: Double, high: Double) {
      var (low, high) = (-Double.infinity, Double.infinity)
      for point in ceiling { high = min(high, point.value - slope * (point.time - middle)) }
      for point in floor { low = max(low, point.value - slope * (point.time - middle)) }
      return (low, high)
    }

    /// The logarithm of the likelihood. Concave: a sum of minima of straight lines and a roof.
    private func logarithm(_ slope: Double) -> Double {
      let (low, high) = walls(slope)
      return (high - low) / scale - slope.magnitude / Self.drift
    }

    private func mode(in slopes: ClosedRange<Double>) -> Double {
      var (left, right) = (slopes.lowerBound, slopes.upperBound)
      while right - left > Self.resolution {
        let third = (right - left) / 3
        if logarithm(left + third) < logarithm(right - third) {
          left += third
        } else {
          right -= third
        }
      }
      return (left + right) / 2
    }

    /// Returns the slope between the mode and a bound from which on slopes are negligible.
    private func edge(from mode: Double, to bound: Double, least: Double) -> Double {
      guard logarithm(bound) < least else { return bound }
      var (near, far) = (mode, bound)
      while (far - near).magnitude > Self.resolution {
        let half = (near + far) / 2
        if logarithm(half) < least { far = half } else { near = half }
      }
      return far
    }

    /// Returns the mean slope, and the corridor's mean middle and mean width at the middle of the points' time.
    func mean(over slopes: ClosedRange<Double>) -> (slope: Double, value: Double, width: Double) {
      let mode = mode(in: slopes)
      let top = logarithm(mode)
      let first = edge(from: mode, to: slopes.lowerBound, least: top + Self.negligible)
      let last = edge(from: mode, to: slopes.upperBound, least: top + Self.negligible)
      var total = 0.0
      var mean = (slope: 0.0, value: 0.0, width: 0.0)
      for index in 0...Self.count {
        let slope = first + (last - first) * Double(index) / Double(Self.count)
        let weight = exp(logarithm(slope) - top)
        let (low, high) = walls(slope)
        total += weight
        mean.slope += weight * slope
        mean.value += weight * (low + high) / 2
        mean.width += weight * (high - low)
      }
      return (mean.slope / total, mean.value / total, mean.width / total)
    }
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
