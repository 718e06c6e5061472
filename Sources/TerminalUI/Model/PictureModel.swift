/// That the film's picture is in the pane: what has to be known of it to give it its place.
public struct PictureModel: Hashable, Sendable {
  /// In pixels as they are to be shown; only the ratio matters.
  public var width: Int
  public var height: Int
  public var subtitles: Subtitles

  public init(width: Int, height: Int, subtitles: Subtitles = Subtitles()) {
    self.width = width
    self.height = height
    self.subtitles = subtitles
  }
}
