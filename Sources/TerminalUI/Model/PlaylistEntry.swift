/// One film of the playlist.
public struct PlaylistEntry: Hashable, Sendable {
  /// The film's name.
  public var title: TerminalText
  /// It is being watched.
  public var isCurrent: Bool

  public init(title: TerminalText, isCurrent: Bool = false) {
    self.title = title
    self.isCurrent = isCurrent
  }
}
