/// One participant, as the roster shows it.
package struct RosterEntry: Hashable, Sendable {
  /// The participant's relation to the group.
  package enum State: Hashable, Sendable {
    /// The participant plays with the group, or is ready to.
    case ready
    /// The player is loading, buffering, or moving to the group's position.
    case preparing
    /// The participant is separated from the group; the note has the reason.
    case away
  }

  /// The most important fact about a participant now, shown at the right.
  package enum Note: Hashable, Sendable {
    /// No fact, for example before the first measurement.
    case none
    /// The player's distance from the group by its own measurement; positive when ahead.
    case syncError(Duration)
    /// A short text: "loading…", "stepped away".
    case text(TerminalText)
  }

  /// The participant's rights in the party.
  package enum Role: Hashable, Sendable { case host, coHost, guest }

  /// The participant's name, unique in the party.
  package var name: TerminalText
  /// A Boolean value that indicates whether this is the participant at this terminal.
  package var isSelf: Bool
  /// The participant's role in the party.
  package var role: Role
  /// The participant's relation to the group.
  package var state: State
  /// The most important fact about the participant now.
  package var note: Note
  /// Lasting facts: the door through which the participant came, another copy of the film.
  package var marks: [TerminalText]

  package init(
    name: TerminalText, isSelf: Bool = false, role: Role = .guest, state: State, note: Note = .none,
    marks: [TerminalText] = []
  ) {
    self.name = name
    self.isSelf = isSelf
    self.role = role
    self.state = state
    self.note = note
    self.marks = marks
  }
}
