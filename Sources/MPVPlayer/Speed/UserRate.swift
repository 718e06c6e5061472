/// Determines which rate the user meant by changing `speed` while a nudge was part of it.
enum UserRate {
  /// Returns the intended rate.
  ///
  /// mpv's keys set a speed (`BS` sets 1) or multiply the current one, including the nudge (`[` and `]` by 1.1); users'
  /// own key bindings may add to it as well. The result shows which of them happened: the intended speed is the
  /// roundest of the three. If none is round, as after `[` from 1, the speed was multiplied.
  ///
  /// - Parameters:
  ///   - observed: the current speed.
  ///   - rate: the rate before, without the nudge.
  ///   - nudge: the factor that was part of it.
  static func rate(observed: Double, from rate: Double, nudge: Double) -> Double {
    let multiplied = observed / nudge
    let candidates = [observed, multiplied, observed - rate * (nudge - 1)]
    let roundest = candidates.map { (decimals(of: $0), $0) }.min { $0.0 < $1.0 }
    guard let (decimals, value) = roundest, decimals <= mostDecimals else {
      return rounded(multiplied)
    }
    return rounded(value)
  }

  /// Returns a nudge that isn't round. A round nudge, such as the largest one, would turn round numbers into other
  /// round numbers. A change by a millionth keeps the intended rate recognisable.
  static func unround(_ nudge: Double) -> Double {
    guard nudge != 1, decimals(of: nudge * 10) <= mostDecimals else { return nudge }
    return nudge + 1.37e-6
  }

  /// Users type no more decimals than these; with more, a number would often be round by chance.
  private static let mostDecimals = 4

  private static func rounded(_ rate: Double) -> Double { (rate * 1e6).rounded() / 1e6 }

  /// Returns the number's decimals; one more than ``mostDecimals`` for a number that isn't round.
  private static func decimals(of value: Double) -> Int {
    var scaled = value
    for count in 0...mostDecimals {
      // The tolerance covers rounding errors of several successive changes.
      if abs(scaled - scaled.rounded()) < 1e-8 * abs(scaled) { return count }
      scaled *= 10
    }
    return mostDecimals + 1
  }
}
