/// Several films beside one another in one picture, played as one: a filter graph of mpv's (`mpv(1)`,
/// `--lavfi-complex`).
struct AngleGrid: Hashable, Sendable {
  /// The size of the first film's picture; the others are fitted into its shape.
  let width: Int
  let height: Int
  /// mpv's numbers of the pictures (`vid`), in their order.
  let videos: [Int]

  /// The largest number of films that are shown.
  static let limit = 4
  /// The largest width of the whole, in pixels: more is more than a viewer sees and than two cores scale.
  private static let widest = 1920

  /// Selects the videos from a player's `track-list`: the first film of each file, in the order of the files. Nil if
  /// there are fewer than two.
  ///
  /// - Parameter angles: the files in addition to the loaded one, as they were named.
  init?(_ tracks: [MPVValue], angles: [String]) {
    var videos: [Int64] = []
    var size: (width: Int64, height: Int64)?
    for file in [nil] + angles.map({ Optional($0) }) {
      let track = tracks.first { track in
        track["type"]?.string == "video" && track["albumart"]?.flag != true
          && track["external-filename"]?.string == file
      }
      guard let track, let id = track["id"]?.integer else { continue }
      videos.append(id)
      if size == nil, let width = track["demux-w"]?.integer, let height = track["demux-h"]?.integer,
        width > 0, height > 0
      {
        size = (width, height)
      }
    }
    guard videos.count > 1 else { return nil }
    let (width, height) = size ?? (640, 360)
    let cell = min(Int(width), Self.widest / 2) / 2 * 2
    self.width = max(2, cell)
    self.height = max(2, Int(height) * self.width / Int(width) / 2 * 2)
    self.videos = videos.prefix(Self.limit).map { Int($0) }
  }

  /// The filter graph: two pictures side by side, three and four in two rows.
  var graph: String {
    let fit =
      "scale=\(width):\(height):force_original_aspect_ratio=decrease,"
      + "pad=\(width):\(height):(ow-iw)/2:(oh-ih)/2,setsar=1,format=yuv420p"
    let cells = videos.enumerated().map { "[vid\($1)]\(fit)[cell\($0)]" }
    let all = videos.indices.map { "[cell\($0)]" }.joined()
    let corners = ["0_0", "w0_0", "0_h0", "w0_h0"].prefix(videos.count).joined(separator: "|")
    return cells.joined(separator: ";")
      + ";\(all)xstack=inputs=\(videos.count):layout=\(corners):fill=black[vo]"
  }

  /// Returns the files as mpv's list of paths (`external-files`), in which a colon separates the entries.
  static func externalFiles(_ angles: [String]) -> String {
    angles.map {
      LoadDiagnosis.opened($0).replacing("\\", with: "\\\\").replacing(":", with: "\\:")
    }
    .joined(separator: ":")
  }
}
