import Foundation
import Testing

/// A program that knows `Wire.md` and nothing else, in a party of real programs over a real relay.
@Suite("A second implementation of the wire", .serialized)
struct WireScriptTests {
  private static let script = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scripts/join-party").path

  @Test(
    "A script joins from an invite, verifies and opens messages, knows the line, and says something"
  )
  func script() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let ben = try await MatineeProcess.join(invite, name: "Ben")
    try ana.send("rate 1.25")
    try ana.send("seek 30")
    _ = try await ana.state { ($0.number("position") ?? 0) > 29 && $0.number("rate") == 1.25 }

    let script = try ExampleProcess(
      command: ["/usr/bin/python3", Self.script, invite, "Script", "hello from Python"])
    for member in [ana, ben] {
      let chat = try await member.next("chat") { $0.string("text") == "hello from Python" }
      #expect(chat.string("from") == "Script")
    }
    let end = try await script.wait { lines in lines.first { $0.hasPrefix("line ") } }
    let words = end.split(separator: " ")
    #expect(words[1] == "paused" && words[3] == "rate" && words[4] == "1.25")
    let position = try #require(Double(words[2]))
    #expect(abs(position - 30) < 1)
    #expect(end.contains("Countdown") || words.count > 5, "the film's title")
    let roster = try script.lines.filter { $0.hasPrefix("participant ") }
    #expect(roster.count == 2 && roster[0].hasSuffix("Ana (creator)") && roster[1].contains("Ben"))
    #expect(try !script.lines.contains { $0.hasPrefix("skipped") }, "each message is valid")
    for member in [ana, ben] {
      let left = try await member.next("participant-left") { $0.string("name") == "Script" }
      #expect(left.flag("announced") == true)
    }
    #expect(try await ben.quit() == 0)
    #expect(try await ana.quit() == 0)
  }

  @Test("After a removal the script says that it can't read the party's key, and changes nothing")
  func removal() async throws {
    let (ana, invite) = try await MatineeProcess.host()
    let ben = try await MatineeProcess.join(invite, name: "Ben")
    let chi = try await MatineeProcess.join(invite, name: "Chi")
    try ana.send("remove Chi")
    _ = try await ben.next("participant-left") { $0.string("name") == "Chi" }
    let script = try ExampleProcess(
      command: ["/usr/bin/python3", Self.script, invite, "Script", "never said"])
    let end = try await script.line("Somebody was removed")
    #expect(end.contains("this script can't read"))
    try ben.send("chat still here")
    let chat = try await ana.next("chat")
    #expect(chat.string("text") == "still here")
    for one in [ben, ana, chi] { #expect(try await one.quit() == 0) }
  }

  @Test("The script has 150 lines at most, and none of this package's code")
  func length() throws {
    let text = try String(contentsOfFile: Self.script, encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
  }
}
