/// What is open in the player.
public struct ItemModel: Hashable, Sendable {
  /// A fact about the item: "Video", "1920×1080".
  public struct Detail: Hashable, Sendable {
    public var name: TerminalText
    public var value: TerminalText

    public init(name: TerminalText, value: TerminalText) {
      self.name = name
      self.value = value
    }
  }

  public var title: TerminalText
  /// Said below the title: a series, an artist, the host of a URL. May be empty.
  public var subtitle: TerminalText
  /// The most important first; those without room are not shown.
  public var details: [Detail]

  public init(title: TerminalText, subtitle: TerminalText = .empty, details: [Detail] = []) {
    self.title = title
    self.subtitle = subtitle
    self.details = details
  }
}
