import Timekeeping

/// A value of mpv's properties and commands: a copied `mpv_node`.
enum MPVValue: Hashable, Sendable {
  /// No value: the property isn't available now.
  case none
  case string(String)
  case flag(Bool)
  case integer(Int64)
  case double(Double)
  case array([MPVValue])
  case map([String: MPVValue])

  var string: String? { if case .string(let value) = self { value } else { nil } }
  var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
  /// The values by key; empty for another kind of value.
  var map: [String: MPVValue] { if case .map(let values) = self { values } else { [:] } }
  var array: [MPVValue]? { if case .array(let value) = self { value } else { nil } }

  /// The value as a number, including whole numbers; never infinite or not-a-number, which damaged files produce.
  var double: Double? {
    switch self {
    case .double(let value): value.isFinite ? value : nil
    case .integer(let value): Double(value)
    case .none, .string, .flag, .array, .map: nil
    }
  }

  var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .double(let value): Int64(exactly: value)
    case .none, .string, .flag, .array, .map: nil
    }
  }

  subscript(key: String) -> MPVValue? {
    if case .map(let values) = self { values[key] } else { nil }
  }
}

extension MPVValue {
  /// The keys of times in lists and maps: of chapters, and of the demuxer's cache.
  private static let timeKeys: Set = ["time", "start", "end", "cache-end", "reader-pts"]

  /// Returns the value with other times: a number is a time, and in lists and maps the numbers with the names of times.
  func mappingTimes(_ transform: (MediaTime) -> MediaTime) -> MPVValue {
    switch self {
    case .none, .string, .flag: self
    case .integer, .double:
      double.map { .double(transform(MediaTime(seconds: $0)).seconds) } ?? self
    case .array(let values): .array(values.map { $0.mappingTimes(transform) })
    case .map(let values):
      .map(
        Dictionary(
          uniqueKeysWithValues: values.map { key, value in
            let isNested = value.array != nil
            let isTime = isNested || Self.timeKeys.contains(key)
            return (key, isTime ? value.mappingTimes(transform) : value)
          }))
    }
  }
}

extension MediaTime {
  /// The time in seconds in the form for mpv's options, independent of any locale.
  var secondsText: String {
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    let fraction = String(repeating: "0", count: 9 - digits.count) + digits
    return "\(nanoseconds < 0 ? "-" : "")\(whole).\(fraction)"
  }
}
