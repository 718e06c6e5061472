/// One film of the playlist.
public struct PlaylistEntry: Hashable, Sendable {
  /// The film's name.
  public var title: TerminalText
  /// A Boolean value that indicates whether the film is being watched.
  public var isCurrent: Bool

  /// Creates an entry.
  public init(title: TerminalText, isCurrent: Bool = false) {
    self.title = title
    self.isCurrent = isCurrent
  }
}
