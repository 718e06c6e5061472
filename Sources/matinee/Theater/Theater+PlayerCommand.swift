import Foundation
import GroupActivities
import MPVPlayer
import Screening

/// mpv's commands that the user has bound to keys.
extension Theater {
  struct PlayerCommandProblem: Error, CustomStringConvertible {
    var description: String
  }

  /// - Returns: the notice that follows the command; nil for none.
  /// - Throws: ``PlayerCommandProblem`` if the command can't be carried out now.
  func perform(_ command: PlayerCommand) async throws -> String? {
    switch command.requirement {
    case .none: break
    case .noParty where party != nil:
      throw PlayerCommandProblem(
        description: "“\(command.subject)” would move only you, so it doesn't work in a party.")
    case .window where await player.videoMode != .window:
      throw PlayerCommandProblem(
        description: "“\(command.subject)” works in mpv's window only.")
    case .noParty, .window: break
    }
    // mpv's own display would be unreadable in the terminal's video.
    let isForDisplay = ["show-text", "show-progress"].contains(command.arguments.first)
    let isInWindow = await player.videoMode == .window
    do throws(MPVError) {
      if command.feedback == .screenshot {
        let path = try await player.screenshot(command.arguments)
        return "Screenshot saved" + (path.map { ": \(PartyText.clean($0, limit: 300))" } ?? ".")
      }
      if !isForDisplay || isInWindow {
        try await player.perform(command.arguments, showsInWindow: command.feedback != .none)
      }
      guard case .text(let text) = command.feedback else { return nil }
      return PartyText.clean(try await player.expand(text), limit: 500)
    } catch {
      guard error.reason == .call else { throw error }
      let words = command.arguments.joined(separator: " ")
      throw PlayerCommandProblem(
        description: "mpv can't do “\(PartyText.clean(words, limit: 100))” now."
          + (command.feedback == .screenshot
            ? " Open a video, and check that the screenshot folder is writable." : ""))
    }
  }
}
