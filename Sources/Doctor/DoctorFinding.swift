/// One line of `matinee doctor`.
package struct DoctorFinding: Hashable, Sendable {
  enum Grade: Hashable, Sendable {
    case good
    /// A part is missing, but the rest works.
    case notice
    case bad

    /// The parameter of the escape sequence for its colour.
    var color: String {
      switch self {
      case .good: "32"
      case .notice: "33"
      case .bad: "31"
      }
    }

    fileprivate var mark: String {
      switch self {
      case .good: "ok"
      case .notice: "note"
      case .bad: "FAIL"
      }
    }
  }

  /// The grade; nil while the check is running.
  var grade: Grade?
  var subject: String
  var text: String

  package static func good(_ subject: String, _ text: String) -> Self {
    Self(grade: .good, subject: subject, text: text)
  }

  package static func notice(_ subject: String, _ text: String) -> Self {
    Self(grade: .notice, subject: subject, text: text)
  }

  package static func bad(_ subject: String, _ text: String) -> Self {
    Self(grade: .bad, subject: subject, text: text)
  }

  private static let markColumns = 6
  private static let subjectColumns = 12

  /// Returns the grade, the subject, and the text in a column of its own; on a narrow terminal the text is below them.
  func lines(_ style: DoctorReport.Style) -> [String] {
    let indent = Self.markColumns + Self.subjectColumns
    let isNarrow = style.columns.map { $0 < indent + 24 } ?? false
    let margin = isNarrow ? 2 : indent
    let texts = DoctorReport.wrapped(text, style.columns.map { $0 - margin })
    let mark = Self.padded(grade?.mark ?? "…", Self.markColumns)
    let color = style.hasColor ? "\u{1B}[\(grade?.color ?? "2")m" : ""
    let reset = style.hasColor ? "\u{1B}[m" : ""
    // While the check is running, the whole line is dim.
    let head =
      grade == nil
      ? color + mark + Self.padded(subject, Self.subjectColumns)
      : color + mark + reset + Self.padded(subject, Self.subjectColumns)
    let tail = grade == nil ? reset : ""
    let rest = texts.map { String(repeating: " ", count: margin) + $0 }
    guard !isNarrow else { return [head + tail] + rest }
    return [head + texts[0] + tail] + rest.dropFirst()
  }

  private static func padded(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(1, columns - text.count))
  }
}
