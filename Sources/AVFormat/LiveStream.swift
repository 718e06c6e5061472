import Concurrency
import Foundation
import Timekeeping

/// A stream that grows while it is watched, and the relation of its times to the date.
///
/// Every viewer starts at a different moment. Only the date, or else the stream's own time stamps, shows whether two
/// viewers see the same picture.
package struct LiveStream: Hashable, Sendable {
  /// A part of the stream that is available now.
  struct Segment: Hashable, Sendable {
    var begin: MediaTime
    var end: MediaTime
  }

  /// The date, in time since 1970, of time zero of the stream's own time stamps; zero for a stream without dates.
  package var origin: MediaTime
  var segments: [Segment]

  /// The position at which a player starts by default: three segments from the end, as RFC 8216 recommends (6.3.3).
  package var start: MediaTime {
    segments.suffix(Self.distance).first?.begin ?? segments[segments.count - 1].begin
  }

  private static let distance = 3

  /// Returns the segment from which a player has to fetch to show `position`, counted from the end: the last is -1.
  ///
  /// It is one segment earlier than necessary: before the player's request the oldest segment may disappear and a new
  /// one may be added.
  package func startIndex(for position: MediaTime) -> Int {
    let index = segments.lastIndex { $0.begin <= position } ?? 0
    return min(-1, max(0, index - 1) - segments.count)
  }

  /// Returns whether the part at `position` is still available.
  package func reaches(back position: MediaTime) -> Bool { segments[0].begin <= position }

  /// Reads the playlist at a URL.
  ///
  /// - Parameters:
  ///   - location: the URL.
  ///   - access: the conditions under which its servers are asked.
  ///   - probe: the bound of all requests together. Cancelling it ends them.
  /// - Returns: nil if it isn't a live stream, or can't be read: then the player reports the reason.
  package static func probe(
    _ location: String, _ access: ServerAccess = ServerAccess(), _ probe: StreamProbe
  ) async -> LiveStream? {
    guard let url = URL(string: location), isPlaylist(url) else { return nil }
    return await OwnedThread.run("live stream") { access.look { read(url, access, probe) } }
  }

  private static func isPlaylist(_ url: URL) -> Bool {
    isOnNetwork(url) && ["m3u8", "m3u"].contains(url.pathExtension.lowercased())
  }

  private static func isOnNetwork(_ url: URL) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased())
  }

  private static let playlistLimit = 4 << 20

  private static func read(
    _ url: URL, _ access: ServerAccess, _ probe: StreamProbe
  ) -> LiveStream? {
    var url = url
    guard
      var playlist = StreamReader.text(url, limit: playlistLimit, access, probe)
        .flatMap(HLSPlaylist.init)
    else { return nil }
    if let best = playlist.variants.max(by: { $0.bandwidth < $1.bandwidth }) {
      guard let other = URL(string: best.uri, relativeTo: url)?.absoluteURL, isOnNetwork(other),
        let variant = StreamReader.text(other, limit: playlistLimit, access, probe)
          .flatMap(HLSPlaylist.init)
      else { return nil }
      (url, playlist) = (other, variant)
    }
    let base = url
    func absolute(_ uri: String) -> URL? {
      URL(string: uri, relativeTo: base).map(\.absoluteURL).flatMap { url in
        // A vertical bar separates the names in FFmpeg's lists.
        isOnNetwork(url) && !url.absoluteString.contains("|") ? url : nil
      }
    }
    return LiveStream(playlist) { segment in
      guard let uri = absolute(segment.uri) else { return nil }
      guard let map = segment.map else {
        return StreamReader.start(of: uri, map: nil, access, probe)
      }
      guard let map = absolute(map) else { return nil }
      return StreamReader.start(of: uri, map: map, access, probe)
    }
  }

  /// - Parameter start: returns the time stamp at which a segment begins. It is called once.
  init?(_ playlist: HLSPlaylist, start: (HLSPlaylist.Segment) -> MediaTime?) {
    // The time stamps start again at a discontinuity: those of older segments aren't comparable.
    let segments = playlist.segments.suffix(
      from: playlist.segments.lastIndex { $0.isDiscontinuous } ?? 0)
    guard !playlist.hasEnd, let probed = segments.suffix(Self.distance).first, !probed.isPart,
      let begin = start(probed)
    else { return nil }
    var position = begin
    for segment in segments.prefix(max(0, segments.count - Self.distance)).reversed() {
      position = position - segment.duration
    }
    self.segments = []
    for segment in segments {
      self.segments.append(Segment(begin: position, end: position + segment.duration))
      position = position + segment.duration
    }
    origin = probed.date.map { MediaTime.zero + (MediaTime(nanoseconds: $0) - begin) } ?? .zero
  }
}
