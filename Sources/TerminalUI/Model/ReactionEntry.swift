/// A participant's reaction, which rises over the picture.
package struct ReactionEntry: Hashable, Sendable, Identifiable {
  /// The entry's number, larger than that of every entry before it.
  package var id: Int
  /// The emoji.
  package var sign: ReactionSign
  /// The participant who sent it.
  package var author: TerminalText

  package init(id: Int, _ sign: ReactionSign, by author: TerminalText) {
    self.id = id
    self.sign = sign
    self.author = author
  }
}

/// An emoji that participants send instead of a message.
package struct ReactionSign: Hashable, Sendable {
  /// An emoji.
  package var symbol: TerminalText
  /// The word that terminals without Unicode show.
  package var word: TerminalText

  package init(symbol: TerminalText, word: TerminalText) {
    self.symbol = symbol
    self.word = word
  }
}
