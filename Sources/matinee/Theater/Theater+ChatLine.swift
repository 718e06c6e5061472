import Foundation

/// What is typed where one chats: in the terminal, and in mpv's window.
extension Theater {
  static let slashCommands =
    ["ready-check", "latency-offset"] + PlaylistCommand.words + RuleCommand.words

  /// A line of chat, or after a slash a change of the party's rules and the like. Two slashes are a line with one.
  func enter(line text: String) async throws {
    guard text.hasPrefix("/"), !text.hasPrefix("//") else {
      return try await say(text.hasPrefix("//") ? String(text.dropFirst()) : text)
    }
    let words = text.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
    let (word, rest) = (words.first ?? "", words.count > 1 ? words[1] : "")
    if word == "ready-check" { return try await askWhetherReady() }
    if word == "latency-offset" {
      return await setLatencyOffset(try LatencyOffset(parsing: rest))
    }
    if PlaylistCommand.words.contains(word) {
      return try await carryOut(try PlaylistCommand(word, rest))
    }
    guard RuleCommand.words.contains(word) else {
      throw HeadlessCommand.Problem(
        description: "Unknown command. Type / to see the list. (// sends a literal slash)")
    }
    try await change(try RuleCommand(word, rest.trimmingCharacters(in: .whitespaces)))
  }
}
