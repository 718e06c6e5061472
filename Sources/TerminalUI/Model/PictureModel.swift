/// The film's picture in the pane, with the facts that its layout needs.
package struct PictureModel: Hashable, Sendable {
  /// The displayed width in pixels; only the ratio to the height matters.
  package var width: Int
  /// The displayed height in pixels.
  package var height: Int
  /// The subtitles that are shown now.
  package var subtitles: Subtitles

  package init(width: Int, height: Int, subtitles: Subtitles = Subtitles()) {
    self.width = width
    self.height = height
    self.subtitles = subtitles
  }
}
