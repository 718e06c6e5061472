import Timekeeping

/// Times and speeds as people read them.
enum TimeText {
  /// "0:12:41", or "12:41" where nothing is an hour long.
  ///
  /// - Parameter longest: the longest time shown beside this one, which decides the form.
  static func clock(_ time: MediaTime, longest: MediaTime) -> TerminalText {
    let total = time.nanoseconds.magnitude / 1_000_000_000
    let (hours, minutes, seconds) = (total / 3600, total / 60 % 60, total % 60)
    let sign = time.nanoseconds <= -1_000_000_000 ? "-" : ""
    if longest.nanoseconds.magnitude >= 3_600_000_000_000 || hours > 0 {
      return TerminalText("\(sign)\(hours):\(padded(minutes)):\(padded(seconds))")
    }
    return TerminalText("\(sign)\(minutes):\(padded(seconds))")
  }

  static func timeOfDay(hour: Int, minute: Int) -> TerminalText {
    TerminalText("\(padded(UInt64(hour))):\(padded(UInt64(minute)))")
  }

  /// "1", "1.1", "0.25": at most two decimals.
  static func rate(_ rate: Double) -> TerminalText {
    guard rate.isFinite, abs(rate) < 1000 else { return "?" }
    return TerminalText(decimal(hundredths: Int((rate * 100).rounded())))
  }

  /// A difference in time, with its sign: "+0.4 ms", "−120 ms", "+1.2 s".
  static func difference(_ duration: Duration, _ symbols: GlyphSet) -> TerminalText {
    let amount = magnitude(duration)
    if !amount.description.contains(where: { ("1"..."9").contains($0) }) { return amount }
    return (duration < .zero ? TerminalText(glyphs: [symbols.minus]) : "+") + amount
  }

  /// A bound: "±0.4 ms".
  static func uncertainty(_ duration: Duration, _ symbols: GlyphSet) -> TerminalText {
    TerminalText(glyphs: [symbols.plusMinus]) + magnitude(duration)
  }

  private static func magnitude(_ duration: Duration) -> TerminalText {
    let milliseconds = abs(duration.inMilliseconds)
    if milliseconds < 9.95 {
      let tenths = Int((milliseconds * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) ms"
    }
    if milliseconds < 999.5 { return "\(Int(milliseconds.rounded())) ms" }
    let seconds = milliseconds / 1000
    if seconds < 99.95 {
      let tenths = Int((seconds * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) s"
    }
    return seconds < 999.5 ? "\(Int(seconds.rounded())) s" : "far off"
  }

  private static func decimal(hundredths: Int) -> String {
    let sign = hundredths < 0 ? "-" : ""
    let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0
      ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(padded(UInt64(rest)))"
  }

  private static func padded(_ number: UInt64) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
