import MatineeKit

/// The entries of `matinee.conf`: one setting per line, in the manner of `mpv.conf`.
///
///     # visible to the others
///     name = Ana
///     no-announce
///     mpv = hwdec=auto
///
///     [relay]
///     listen = 0.0.0.0:62846
///
/// A value ends at the line's end or before ` #`; a value in quotation marks, `"` or `'`, is taken literally. A name
/// alone means `name = yes`, and `no-name` means `name = no`.
struct SettingsFile: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var section: String?
    var name: String
    var value: String
    /// The line number, from 1.
    var line: Int
  }

  /// A line that can't be understood, with a reason for the user.
  struct Problem: Hashable, Sendable {
    var line: Int
    var reason: String
  }

  private(set) var entries: [Entry] = []
  private(set) var problems: [Problem] = []

  init(parsing text: String) {
    var section: String?
    // Editors on Windows begin a file with a byte order mark.
    let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = raw.trimmed
      guard let first = line.first, first != "#" else { continue }
      do throws(Reason) {
        if first == "[" {
          section = try Self.section(line)
        } else {
          let (name, value) = try Self.setting(line)
          entries.append(Entry(section: section, name: name, value: value, line: index + 1))
        }
      } catch {
        problems.append(Problem(line: index + 1, reason: error.text))
      }
    }
  }

  private struct Reason: Error { var text: String }

  private static func section(_ line: Substring) throws(Reason) -> String {
    guard let end = line.firstIndex(of: "]") else {
      throw Reason(text: "missing ] after the section's name, as in [relay]")
    }
    let rest = line[line.index(after: end)...].trimmed
    guard rest.isEmpty || rest.hasPrefix("#") else {
      throw Reason(text: "unexpected text after [\(line.dropFirst().prefix(upTo: end))]")
    }
    return String(line[line.index(after: line.startIndex)..<end].trimmed)
  }

  private static func setting(_ line: Substring) throws(Reason) -> (name: String, value: String) {
    guard let equals = line.firstIndex(of: "=") else {
      let name = withoutRemark(line)
      guard !name.contains(where: \.isWhitespace) else {
        throw Reason(text: "expected NAME = VALUE, as in name = Ana")
      }
      return name.hasPrefix("no-") ? (String(name.dropFirst(3)), "no") : (String(name), "yes")
    }
    let name = line[..<equals].trimmed
    guard !name.isEmpty, !name.contains(where: \.isWhitespace) else {
      throw Reason(text: "expected NAME = VALUE, as in name = Ana")
    }
    return (String(name), try value(line[line.index(after: equals)...].trimmed))
  }

  private static func value(_ text: Substring) throws(Reason) -> String {
    guard let quote = text.first, quote == "\"" || quote == "'" else {
      return String(withoutRemark(text))
    }
    let inside = text.dropFirst()
    guard let end = inside.firstIndex(of: quote) else {
      throw Reason(text: "missing closing quotation mark \(quote)")
    }
    let rest = inside[inside.index(after: end)...].trimmed
    guard rest.isEmpty || rest.hasPrefix("#") else {
      throw Reason(text: "unexpected text after the closing \(quote)")
    }
    return String(inside[..<end])
  }

  /// Returns the text before a comment. A `#` within a word, as in an address, doesn't begin one.
  private static func withoutRemark(_ text: Substring) -> Substring {
    var isAfterSpace = true
    for index in text.indices {
      if text[index] == "#", isAfterSpace { return text[..<index].trimmed }
      isAfterSpace = text[index].isWhitespace
    }
    return text.trimmed
  }
}

extension Substring {
  /// The text without white space at its ends.
  var trimmed: Substring {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return start[...last]
  }
}
