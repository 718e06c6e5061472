import MatineeKit
import TerminalUI

/// The answer to `matinee --help`: the commands, and a line or two for each option of the default command, under the
/// headings of the option groups.
struct ProgramHelp: Sendable {
  let program: CommandDescription
  let version: String

  /// - Parameter columns: the width of the terminal.
  func text(columns: Int) -> String {
    let columns = min(max(columns, 40), 100)
    var lines = wrapped("Matinee \(version): \(Self.lead)", indent: 0, columns)
    for (title, rows) in sections {
      lines += ["", title + ":"]
      for row in rows { lines += self.lines(of: row, columns) }
    }
    lines.append("")
    for text in Self.closing { lines += wrapped(text, indent: 0, columns) }
    return lines.joined(separator: "\n") + "\n"
  }

  private struct Row {
    var term: String
    var text: String
  }

  private static let lead = "watch films together from the terminal, in sync."
  private static let termColumns = 28

  private static let usage = [
    Row(term: "matinee [FILM…]", text: "Watch a film, or browse a folder of films."),
    Row(term: "matinee host [FILM…]", text: "Open a party and show its invite."),
    Row(term: "matinee join [FILM…]", text: "Join a party with your copy: paste its invite."),
    Row(term: "matinee invite", text: "Print the invite, or make a page for a browser."),
    Row(term: "matinee relay", text: "Run a relay for any number of parties."),
    Row(term: "matinee doctor", text: "Check this system and suggest fixes."),
    Row(term: "matinee calibrate", text: "Find your speaker's delay with a microphone."),
  ]

  private static let examples = [
    Row(term: "matinee host film.mkv", text: "Open a party with this film, paused at the start.")
  ]

  private static let closing = [
    "FILM is a file, a folder or a URL. Options may come before or after the command.",
    "All options of a command: matinee host --help. Keys and settings: man matinee.",
  ]

  private var sections: [(title: String, rows: [Row])] {
    var sections = [("Usage", Self.usage), ("Examples", Self.examples)]
    for option in program.subcommand(program.defaultSubcommand ?? "")?.shownOptions ?? [] {
      guard let title = option.sectionTitle else { continue }
      let row = Row(term: Self.term(option), text: option.abstract ?? "")
      if sections.last?.0 == title {
        sections[sections.count - 1].1.append(row)
      } else {
        sections.append((title, [row]))
      }
    }
    return sections
  }

  private static func term(_ option: CommandDescription.Argument) -> String {
    let name = option.longName ?? ""
    guard option.kind == .option else {
      return option.hasOpposite == true ? "--[no-]\(name)" : "--\(name)"
    }
    let value =
      option.allValues?.joined(separator: "|") ?? "<\(option.valueName ?? "value")>"
    return "--\(name) \(value)"
  }

  private func lines(of row: Row, _ columns: Int) -> [String] {
    let term = "  " + row.term
    let texts = wrapped(row.text, indent: Self.termColumns, columns)
    guard term.count < Self.termColumns else { return [term] + texts }
    let padding = String(repeating: " ", count: Self.termColumns - term.count)
    return [term + padding + texts[0].drop { $0 == " " }] + texts.dropFirst()
  }

  private func wrapped(_ text: String, indent: Int, _ columns: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    return TerminalText(text).wrapped(to: columns - indent).map { margin + $0.description }
  }
}
