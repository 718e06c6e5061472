import DrawTogether
import Timekeeping

/// Reads the arguments of commands.
package enum ArgumentText {
  /// The longest position and distance, in seconds.
  static let longestTime = 1e7
  /// The possible rates.
  static let rates = 0.01...100.0
  /// The possible delays of an output.
  package static let outputLatencies: ClosedRange<Duration> = .seconds(-2) ... .seconds(10)

  /// Reads a delay: `180` and `180ms` are milliseconds, `0.18s` is seconds.
  ///
  /// - Returns: nil for any other text.
  package static func delay(_ text: String) -> Duration? {
    var number = text.filter { $0 != " " }.lowercased()
    var factor = 0.001
    if number.hasSuffix("ms") {
      number.removeLast(2)
    } else if number.hasSuffix("s") {
      number.removeLast()
      factor = 1
    }
    guard number.allSatisfy({ "+-.0123456789".contains($0) }), let value = Double(number) else {
      return nil
    }
    return Duration(clampingSeconds: value * factor)
  }

  /// Reads a number within a range; nil for any other text.
  static func number(_ text: some StringProtocol, in range: ClosedRange<Double>) -> Double? {
    guard let value = Double(String(text)), range.contains(value) else { return nil }
    return value
  }

  /// Returns the possible rate that is nearest to a calculated one.
  package static func clampingRate(_ rate: Double) -> Double {
    min(max(rates.lowerBound, rate), rates.upperBound)
  }

  /// Reads a whole number within a range; nil for any other text.
  static func integer(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
    guard let value = Int(String(text)), range.contains(value) else { return nil }
    return value
  }

  /// Reads several numbers; nil if a word isn't one within the range.
  static func numbers(_ text: String, in range: ClosedRange<Double>) -> [Double]? {
    let words = text.split(whereSeparator: \.isWhitespace)
    let numbers = words.compactMap { number($0, in: range) }
    return numbers.count == words.count ? numbers : nil
  }

  /// Reads a position as seconds or h:mm:ss; nil for any other text.
  static func position(_ text: String) -> MediaTime? {
    guard case .absolute(let time)? = TimeEntry(text), time.seconds < longestTime else {
      return nil
    }
    return time
  }

  /// Reads points in the picture, each as two numbers from 0 to 1; nil for any other text.
  static func points(_ text: String) -> [PicturePoint]? {
    guard let numbers = numbers(text, in: 0...1), numbers.count.isMultiple(of: 2) else {
      return nil
    }
    return stride(from: 0, to: numbers.count, by: 2).map {
      PicturePoint(x: numbers[$0], y: numbers[$0 + 1])
    }
  }

  /// Reads one point in the picture; nil for any other text.
  static func point(_ text: String) -> PicturePoint? {
    guard let points = points(text), points.count == 1 else { return nil }
    return points[0]
  }

  /// Reads an index, written from 1; nil for any other text.
  static func index(_ text: some StringProtocol) -> Int? {
    integer(text, in: 1...1_000_000).map { $0 - 1 }
  }
}
