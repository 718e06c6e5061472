import Foundation
import Timekeeping

/// An HTTP Live Streaming playlist (RFC 8216), reduced to the facts that date its segments.
struct HLSPlaylist: Hashable, Sendable {
  struct Segment: Hashable, Sendable {
    var uri: String
    var duration: Duration
    /// The date of the first sample, in nanoseconds since 1970; stated by the playlist, or computed from the
    /// neighbours.
    var date: Int64?
    /// The URI of the header that precedes the segment's bytes, for segments without a header of their own.
    var map: String?
    /// A Boolean value that indicates whether the time stamps start again at this segment.
    var isDiscontinuous = false
    /// A Boolean value that indicates whether the segment is only a byte range of the resource at its URI.
    var isPart = false
  }

  struct Variant: Hashable, Sendable {
    var uri: String
    var bandwidth: Int
  }

  var variants: [Variant] = []
  var segments: [Segment] = []
  /// A Boolean value that indicates whether the playlist is complete: the server adds no more segments.
  var hasEnd = false

  private static let segmentLimit = 20_000
  /// The maximum length of a line, in bytes. Longer lines are skipped: no address or tag needs more, and the time for a
  /// search stays bounded.
  private static let lineLimit = 8192

  /// - Returns: nil if the text isn't a playlist.
  init?(_ text: String) {
    var lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.lazy
      .filter { $0.count <= Self.lineLimit }
      .map { Substring($0).trimmingCharacters(in: .whitespaces) }.makeIterator()
    guard lines.next() == "#EXTM3U" else { return nil }
    var next = Segment(uri: "", duration: .zero)
    var bandwidth: Int?
    var map: String?
    while let line = lines.next(), segments.count < Self.segmentLimit {
      if let value = line.value(of: "#EXTINF:") {
        next.duration = Duration(clampingSeconds: Double(value.prefix { $0 != "," }) ?? 0)
      } else if let value = line.value(of: "#EXT-X-PROGRAM-DATE-TIME:") {
        next.date = Self.nanoseconds(value)
      } else if let value = line.value(of: "#EXT-X-MAP:") {
        map = AttributeList(value[...].utf8)["URI"]
      } else if line == "#EXT-X-DISCONTINUITY" {
        next.isDiscontinuous = true
      } else if line.hasPrefix("#EXT-X-BYTERANGE:") {
        next.isPart = true
      } else if let value = line.value(of: "#EXT-X-STREAM-INF:") {
        bandwidth = AttributeList(value[...].utf8)["BANDWIDTH"].flatMap { Int($0) } ?? 0
      } else if line == "#EXT-X-ENDLIST" || line == "#EXT-X-PLAYLIST-TYPE:VOD" {
        hasEnd = true
      } else if !line.isEmpty, !line.hasPrefix("#") {
        if let known = bandwidth {
          variants.append(Variant(uri: line, bandwidth: known))
          bandwidth = nil
        } else {
          next.uri = line
          next.map = map
          segments.append(next)
        }
        next = Segment(uri: "", duration: .zero)
      }
    }
    reckonDates()
  }

  /// Computes the missing dates from the neighbours' dates and durations, up to the next discontinuity.
  private mutating func reckonDates() {
    for index in segments.indices.dropFirst()
    where segments[index].date == nil && !segments[index].isDiscontinuous {
      let before = segments[index - 1]
      // The sum of a server's durations can have any value: this addition doesn't overflow.
      segments[index].date = before.date.map {
        (MediaTime(nanoseconds: $0) + before.duration).nanoseconds
      }
    }
    for index in segments.indices.dropLast().reversed()
    where segments[index].date == nil && !segments[index + 1].isDiscontinuous {
      let duration = segments[index].duration
      segments[index].date = segments[index + 1].date.map {
        (MediaTime(nanoseconds: $0) - duration).nanoseconds
      }
    }
  }

  /// Parses an ISO 8601 date with or without fractions, and with `Z`, `+01:00` or `+0100`.
  private static func nanoseconds(_ text: String) -> Int64? {
    let pattern =
      #/
      (\d{4}-\d{2}-\d{2}) [T\ ] (\d{2}:\d{2}:\d{2}) (\.\d{1,9})? \s* (Z|[+-]\d{2}:?\d{2})?
      /#
    guard text.utf8.count <= 64, let match = text.wholeMatch(of: pattern) else { return nil }
    let zone = match.4.map { $0 == "Z" ? "+00:00" : String($0) } ?? "+00:00"
    let colon = zone.contains(":") ? zone : zone.prefix(3) + ":" + zone.suffix(2)
    guard
      let whole = try? Date(
        "\(match.1)T\(match.2)\(colon)",
        strategy: .iso8601.year().month().day()
          .dateTimeSeparator(.standard).time(includingFractionalSeconds: false)
          .timeZone(separator: .colon))
    else { return nil }
    let fraction = match.3.flatMap { Double("0" + $0) } ?? 0
    let seconds = whole.timeIntervalSince1970.rounded()
    guard abs(seconds) < 5e9 else { return nil }
    return Int64(seconds) * 1_000_000_000 + Int64((fraction * 1e9).rounded())
  }
}

extension String {
  fileprivate func value(of tag: String) -> String? {
    hasPrefix(tag) ? String(dropFirst(tag.count)) : nil
  }
}
