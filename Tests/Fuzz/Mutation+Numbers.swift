extension Mutation {
  /// A number in an input: in a JSON text, or in binary fields of unknown layout.
  enum NumberPlace: Hashable {
    /// The number of the text after so many others.
    case number(Int)
    case everyNumber
    /// Eight bytes, the highest first.
    case word(at: Int)
    /// Seven bits a byte, the lowest first (LEB128).
    case variable(at: Int)
  }

  /// Numbers at the edges of the types that a parser may convert them to, and beyond.
  private static let extremeTexts = [
    "0", "-1", "5e-324", "2147483648", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e30", "-1e300",
    "1.7976931348623157e308", "1e400", "170141183460469231731687303715884105728",
  ].map { Array($0.utf8) }

  private static let extremeWords: [UInt64] = [
    0, 1 << 31, .max >> 1, 1 << 63, .max,
  ]

  /// Returns the inputs in which one number, or all numbers of a text, are extreme ones.
  static func extremeNumbers(in input: [UInt8]) -> [[UInt8]] {
    numberPlaces(in: input).flatMap { place in
      extremes(at: place).map { replacing(place, in: input, with: $0) }
    }
  }

  static func numberPlaces(in input: [UInt8]) -> [NumberPlace] {
    if let start = textStart(of: input) {
      return numbers(in: input, from: start).indices.map { .number($0) } + [.everyNumber]
    }
    // Only the beginning of long inputs: the rest is text, or a signature.
    return input.indices.prefix(100).flatMap { [.word(at: $0), .variable(at: $0)] }
  }

  static func extremes(at place: NumberPlace) -> [[UInt8]] {
    switch place {
    case .number, .everyNumber: extremeTexts
    case .word:
      extremeWords.map { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    case .variable: extremeWords.map(variable)
    }
  }

  static func replacing(_ place: NumberPlace, in input: [UInt8], with number: [UInt8]) -> [UInt8] {
    var result = input
    switch place {
    case .number(let index):
      let ranges = numbers(in: input, from: textStart(of: input) ?? 0)
      if ranges.indices.contains(index) { result.replaceSubrange(ranges[index], with: number) }
    case .everyNumber:
      for range in numbers(in: input, from: textStart(of: input) ?? 0).reversed() {
        result.replaceSubrange(range, with: number)
      }
    case .word(let start):
      if start + number.count <= input.count {
        result.replaceSubrange(start..<start + number.count, with: number)
      }
    case .variable(let start):
      guard input.indices.contains(start) else { break }
      let end = input[start...].firstIndex { $0 < 0x80 } ?? input.endIndex - 1
      result.replaceSubrange(start...end, with: number)
    }
    return result
  }

  /// Returns the index where JSON begins: at once, or after a byte with its kind.
  private static func textStart(of input: [UInt8]) -> Int? {
    input.prefix(2).firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
  }

  private static func variable(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// Returns the ranges of the numbers outside strings.
  private static func numbers(in text: [UInt8], from beginning: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    var isInString = false
    for index in text.indices.dropFirst(beginning) {
      let byte = text[index]
      if byte == UInt8(ascii: "\""), index == 0 || text[index - 1] != UInt8(ascii: "\\") {
        isInString.toggle()
      }
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      let isPart = !isInString && (isDigit || Array("-+.eE".utf8).contains(byte))
      // "true" and "false" have an e, but don't begin with it.
      if isPart, start == nil, isDigit || byte == UInt8(ascii: "-") { start = index }
      if !isPart, let first = start {
        ranges.append(first..<index)
        start = nil
      }
    }
    return ranges
  }
}
