import Foundation
import Timekeeping

@testable import AVFormat
@testable import FilmProxy

extension FuzzTarget {
  static let streams = [playlist, answer]

  private static let answer = FuzzTarget(
    "http-answer",
    texts: [
      "HTTP/1.1 302 Found\r\nLocation: //other.example/x?a=%20\r\nContent-Type: a/b; c\r\n\r\n",
      "HTTP/1.0 206\r\ncontent-type:VIDEO/MP4\r\n\r\n",
    ]
  ) { bytes in
    guard
      case .status(let status, let location, _) = HTTPProbe.Answer(
        head: bytes, from: "http://h/a/b")
    else { return }
    try hold((100...599).contains(status), "status \(status)")
    try hold(location == nil || (300..<400).contains(status), "a redirect by \(status)")
  }

  private static let playlist = FuzzTarget(
    "hls-playlist",
    texts: [
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:6
      #EXT-X-PROGRAM-DATE-TIME:2024-05-01T12:00:00.250+02:00
      #EXT-X-MAP:URI="header.mp4",BYTERANGE="1@2"
      #EXTINF:6.006,title
      1.ts
      #EXT-X-DISCONTINUITY
      #EXTINF:5,
      2.ts
      #EXT-X-BYTERANGE:10@20
      #EXTINF:5,
      3.ts
      """,
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000,CODECS=\"a,b\"\nlow.m3u8\n#EXT-X-ENDLIST\n",
    ]
  ) { bytes in
    guard let playlist = HLSPlaylist(String(decoding: bytes, as: UTF8.self)) else { return }
    for begin in [MediaTime.zero, MediaTime(nanoseconds: .max), MediaTime(nanoseconds: .min)] {
      guard let live = LiveStream(playlist, start: { _ in begin }) else { continue }
      _ = live.start
      let index = live.startIndex(for: begin)
      try hold(
        (-live.segments.count ... -1).contains(index), "\(index) of \(live.segments.count)")
      _ = live.reaches(back: .zero)
    }
  }
}
