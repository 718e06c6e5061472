import Foundation

/// Cleans texts from peers or users before they are shown.
public enum PartyText {
  /// The longest name, in characters.
  public static let nameLimit = 32
  /// The longest chat message, in characters.
  public static let chatLimit = 2000

  /// - Returns: a name without control characters and line breaks, trimmed and cut; nil if no visible text
  ///   remains.
  public static func name(_ raw: String) -> String? {
    let cleaned = clean(raw, limit: nameLimit)
    return isVisible(cleaned) ? cleaned : nil
  }

  /// - Returns: one line of chat; nil if no visible text remains.
  public static func chat(_ raw: String) -> String? {
    let cleaned = clean(raw, limit: chatLimit)
    return isVisible(cleaned) ? cleaned : nil
  }

  /// Returns whether a text is visible. Joiners, fillers and variation selectors alone are not.
  private static func isVisible(_ cleaned: String) -> Bool {
    cleaned.unicodeScalars.contains { scalar in
      scalar != " " && !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Returns one line without characters that a terminal, mpv or the text's direction could interpret:
  /// general categories Cc, Cf except for the joiners that scripts and emoji need, Cs, Co, Cn, and the line
  /// and paragraph separators.
  public static func clean(_ raw: String, limit: Int) -> String {
    var scalars = String.UnicodeScalarView()
    var spaced = true
    // Bounds the work: the result has at most `limit` characters of at most 16 scalars each.
    for scalar in raw.unicodeScalars.prefix(limit * 16) {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
        if !spaced { scalars.append(" ") }
        spaced = true
      case .format where scalar.value == 0x200D || scalar.value == 0x200C:
        scalars.append(scalar)
      case .format, .surrogate, .privateUse, .unassigned:
        continue
      default:
        // A base character with a hundred marks is one character, but as high as a tower on the screen.
        scalars.append(scalar)
        spaced = false
      }
    }
    var text = String(String(scalars).prefix(limit))
    text = String(text.map { $0.unicodeScalars.count > 16 ? "\u{FFFD}" : $0 })
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// Returns a key that is equal for two names that users would confuse: it ignores case, width and invisible
  /// characters. Similar letters of other scripts have different keys.
  static func nameKey(_ name: String) -> String {
    var visible = String.UnicodeScalarView()
    visible.append(
      contentsOf: name.unicodeScalars.lazy.filter { !$0.properties.isDefaultIgnorableCodePoint })
    return String(visible).precomposedStringWithCompatibilityMapping.lowercased()
  }

  /// - Parameter taken: the keys (``nameKey(_:)``) of the other participants' names.
  /// - Returns: `wanted`, or the first of `wanted 2`, `wanted 3`, … that is free.
  static func uniqueName(_ wanted: String, taken: Set<String>) -> String {
    if !taken.contains(nameKey(wanted)) { return wanted }
    for number in 2... {
      let suffix = " \(number)"
      let candidate = String(wanted.prefix(nameLimit - suffix.count)) + suffix
      if !taken.contains(nameKey(candidate)) { return candidate }
    }
    preconditionFailure("there are more numbers than names")
  }
}
