import Timekeeping

/// Times and speeds as text.
enum TimeText {
  /// Returns "0:12:41", or "12:41" if no shown time is as long as an hour.
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

  /// Returns "1", "1.1", "0.25": at most two decimals.
  static func rate(_ rate: Double) -> TerminalText {
    guard rate.isFinite, abs(rate) < 1000 else { return "?" }
    return TerminalText(decimal(hundredths: Int((rate * 100).rounded())))
  }

  /// Returns a difference in time, with its sign: "+0.4 ms", "−120 ms", "+1.2 s".
  static func difference(_ duration: Duration, _ symbols: GlyphSet) -> TerminalText {
    signed(parts(duration), isNegative: duration < .zero, symbols).text
  }

  /// Returns a bound: "±0.4 ms". Rounded up, since a smaller bound would be wrong.
  static func uncertainty(_ duration: Duration, _ symbols: GlyphSet) -> TerminalText {
    TerminalText(glyphs: [symbols.plusMinus]) + parts(duration, roundingUp: true).text
  }

  /// Returns a difference with its bound, in shorter and shorter forms: "−1.1 ±0.3 ms", "−1.1±0.3 ms", and last the
  /// difference alone.
  static func measurement(
    _ error: Duration, _ bound: Duration?, _ symbols: GlyphSet
  ) -> [TerminalText] {
    let difference = signed(parts(error), isNegative: error < .zero, symbols)
    guard let bound else { return [difference.text] }
    let uncertainty = uncertainty(bound, symbols)
    // A common unit is written once.
    let first =
      difference.unit == parts(bound, roundingUp: true).unit
      ? TerminalText(difference.number) : difference.text
    return [first + " " + uncertainty, first + uncertainty, difference.text]
  }

  /// The difference in milliseconds below which two different positions go unnoticed.
  static let noticeable = 50

  static func isInSync(_ error: Duration) -> Bool { abs(error.inMilliseconds) < Double(noticeable) }

  /// Returns a distance from the group as text, in shorter and shorter forms: "in sync", "0.3 s behind", "2 min ahead".
  static func apartness(_ error: Duration, _ symbols: GlyphSet) -> [TerminalText] {
    guard !isInSync(error) else { return ["in sync"] }
    let seconds = abs(error.inSeconds)
    let amount: TerminalText =
      if seconds < 9.95 {
        TerminalText(
          "\(Int((seconds * 10).rounded()) / 10).\(Int((seconds * 10).rounded()) % 10) s")
      } else if seconds < 99.5 {
        TerminalText("\(Int(seconds.rounded())) s")
      } else if seconds < 5970 {
        TerminalText("\(Int((seconds / 60).rounded())) min")
      } else {
        "far"
      }
    let sign: TerminalText = error < .zero ? TerminalText(glyphs: [symbols.minus]) : "+"
    return [amount + (error < .zero ? " behind" : " ahead"), sign + amount]
  }

  /// Returns a duration: "0.4 ms", "120 ms", "1.2 s".
  static func amount(_ duration: Duration) -> TerminalText { parts(duration).text }

  /// Returns a difference in per cent, with its sign: "+0.05 %".
  static func percent(_ value: Double, _ symbols: GlyphSet) -> TerminalText {
    guard value.isFinite, abs(value) < 1e6 else { return "?" }
    let hundredths = Int((abs(value) * 100).rounded())
    let number = "\(hundredths / 100).\(padded(UInt64(hundredths % 100)))"
    return signed(Parts(number: number, unit: "%"), isNegative: value < 0, symbols).text
  }

  /// A number and its unit; "far off" has none.
  private struct Parts {
    var number: String
    var unit: String
    var text: TerminalText { TerminalText(unit.isEmpty ? number : "\(number) \(unit)") }
  }

  /// Returns the number with its sign, unless it is rounded to zero.
  private static func signed(_ parts: Parts, isNegative: Bool, _ symbols: GlyphSet) -> Parts {
    guard parts.number.contains(where: { ("1"..."9").contains($0) }) else { return parts }
    var signed = parts
    signed.number = (isNegative ? symbols.minus.text : "+") + parts.number
    return signed
  }

  private static func parts(_ duration: Duration, roundingUp isUp: Bool = false) -> Parts {
    let milliseconds = abs(duration.inMilliseconds)
    func rounded(_ value: Double) -> Int {
      // A bound of exactly 0.3 must not become 0.4 because of a product's last bit.
      Int(isUp ? (value - 1e-6).rounded(.up) : value.rounded())
    }
    if milliseconds < 9.95 {
      let tenths = rounded(milliseconds * 10)
      return Parts(number: "\(tenths / 10).\(tenths % 10)", unit: "ms")
    }
    if milliseconds < 999.5 { return Parts(number: "\(rounded(milliseconds))", unit: "ms") }
    let seconds = milliseconds / 1000
    if seconds < 99.95 {
      let tenths = rounded(seconds * 10)
      return Parts(number: "\(tenths / 10).\(tenths % 10)", unit: "s")
    }
    return seconds < 999.5
      ? Parts(number: "\(rounded(seconds))", unit: "s") : Parts(number: "far off", unit: "")
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
