/// Which rate somebody meant who changed `speed` while a nudge was part of it.
enum UserRate {
  /// mpv's keys set a speed (`BS` sets 1) or multiply what is there, the nudge included (`[` and `]` by 1.1); what
  /// people bind to keys of their own adds to it as well. Which one it was shows in the result: the speed that was
  /// meant is the roundest of the three. Where none is round, as after `[` from 1, it was multiplied.
  ///
  /// - Parameters:
  ///   - observed: the speed as it is now.
  ///   - rate: what it was before, without the nudge.
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

  /// A nudge that is round itself, as the largest one is, would make round numbers out of round numbers: it is made
  /// otherwise by a millionth, so that what somebody meant can be told.
  static func unround(_ nudge: Double) -> Double {
    guard nudge != 1, decimals(of: nudge * 10) <= mostDecimals else { return nudge }
    return nudge + 1.37e-6
  }

  /// Nobody types more than these; and with more, chance would find a round number soon.
  private static let mostDecimals = 4

  private static func rounded(_ rate: Double) -> Double { (rate * 1e6).rounded() / 1e6 }

  /// - Returns: one more than ``mostDecimals`` for a number that isn't round.
  private static func decimals(of value: Double) -> Int {
    var scaled = value
    for count in 0...mostDecimals {
      // What is left of the arithmetic of some changes, one after the other.
      if abs(scaled - scaled.rounded()) < 1e-8 * abs(scaled) { return count }
      scaled *= 10
    }
    return mostDecimals + 1
  }
}
