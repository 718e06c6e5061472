/// An emoji that participants send instead of a message.
public struct ReactionSign: Hashable, Sendable {
  /// An emoji.
  public var symbol: TerminalText
  /// The word that terminals without Unicode show.
  public var word: TerminalText

  public init(symbol: TerminalText, word: TerminalText) {
    self.symbol = symbol
    self.word = word
  }
}

/// A participant's reaction, which rises over the picture.
public struct ReactionEntry: Hashable, Sendable, Identifiable {
  /// The entry's number, larger than that of every entry before it.
  public var id: Int
  public var sign: ReactionSign
  public var author: TerminalText

  public init(id: Int, _ sign: ReactionSign, by author: TerminalText) {
    self.id = id
    self.sign = sign
    self.author = author
  }
}
