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
