/// Which rate somebody meant who changed `speed` while a nudge was part of it.
enum UserRate {
  /// mpv's keys either set a round speed (`BS` sets 1) or multiply what is there (`[` and `]` by 1.1), the
  /// nudge included.
  static func rate(observed: Double, nudge: Double) -> Double {
    let isRound = abs(observed * 100 - (observed * 100).rounded()) < 1e-6
    let rate = isRound ? observed : observed / nudge
    return (rate * 1e6).rounded() / 1e6
  }
}
