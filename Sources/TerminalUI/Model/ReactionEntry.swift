/// A participant's reaction, which rises over the picture.
public struct ReactionEntry: Hashable, Sendable, Identifiable {
  /// The entry's number, larger than that of every entry before it.
  public var id: Int
  /// The emoji.
  public var sign: ReactionSign
  /// The participant who sent it.
  public var author: TerminalText

  /// Creates a reaction of a participant.
  public init(id: Int, _ sign: ReactionSign, by author: TerminalText) {
    self.id = id
    self.sign = sign
    self.author = author
  }
}
