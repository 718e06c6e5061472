import TerminalUI

/// The findings of `matinee doctor`, while they come in and at the end.
package struct DoctorReport: Hashable, Sendable {
  /// One check's place in the report.
  struct Entry: Hashable, Sendable {
    var subject: String
    /// The text until the check is over: "Asking the router…"
    var progress: String
    /// The findings; nil while the check is running.
    var findings: [DoctorFinding]?
  }

  private(set) var entries: [Entry]

  package init(_ entries: [(subject: String, progress: String)]) {
    self.entries = entries.map { Entry(subject: $0.subject, progress: $0.progress) }
  }

  package mutating func checkEnded(_ index: Int, _ findings: [DoctorFinding]) {
    entries[index].findings = findings
  }

  /// All findings, in the order of the checks.
  var findings: [DoctorFinding] { entries.flatMap { $0.findings ?? [] } }

  package var hasFailure: Bool { findings.contains { $0.grade == .bad } }

  /// One sentence: the verdict, or the progress while checks are running.
  var summary: String {
    let ended = entries.count { $0.findings != nil }
    guard ended == entries.count else {
      return "Checking this system… (\(ended) of \(entries.count))"
    }
    func list(_ grade: DoctorFinding.Grade) -> [String] {
      findings.filter { $0.grade == grade }.map(\.subject)
    }
    let (bad, notices) = (list(.bad), list(.notice))
    guard !bad.isEmpty || !notices.isEmpty else { return "Matinee works on this system." }
    let verdict =
      bad.isEmpty
      ? "Everything needed is there"
      : "\(bad.count == 1 ? "1 problem" : "\(bad.count) problems"): \(bad.joined(separator: ", "))"
    guard !notices.isEmpty else { return verdict + "." }
    return "\(verdict); \(notices.count == 1 ? "1 note" : "\(notices.count) notes") below."
  }

  private var grade: DoctorFinding.Grade? {
    guard entries.allSatisfy({ $0.findings != nil }) else { return nil }
    return hasFailure ? .bad : .good
  }
}

extension DoctorReport {
  /// The layout of the lines.
  struct Style: Hashable, Sendable {
    /// Cells per line; nil for lines of any length, as in a file.
    var columns: Int?
    var hasColor = false
  }

  /// Returns the summary, an empty line, and all findings; checks that are still running show their progress.
  func lines(_ style: Style) -> [String] {
    let bold = style.hasColor ? "\u{1B}[1\(grade.map { ";" + $0.color } ?? "")m" : ""
    let reset = style.hasColor ? "\u{1B}[m" : ""
    var lines = Self.wrapped(summary, style.columns).map { bold + $0 + reset } + [""]
    for entry in entries {
      if let findings = entry.findings {
        lines += findings.flatMap { $0.lines(style) }
      } else {
        lines += DoctorFinding(grade: nil, subject: entry.subject, text: entry.progress)
          .lines(style)
      }
    }
    return lines
  }

  static func wrapped(_ text: String, _ columns: Int?) -> [String] {
    guard let columns else { return [TerminalText(text).description] }
    return TerminalText(text).wrapped(to: max(columns, 10)).map(\.description)
  }
}
