/// A line of a file in the format of mpv's `input.conf`: `KEY [{SECTION}] COMMAND [; COMMAND]…`.
///
/// Words are separated by blanks; `"…"` takes the escapes of C, `'…'` takes everything literally, and so does
/// `` !X…X! `` with any character X. Outside quotation marks `#` begins a remark and `;` ends a command (mpv's
/// manual, "Flat command syntax").
struct InputLine: Hashable, Sendable {
  struct Problem: Error, Hashable, Sendable { var reason: String }

  var key: String
  /// The section's name; nil for the section that always applies.
  var section: String?
  /// The words of the commands; each command has at least one.
  var commands: [[String]]

  /// Reads a line.
  ///
  /// - Returns: nil for a blank line and one that holds a remark only.
  static func parse(_ line: some StringProtocol) throws(Problem) -> InputLine? {
    var rest = Substring(line).drop(while: \.isWhitespace)
    guard let first = rest.first, first != "#" else { return nil }
    let key = String(rest.prefix { !$0.isWhitespace })
    rest = rest.dropFirst(key.count).drop(while: \.isWhitespace)
    var section: String?
    if rest.first == "{" {
      guard let end = rest.firstIndex(of: "}") else {
        throw Problem(reason: "the section’s “}” is missing")
      }
      let name = String(rest[rest.index(after: rest.startIndex)..<end])
      section = name == "default" ? nil : name
      rest = rest[rest.index(after: end)...]
    }
    var commands: [[String]] = []
    var words: [String] = []
    while true {
      rest = rest.drop(while: \.isWhitespace)
      guard let next = rest.first, next != "#" else { break }
      if next == ";" {
        rest = rest.dropFirst()
        if !words.isEmpty { commands.append(words) }
        words = []
      } else {
        words.append(try word(&rest))
      }
    }
    if !words.isEmpty { commands.append(words) }
    return InputLine(key: key, section: section, commands: commands)
  }

  /// Reads one word.
  ///
  /// - Parameter rest: begins with the word; afterwards, the text that follows it.
  private static func word(_ rest: inout Substring) throws(Problem) -> String {
    switch rest.first {
    case "\"": return try quoted(&rest)
    case "'":
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: "'") else {
        throw Problem(reason: "the quotation mark ' isn't closed")
      }
      defer { rest = rest[rest.index(after: end)...] }
      return String(rest[..<end])
    case "!" where rest.dropFirst().first.map({ !$0.isWhitespace && !$0.isLetter }) == true:
      // `!X…X!`; "!reverse" is a word of `cycle-values`.
      let mark = rest[rest.index(after: rest.startIndex)]
      rest = rest.dropFirst(2)
      guard let end = rest.firstRange(of: "\(mark)!") else {
        throw Problem(reason: "the quotation mark !\(mark) isn't closed")
      }
      defer { rest = rest[end.upperBound...] }
      return String(rest[..<end.lowerBound])
    default:
      let word = rest.prefix { !$0.isWhitespace && $0 != ";" && $0 != "#" }
      rest = rest[word.endIndex...]
      return String(word)
    }
  }

  private static func quoted(_ rest: inout Substring) throws(Problem) -> String {
    rest = rest.dropFirst()
    var word = ""
    while let character = rest.popFirst() {
      if character == "\"" { return word }
      guard character == "\\" else {
        word.append(character)
        continue
      }
      switch rest.popFirst() {
      case "n": word.append("\n")
      case "t": word.append("\t")
      case "e": word.append("\u{1B}")
      case "u":
        let digits = rest.prefix(4)
        guard digits.count == 4, let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else { throw Problem(reason: "\\u takes four hexadecimal digits, as in \\u00e9") }
        word.unicodeScalars.append(scalar)
        rest = rest.dropFirst(4)
      case let other?: word.append(other)
      case nil: break
      }
    }
    throw Problem(reason: "the quotation mark \" isn't closed")
  }
}
