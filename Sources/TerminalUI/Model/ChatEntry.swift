/// A line of the chat, or a note of what happened, with the time of day at which it did.
public struct ChatEntry: Hashable, Sendable, Identifiable {
  /// What was said or done.
  public enum Content: Hashable, Sendable {
    case said(TerminalText, by: TerminalText, isOwn: Bool)
    /// Somebody did something: `did("went to 12:30", by: "Ana")`.
    case did(TerminalText, by: TerminalText)
    /// "The relay is back."
    case note(TerminalText)
  }

  /// Larger than that of every entry before it.
  public var id: Int
  /// Of the local time of day: 0...23.
  public var hour: Int
  /// 0...59
  public var minute: Int
  /// What was said or done then.
  public var content: Content

  /// - Precondition: `hour` and `minute` are a time of day.
  public init(id: Int, hour: Int, minute: Int, _ content: Content) {
    precondition((0..<24).contains(hour) && (0..<60).contains(minute), "\(hour):\(minute)")
    self.id = id
    self.hour = hour
    self.minute = minute
    self.content = content
  }
}
