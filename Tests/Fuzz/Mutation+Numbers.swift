extension Mutation {
  /// Numbers at the edges of the types that a parser may convert them to, and beyond.
  private static let extremes = [
    "0", "-0", "-1", "1e-320", "0.1", "255", "256", "65536", "2147483647", "2147483648",
    "-2147483649", "4294967296", "9007199254740993", "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
    "18446744073709551615", "18446744073709551616", "1e19", "1e21", "1e30", "-1e30", "1e300",
    "-1e300", "1.7976931348623157e308", "1e400",
    "170141183460469231731687303715884105728",
  ]

  /// The inputs in which one number of a JSON text, or all of them, is an extreme one.
  static func extremeNumbers(in text: [UInt8]) -> [[UInt8]] {
    guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") else { return [] }
    let numbers = numbers(in: text)
    return extremes.flatMap { extreme in
      let all = replacing(numbers, in: text, with: extreme)
      return numbers.map { replacing([$0], in: text, with: extreme) } + [all]
    }
  }

  /// The ranges of the numbers outside of strings.
  private static func numbers(in text: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    var isInString = false
    for (index, byte) in text.enumerated() {
      let character = Character(UnicodeScalar(byte))
      if character == "\"", index == 0 || text[index - 1] != UInt8(ascii: "\\") {
        isInString.toggle()
      }
      let isPart = !isInString && (character.isNumber || "-+.eE".contains(character))
      // "true" and "false" have an e, but don't begin with it.
      if isPart, start == nil, character.isNumber || character == "-" { start = index }
      if !isPart, let first = start {
        ranges.append(first..<index)
        start = nil
      }
    }
    return ranges
  }

  private static func replacing(_ ranges: [Range<Int>], in text: [UInt8], with number: String)
    -> [UInt8]
  {
    var result = text
    for range in ranges.reversed() { result.replaceSubrange(range, with: Array(number.utf8)) }
    return result
  }
}
