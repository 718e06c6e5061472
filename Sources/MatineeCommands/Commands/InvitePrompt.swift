import ArgumentParser
import Concurrency
import Foundation
import GroupActivities
import MatineeKit
import TerminalUI

/// A question for an invite on a terminal. An invite that is pasted there is in no process list, no shell's history, and
/// not on the screen either.
enum InvitePrompt {
  /// - Throws: `ExitCode` at the end of the input.
  static func ask(_ prompt: String = "Invite: ") async throws -> String {
    let line = await OwnedThread.run("read invite") { HiddenLine.read(prompt, showing: shown) }
    guard let line else { throw ExitCode.validationFailure }
    return line
  }

  /// Returns the visible part of what was typed so far: the ends of the part before the secret, and an asterisk for each
  /// character of the secret. A secret alone isn't shown at all.
  static func shown(_ text: String) -> String {
    let scheme = Invite.scheme + "://"
    let start = text.lowercased()
    guard start.hasPrefix(scheme) || scheme.hasPrefix(start) else { return asterisks(text.count) }
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let open = parts[0].filter { $0.isASCII && !$0.isWhitespace }
    let ends = open.count > 44 ? "\(open.prefix(32))...\(open.suffix(8))" : open
    return parts.count == 1 ? ends : "\(ends)#\(asterisks(parts[1].count))"
  }

  private static func asterisks(_ count: Int) -> String {
    String(repeating: "*", count: min(count, 22))
  }
}

extension InviteFile {
  /// Reads an invite from standard input, which keeps it out of the list of processes and the shell's history. Nothing
  /// after the invite's line is consumed. A terminal asks for it.
  static func readStandardInput() async throws -> String {
    guard isatty(STDIN_FILENO) == 1 else { return firstInputLine() }
    while true {
      let text = try await InvitePrompt.ask()
      if !text.allSatisfy(\.isWhitespace) { return text }
    }
  }
}
