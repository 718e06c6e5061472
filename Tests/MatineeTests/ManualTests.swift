import Foundation
import Testing

@testable import matinee

@Suite("The manual")
struct ManualTests {
  private static let commands = ["watch", "host", "join", "relay"]

  private func manual() throws -> Manual { try Manual() }

  @Test(
    "Every option is explained where it is declared, with what its value is", arguments: commands)
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

  @Test("Every option is in the manual and in the README", arguments: commands)
  func complete(command: String) throws {
    let manual = try manual()
    let page = command == "relay" ? manual.relay : manual.matinee
    let terms = page.sections.flatMap(\.blocks).compactMap { block -> String? in
      guard case .item(let term, _) = block else { return nil }
      return term
    }
    let readme = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../README.md"), encoding: .utf8)
    let options = try #require(manual.program.subcommand(command)).options
    let names = Set(options.compactMap(\.longName))
    for option in options where option.shouldDisplay {
      let name = try #require(option.longName)
      let isOtherHalf = name.hasPrefix("no-") && names.contains(String(name.dropFirst(3)))
      let plain = isOtherHalf ? String(name.dropFirst(3)) : name
      #expect(
        terms.contains { $0.contains("`--\(plain)`") || $0.contains("`--[no-]\(plain)`") },
        "--\(name) isn't in \(page.fileName)")
      guard command != "relay", name != "help", name != "version" else { continue }
      #expect(
        readme.contains("`--\(plain)") || readme.contains("`--no-\(plain)"),
        "--\(plain) isn't in README.md")
    }
  }

  @Test("Every setting is in matinee(5), with its name in the environment")
  func settings() throws {
    let manual = try manual()
    let roff = manual.files.roff
    for setting in manual.catalog.settings {
      #expect(roff.contains("\\fB\(setting.name.replacing("-", with: "\\-")) =\\fR"), "\(setting)")
      #expect(roff.contains(setting.variable), "\(setting.variable)")
    }
  }

  @Test("What has a meaning in roff, or at a line's start, is written so that it has none")
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

  @Test("There are three pages")
  func names() throws {
    #expect(try manual().pages.map(\.fileName) == ["matinee.1", "matinee-relay.1", "matinee.5"])
  }
}
