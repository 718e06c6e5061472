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
