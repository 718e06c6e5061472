import Foundation
import ProcessTesting
import Screening
import Testing

@testable import MatineeCommands

@Suite("The manual")
struct ManualTests {
  private static let commands = ["watch", "host", "join", "relay", "calibrate"]

  private func parts(of page: ManualPage) throws -> [Manual.Part] {
    try page.text.matches(of: /(?m)^<!-- (.*) -->$/).map { match in
      let name = String(match.output.1)
      return try #require(Manual.Part(rawValue: name), "\(page.fileName) has a part \(name)")
    }
  }

  /// The page's own text, and that of its parts.
  private func text(of fileName: String) throws -> String {
    let page = try ManualPage.named(fileName)
    let manual = try Manual()
    return try page.text + parts(of: page).map { manual.text(of: $0) }.joined()
  }

  private func words(in text: String) -> [String] {
    text.matches(of: /`([a-z-]+)`/).map { String($0.output.1) }
  }

  @Test(
    "Every option is explained at its declaration, including its value", arguments: commands)
  func declared(command: String) throws {
    let options = try #require(try Manual().program.subcommand(command)).options
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
    let page = command == "relay" ? "matinee-relay.1" : "matinee.1"
    let text = try text(of: page)
    for option in try #require(try Manual().program.subcommand(command)).shownOptions {
      let name = try #require(option.longName)
      #expect(
        text.contains("`--\(name)`") || text.contains("`--[no-]\(name)`"),
        "--\(name) isn't in \(page)")
    }
  }

  @Test("Every setting is in matinee(5), with its name in the environment")
  func settings() throws {
    let text = try text(of: "matinee.5")
    for setting in try Manual().program.settings {
      #expect(text.contains("\n`\(setting.name) =` "), "\(setting)")
      #expect(text.contains("`\(setting.variable)`"), "\(setting.variable)")
    }
  }

  @Test("Every part that the program prints is in one page")
  func printed() throws {
    let named = try ManualPage.all().flatMap(parts).filter { $0 != .exitStatuses }
    #expect(named.count == Set(named).count)
    #expect(Set(named + [.exitStatuses]) == Set(Manual.Part.allCases))
    for part in Manual.Part.allCases {
      #expect(try PrintCommand.parse([part.rawValue]).text() == Manual().text(of: part))
    }
    #expect(throws: (any Error).self) { try PrintCommand.parse(["matinee.1"]).text() }
  }

  @Test("Every command of the table is in matinee-headless(7) with its argument")
  func headlessCommands() throws {
    #expect(try parts(of: .named("matinee-headless.7")).contains(.headlessCommands))
    let text = try Manual().text(of: .headlessCommands)
    for row in UserCommandTable.rows {
      #expect(text.contains("`\(row.usage)`\n: "), "\(row.name)")
      for alias in row.aliases { #expect(text.contains("`\(alias)`"), "\(alias)") }
    }
  }

  @Test("Every event that the program prints is in matinee-headless(7), and no other")
  func events() throws {
    let described = try ManualPage.named("matinee-headless.7").items(below: "Events")
      .flatMap { words(in: $0.term) }
    #expect(Set(described).count == described.count)
    let printed = ScreeningEvent.Kind.allCases.filter(\.isPrinted).map(\.rawValue)
    #expect(Set(described) == Set(printed))
  }

  @Test("Every field of the state, and of its roster, is in matinee-headless(7), and no other")
  func state() throws {
    func names(in text: String) -> Set<String> {
      Set(text.matches(of: /`([A-Za-z]+)`/).map { String($0.output.1) })
    }
    // The encoded event equals this file.
    let golden = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../../ScreeningTests/Golden/state.json").standardizedFileURL
    let state = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: golden)) as? [String: Any])
    let items = try ManualPage.named("matinee-headless.7").items(below: "The state event")
    let described = items.reduce(into: Set<String>()) { $0.formUnion(names(in: $1.term)) }
    #expect(described.union(["event"]) == Set(state.keys))

    let roster = try #require(items.last)
    // The last one came through a door.
    let participant = try #require((state["roster"] as? [[String: Any]])?.last)
    let door = try #require(participant["door"] as? [String: Any])
    #expect(roster.term == "`roster`")
    #expect(names(in: roster.text).subtracting(["guest"]) == Set(participant.keys).union(door.keys))
  }
}
