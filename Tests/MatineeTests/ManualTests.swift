import Foundation
import Testing

@testable import matinee

@Suite("The manual")
struct ManualTests {
  private static let commands = ["watch", "host", "join", "relay"]

  private func manual() throws -> Manual { try Manual() }

  @Test(
    "Every option is explained at its declaration, including its value", arguments: commands)
  func declared(command: String) throws {
    let options = try #require(try manual().program.subcommand(command)).options
    for option in options where option.shouldDisplay {
      let name = try #require(option.longName)
      #expect(option.abstract?.isEmpty == false, "--\(name) of \(command) has no help")
      guard option.kind == .option else { continue }
      #expect(
        option.allValues != nil || option.valueName != nil, "--\(name) of \(command) takes what?")
    }
  }

  @Test("Every option is in the manual", arguments: commands)
  func complete(command: String) throws {
    let manual = try manual()
    let page = command == "relay" ? manual.relay : manual.matinee
    let terms = page.sections.flatMap(\.blocks).compactMap { block -> String? in
      guard case .item(let term, _) = block else { return nil }
      return term
    }
    let options = try #require(manual.program.subcommand(command)).options
    let names = Set(options.compactMap(\.longName))
    for option in options where option.shouldDisplay {
      let name = try #require(option.longName)
      let isOtherHalf = name.hasPrefix("no-") && names.contains(String(name.dropFirst(3)))
      let plain = isOtherHalf ? String(name.dropFirst(3)) : name
      #expect(
        terms.contains { $0.contains("`--\(plain)`") || $0.contains("`--[no-]\(plain)`") },
        "--\(name) isn't in \(page.fileName)")
    }
  }

  @Test("Every setting is in matinee(5), with its name in the environment")
  func settings() throws {
    let manual = try manual()
    let roff = manual.files.roff
    for setting in manual.program.settings {
      #expect(roff.contains("\\fB\(setting.name.replacing("-", with: "\\-")) =\\fR"), "\(setting)")
      #expect(roff.contains(setting.variable), "\(setting.variable)")
    }
  }

  @Test("Characters with a meaning in roff, or at a line's start, are escaped")
  func escaping() {
    let page = ManualPage(
      name: "x", number: 5, abstract: "an example", version: "1",
      sections: [
        .init(
          title: "Code",
          blocks: [
            .paragraph(".dot and `--a\\b` _FILE_ 'it'"), .item("`a`", "b"), .code([".x -y", "'z"]),
          ])
      ])
    #expect(
      page.roff == """
        .TH "X" 5 "" "Matinee 1" "Matinee"
        .SH NAME
        x \\- an example
        .SH CODE
        .PP
        \\&.dot and \\fB\\-\\-a\\eb\\fR \\fIFILE\\fR \\(aqit\\(aq
        .TP
        \\fBa\\fR
        b
        .PP
        .RS 4
        .nf
        \\&.x \\-y
        \\(aqz
        .fi
        .RE

        """)
  }

  @Test("Every page can be printed under the name of its file")
  func printed() throws {
    for page in try manual().pages {
      let file = try #require(PrintCommand.File(rawValue: page.fileName), "\(page.fileName)")
      #expect(try PrintCommand.parse([file.rawValue]).text() == page.roff)
    }
  }

  @Test("Every page is in the list of the doctor's check of the installation")
  func checked() throws {
    let check = InstallationCheck(
      environment: ["PATH": "/usr/bin"], exists: { $0 == "/usr/bin/matinee" }, read: { _ in nil })
    let missing = try #require(check.findings.first { $0.subject == "manual" }).text
    for page in try manual().pages {
      #expect(missing.contains(page.fileName), "\(page.fileName)")
    }
  }
}
