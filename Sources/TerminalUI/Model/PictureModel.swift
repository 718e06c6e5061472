/// The film's picture in the pane, with the facts that its layout needs.
public struct PictureModel: Hashable, Sendable {
  /// The displayed width in pixels; only the ratio to the height matters.
  public var width: Int
  public var height: Int
  public var subtitles: Subtitles

  public init(width: Int, height: Int, subtitles: Subtitles = Subtitles()) {
    self.width = width
    self.height = height
    self.subtitles = subtitles
  }
}
