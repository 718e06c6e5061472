/// One participant, as the roster shows it.
public struct RosterEntry: Hashable, Sendable {
  /// Whether the participant is with the group.
  public enum State: Hashable, Sendable {
    /// Playing with the group, or ready to.
    case ready
    /// Loading, buffering, or on the way to where the group is.
    case preparing
    /// Separated from the group; the reason is in the note.
    case away
  }

  /// The one thing to say about a participant now, at the right.
  public enum Note: Hashable, Sendable {
    case none
    /// The player's distance from the group, as it measured it: ahead when positive.
    case syncError(Duration)
    /// "loading…", "stepped away"
    case text(TerminalText)
  }

  /// What the participant may do in the party.
  public enum Role: Hashable, Sendable { case host, coHost, guest }

  /// Unique in the party.
  public var name: TerminalText
  /// This is the person at this terminal.
  public var isSelf: Bool
  public var role: Role
  /// Whether the participant is with the group.
  public var state: State
  /// The one thing to say about the participant now.
  public var note: Note

  public init(
    name: TerminalText, isSelf: Bool = false, role: Role = .guest, state: State, note: Note = .none
  ) {
    self.name = name
    self.isSelf = isSelf
    self.role = role
    self.state = state
    self.note = note
  }
}
