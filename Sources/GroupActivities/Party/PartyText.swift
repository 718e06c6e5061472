import Foundation

/// What is left of a text from a peer (or from a user) before anybody sees it.
public enum PartyText {
  /// The longest name, in characters.
  public static let nameLimit = 32
  /// The longest chat message, in characters.
  public static let chatLimit = 2000

  /// - Returns: a name without control characters and line breaks, trimmed and cut; nil if nothing is left.
  public static func name(_ raw: String) -> String? {
    let cleaned = clean(raw, limit: nameLimit)
    return isVisible(cleaned) ? cleaned : nil
  }

  /// - Returns: one line of chat; nil if nothing is left.
  public static func chat(_ raw: String) -> String? {
    let cleaned = clean(raw, limit: chatLimit)
    return isVisible(cleaned) ? cleaned : nil
  }

  /// Joiners, fillers and variation selectors alone show nothing.
  private static func isVisible(_ cleaned: String) -> Bool {
    cleaned.unicodeScalars.contains { scalar in
      scalar != " " && !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// One line without anything that a terminal, mpv or the direction of the text could take for an
  /// order: general categories Cc, Cf but for the joiners that scripts and emoji need, Cs, Co, Cn,
  /// and the line and paragraph separators.
  public static func clean(_ raw: String, limit: Int) -> String {
    var scalars = String.UnicodeScalarView()
    var spaced = true
    // A scalar more than four times the limit can't end up within it: it bounds what we look at.
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
        // A base character with a hundred marks is one character, and a tower on the screen.
        scalars.append(scalar)
        spaced = false
      }
    }
    var text = String(String(scalars).prefix(limit))
    text = String(text.map { $0.unicodeScalars.count > 16 ? "\u{FFFD}" : $0 })
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// Two names that people would take for the same one have the same key: neither case, width nor
  /// what doesn't show tells them apart. Letters of other scripts do.
  static func nameKey(_ name: String) -> String {
    var visible = String.UnicodeScalarView()
    visible.append(
      contentsOf: name.unicodeScalars.lazy.filter { !$0.properties.isDefaultIgnorableCodePoint })
    return String(visible).precomposedStringWithCompatibilityMapping.lowercased()
  }

  /// - Parameter taken: the keys (``nameKey(_:)``) of the names that others have.
  /// - Returns: `wanted`, or the first of `wanted 2`, `wanted 3`, … that nobody has.
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
