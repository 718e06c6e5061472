/// The film's picture in the pane, with the facts that its layout needs.
public struct PictureModel: Hashable, Sendable {
  /// The displayed width in pixels; only the ratio to the height matters.
  public var width: Int
  /// The displayed height in pixels.
  public var height: Int
  /// The subtitles that are shown now.
  public var subtitles: Subtitles

  /// Creates a picture of this displayed size.
  public init(width: Int, height: Int, subtitles: Subtitles = Subtitles()) {
    self.width = width
    self.height = height
    self.subtitles = subtitles
  }
}
