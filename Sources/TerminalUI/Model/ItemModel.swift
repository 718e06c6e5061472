/// The item that is open in the player.
public struct ItemModel: Hashable, Sendable {
  /// A fact about the item: "Video", "1920×1080".
  public struct Detail: Hashable, Sendable {
    /// The subject of the fact, in one word.
    public var name: TerminalText
    /// The fact.
    public var value: TerminalText

    /// Creates a fact.
    public init(name: TerminalText, value: TerminalText) {
      self.name = name
      self.value = value
    }
  }

  /// The item's title; the file's name if it has no title.
  public var title: TerminalText
  /// The text below the title: a series, an artist, the host of a URL. May be empty.
  public var subtitle: TerminalText
  /// Facts about the item, the most important first; those without room are not shown.
  public var details: [Detail]

  /// Creates an item.
  public init(title: TerminalText, subtitle: TerminalText = .empty, details: [Detail] = []) {
    self.title = title
    self.subtitle = subtitle
    self.details = details
  }
}
