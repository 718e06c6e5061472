import Foundation
import TerminalUI

/// Writes a report to standard output: continuously on a terminal, otherwise at the end.
package struct DoctorOutput {
  enum Manner: Hashable, Sendable {
    /// The report is redrawn in place, with the summary on top.
    case live
    /// Each finding is written as it comes, and the summary at the end, for a terminal that can't move its cursor.
    case appending
    /// Everything is written at the end, with the summary on top, for pipes and files.
    case atOnce

    init(isTerminal: Bool, type: String?) {
      self = !isTerminal ? .atOnce : (type ?? "").isEmpty || type == "dumb" ? .appending : .live
    }
  }

  let manner: Manner
  private let hasColor: Bool
  private var text = LiveText()

  package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    manner = Manner(isTerminal: isatty(STDOUT_FILENO) == 1, type: environment["TERM"])
    hasColor = manner == .live && (environment["NO_COLOR"] ?? "").isEmpty
  }

  private var style: DoctorReport.Style {
    DoctorReport.Style(columns: OutputSize.current?.columns, hasColor: hasColor)
  }

  package mutating func begin(_ report: DoctorReport) { redraw(report, isFinal: false) }

  package mutating func checkEnded(_ findings: [DoctorFinding], _ report: DoctorReport) {
    switch manner {
    case .live: redraw(report, isFinal: false)
    case .appending:
      for line in findings.flatMap({ $0.lines(style) }) { write(line + "\n") }
    case .atOnce: break
    }
  }

  package mutating func end(_ report: DoctorReport) {
    switch manner {
    case .live:
      redraw(report, isFinal: true)
      // The top of a long report has scrolled away.
      let size = OutputSize.current
      if let size, report.lines(style).count >= size.rows {
        write("\n" + report.lines(style)[0] + "\n")
      }
    case .appending: write("\n" + report.summary + "\n")
    case .atOnce: write(report.lines(style).joined(separator: "\n") + "\n")
    }
  }

  private mutating func redraw(_ report: DoctorReport, isFinal: Bool) {
    guard manner == .live else { return }
    write(
      text.replace(
        with: report.lines(style), rows: OutputSize.current?.rows ?? 24, isFinal: isFinal))
  }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

/// Lines on a terminal that are replaced by others in place.
struct LiveText: Hashable, Sendable {
  private var drawnRows = 0

  /// Returns the bytes that replace the lines of the last call.
  ///
  /// - Parameters:
  ///   - lines: the new lines, none wider than the terminal.
  ///   - rows: the height of the terminal. At most `rows - 1` lines are drawn, because the cursor can't return to
  ///     lines that have scrolled away; the last call, with `isFinal`, draws all lines.
  mutating func replace(with lines: [String], rows: Int, isFinal: Bool = false) -> String {
    let back = drawnRows > 0 ? "\u{1B}[\(drawnRows)A" : ""
    let shown = isFinal ? lines[...] : lines.prefix(max(1, rows - 1))
    drawnRows = isFinal ? 0 : shown.count
    return back + "\r\u{1B}[J" + shown.map { $0 + "\n" }.joined()
  }
}
