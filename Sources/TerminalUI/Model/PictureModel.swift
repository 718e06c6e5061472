/// That the film's picture is in the pane: what has to be known of it to give it its place.
public struct PictureModel: Hashable, Sendable {
  /// In pixels as they are to be shown; only the ratio matters.
  public var width: Int
  public var height: Int
  /// What the subtitles say now, line by line.
  public var subtitles: [TerminalText]

  public init(width: Int, height: Int, subtitles: [TerminalText] = []) {
    self.width = width
    self.height = height
    self.subtitles = subtitles
  }
}
