import Timekeeping

extension MediaTime {
  /// The time in seconds in the form for mpv's options, independent of any locale.
  var secondsText: String {
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    let fraction = String(repeating: "0", count: 9 - digits.count) + digits
    return "\(nanoseconds < 0 ? "-" : "")\(whole).\(fraction)"
  }
}
