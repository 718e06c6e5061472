import GroupActivities
import Testing

@testable import MatineeCommands

/// Secrets on the command line and at the prompt.
@Suite("Hidden arguments")
struct HiddenArgumentsTests {
  private func shown(_ arguments: String...) -> [String] {
    var line: [UInt8] = arguments.flatMap { Array($0.utf8) + [UInt8(0)] }
    for range in HiddenArguments.hidden(in: line, commands: ["join", "host"]) {
      for index in range { line[index] = UInt8(ascii: "*") }
    }
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("The command and the names of options stay in the process list, and nothing else")
  func hidden() {
    #expect(
      shown("matinee", "join", "matinee://a:1/b#c") == [
        "matinee", "join", String(repeating: "*", count: 17),
      ])
    #expect(
      shown("/usr/bin/matinee", "host", "--relay", "nats://u:p@h", "--mpv=a=b", "-", "-ab", "film")
        == ["/usr/bin/matinee", "host", "--relay", "************", "--mpv=***", "-", "***", "****"])
    #expect(shown("matinee") == ["matinee"])
  }

  @Test("The prompt shows both ends of an invite before its secret, and no character of that")
  func prompt() throws {
    let addresses = (1...3).map { Invite.Address(host: "192.0.2.\($0)", port: 62846)! }
    let invite = Party.Founding().invite(addresses: addresses).text
    let secret = try #require(invite.split(separator: "#").last)
    for count in 0...invite.count {
      let shown = InvitePrompt.shown(String(invite.prefix(count)))
      #expect(shown.count <= 44 + 23)
      #expect(!shown.contains(secret.prefix(6)))
    }
    let shown = InvitePrompt.shown(invite)
    #expect(shown.hasPrefix("matinee://192.0.2.1:62846"))
    #expect(shown.hasSuffix("#" + String(repeating: "*", count: 22)))
    #expect(InvitePrompt.shown(String(secret)) == String(repeating: "*", count: 22))
    #expect(InvitePrompt.shown("") == "")
  }
}
