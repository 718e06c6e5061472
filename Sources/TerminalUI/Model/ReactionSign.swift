/// An emoji that participants send instead of a message.
public struct ReactionSign: Hashable, Sendable {
  /// An emoji.
  public var symbol: TerminalText
  /// The word that terminals without Unicode show.
  public var word: TerminalText

  /// Creates an emoji with its word.
  public init(symbol: TerminalText, word: TerminalText) {
    self.symbol = symbol
    self.word = word
  }
}
