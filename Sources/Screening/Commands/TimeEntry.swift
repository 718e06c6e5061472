import Timekeeping

/// A position in the item as typed by the user.
package enum TimeEntry: Hashable, Sendable {
  /// A position from the start.
  case absolute(MediaTime)
  /// A distance from the current position.
  case relative(Duration)
  /// A fraction of the duration, 0...1.
  case fraction(Double)

  /// Reads "754.5", "12:34", "1:02:03.5", "+90", "-1:00", "50%". Nil if it is none of these.
  package init?(_ text: String) {
    let text = text.filter { !$0.isWhitespace }
    if text.last == "%" {
      guard let percent = Self.number(text.dropLast()), percent <= 100 else { return nil }
      self = .fraction(percent / 100)
      return
    }
    let sign = text.first.flatMap { "+-\u{2212}".contains($0) ? $0 : nil }
    guard let seconds = Self.seconds(sign == nil ? text[...] : text.dropFirst()) else { return nil }
    switch sign {
    case nil: self = .absolute(MediaTime(seconds: seconds))
    case "+": self = .relative(Duration(clampingSeconds: seconds))
    default: self = .relative(Duration(clampingSeconds: -seconds))
    }
  }

  private static func seconds(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var total = 0.0
    for (index, part) in parts.enumerated() {
      // Only seconds have decimals, and "1:75" is a typing error.
      guard let value = number(part), index == parts.count - 1 || !part.contains("."),
        index == 0 || value < 60
      else { return nil }
      total = total * 60 + value
    }
    return total
  }

  private static func number(_ text: some StringProtocol) -> Double? {
    // Programs print all digits of a fraction: 71.96000000000001.
    guard !text.isEmpty, text.count <= 40, text.prefix(while: { $0 != "." }).count <= 12,
      text.allSatisfy({ ("0"..."9").contains($0) || $0 == "." })
    else { return nil }
    return Double(String(text))
  }
}
