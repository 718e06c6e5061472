/// A sign that people give: one glance, no words.
public struct ReactionSign: Hashable, Sendable {
  /// An emoji.
  public var symbol: TerminalText
  /// What terminals without Unicode show.
  public var word: TerminalText

  public init(symbol: TerminalText, word: TerminalText) {
    self.symbol = symbol
    self.word = word
  }
}

/// A sign that somebody gave, which rises over the picture.
public struct ReactionEntry: Hashable, Sendable, Identifiable {
  /// Larger than that of every entry before it.
  public var id: Int
  public var sign: ReactionSign
  public var author: TerminalText

  public init(id: Int, _ sign: ReactionSign, by author: TerminalText) {
    self.id = id
    self.sign = sign
    self.author = author
  }
}
