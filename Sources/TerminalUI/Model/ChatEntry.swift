/// A line of the chat, or a note about an event, with its local time of day.
package struct ChatEntry: Hashable, Sendable, Identifiable {
  /// The content of an entry.
  package enum Content: Hashable, Sendable {
    /// A message of a participant; `isOwn` if it is the one at this terminal.
    case said(TerminalText, by: TerminalText, isOwn: Bool)
    /// An action of a participant: `did("went to 12:30", by: "Ana")`.
    case did(TerminalText, by: TerminalText)
    /// A notice of the program: "The relay is back."
    case note(TerminalText)
  }

  /// The entry's number, larger than that of every entry before it.
  package var id: Int
  /// The hour of the local time of day, 0...23.
  package var hour: Int
  /// The minute of the hour, 0...59.
  package var minute: Int
  /// The message, action or note.
  package var content: Content

  package init(id: Int, hour: Int, minute: Int, _ content: Content) {
    precondition((0..<24).contains(hour) && (0..<60).contains(minute), "\(hour):\(minute)")
    self.id = id
    self.hour = hour
    self.minute = minute
    self.content = content
  }
}
