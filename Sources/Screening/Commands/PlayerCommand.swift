/// A command of mpv's that concerns only this player, such as `add sub-delay 0.1` or `screenshot`.
package struct PlayerCommand: Hashable, Sendable {
  /// The notice that follows the command.
  package enum Feedback: Hashable, Sendable {
    /// No notice.
    case none
    /// A text in which mpv expands properties, as in `${sub-delay}`.
    case text(String)
    /// The name of the file that a screenshot was written to.
    case screenshot
  }

  /// A condition for a command, which is refused without it.
  package enum Requirement: Hashable, Sendable {
    /// No condition.
    case none
    /// mpv's window must be open, because the command only affects the window.
    case window
    /// There must be no party, because the command would move this player apart from the group.
    case noParty
  }

  /// The command's name and its arguments, in which mpv expands properties.
  package var arguments: [String]
  /// The notice that follows the command.
  package var feedback: Feedback
  /// The condition without which the command is refused.
  package var requirement: Requirement

  /// - Parameter arguments: the command's name and its arguments.
  package init(_ arguments: [String], feedback: Feedback, requirement: Requirement = .none) {
    self.arguments = arguments
    self.feedback = feedback
    self.requirement = requirement
  }

  /// The part that identifies the command in a message: "ab-loop", or the property of `set loop-file inf`.
  package var subject: String {
    switch arguments.first {
    case "set", "add", "cycle", "multiply":
      return arguments.count > 1 ? arguments[1] : arguments[0]
    case "cycle-values": return arguments.dropFirst().first { $0 != "!reverse" } ?? arguments[0]
    default: return arguments.first ?? ""
    }
  }
}

extension PlayerCommand {
  /// Creates a command that changes one property, reported as on mpv's on-screen display: "Subtitle delay: 100 ms".
  init(_ arguments: [String], of property: PlayerProperty) {
    self.init(
      arguments,
      feedback: .text("\(property.label): ${\(property.name)}\(property.unit)"),
      requirement: property.requirement)
  }

  /// Sets the start of a loop, then its end, then neither, as mpv's key `l` does.
  package static let abLoop = PlayerCommand(
    ["ab-loop"], feedback: .text("Loop: ${ab-loop-a} – ${ab-loop-b}"), requirement: .noParty)

  /// Saves a picture of the video.
  package static let screenshot = PlayerCommand(["screenshot"], feedback: .screenshot)

  /// Returns the command that adds to a property.
  ///
  /// - Parameter step: a number with its sign.
  package static func add(_ name: String, _ step: String) -> PlayerCommand {
    guard let property = PlayerProperty(name) else {
      preconditionFailure("\(name) isn't in the table")
    }
    return PlayerCommand(["add", name, step], of: property)
  }
}
