/// The item that is open in the player.
package struct ItemModel: Hashable, Sendable {
  /// A fact about the item: "Video", "1920×1080".
  package struct Detail: Hashable, Sendable {
    /// The subject of the fact, in one word.
    package var name: TerminalText
    /// The fact.
    package var value: TerminalText

    package init(name: TerminalText, value: TerminalText) {
      self.name = name
      self.value = value
    }
  }

  /// The item's title; the file's name if it has no title.
  package var title: TerminalText
  /// The name of the chapter that is shown; empty for none.
  package var chapter: TerminalText
  /// The text below the title: a series, an artist, the host of a URL. May be empty.
  package var subtitle: TerminalText
  /// Facts about the item, the most important first; those without room are not shown.
  package var details: [Detail]

  package init(
    title: TerminalText, chapter: TerminalText = .empty, subtitle: TerminalText = .empty,
    details: [Detail] = []
  ) {
    self.title = title
    self.chapter = chapter
    self.subtitle = subtitle
    self.details = details
  }
}

/// One film of the playlist.
package struct PlaylistLine: Hashable, Sendable {
  /// The film's name.
  package var title: TerminalText
  /// A Boolean value that indicates whether the film is being watched.
  package var isCurrent: Bool

  package init(title: TerminalText, isCurrent: Bool = false) {
    self.title = title
    self.isCurrent = isCurrent
  }
}
