import Foundation
import TerminalUI

/// Lines typed into the chat, in the terminal or in mpv's window.
extension Theater {
  static let slashCommands = slashHelp.map(\.name)

  static let slashHelp = [
    SlashCommand("help", "", "show these commands"),
    SlashCommand("ready-check", "", "ask everyone whether they are ready"),
    SlashCommand("latency-offset", "MS", "extra output delay of your TV or speaker"),
    SlashCommand("enqueue", "FILE|URL", "add to the playlist"),
    SlashCommand("next", "", "next video in the playlist"),
    SlashCommand("previous", "", "previous video in the playlist"),
    SlashCommand("move", "FROM TO", "move a video in the playlist"),
    SlashCommand("drop", "N", "remove a video from the playlist"),
    SlashCommand("control", "everyone|hosts", "choose who may control playback"),
    SlashCommand("wait-for", "everyone|nobody", "choose whether a start waits"),
    SlashCommand("lifetime", "automatic|host", "end the party when the host leaves, or not"),
    SlashCommand("co-host", "NAME", "make a participant co-host"),
    SlashCommand("guest", "NAME", "make a co-host a guest again"),
    SlashCommand("hand-over", "NAME", "hand your role as host to a participant"),
    SlashCommand("remove", "NAME", "remove a participant from the party"),
    SlashCommand("close", "", "refuse newcomers"),
    SlashCommand("open", "", "admit newcomers again"),
  ]

  /// Sends a line of chat, or carries out a command that begins with a slash. Two slashes at the beginning mean a chat
  /// line with one.
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
