import Testing
import Timekeeping

@testable import AVFormat

@Suite("Live streams")
struct LiveStreamTests {
  static let playlist = """
    #EXTM3U
    #EXT-X-TARGETDURATION:2
    #EXT-X-MEDIA-SEQUENCE:7
    #EXTINF:2.000,
    seven.ts
    #EXTINF:2.000,
    #EXT-X-PROGRAM-DATE-TIME:2026-03-01T12:00:02.500+01:00
    eight.ts
    #EXTINF:1.500,
    nine.ts
    #EXTINF:2.000,a title, with a comma
    ten.ts

    """
  /// 2026-03-01 at 11:00 UTC.
  static let eleven: Int64 = 1_772_362_800_000_000_000

  @Test("One date determines the dates of the segments before and after it")
  func dates() throws {
    let playlist = try #require(HLSPlaylist(Self.playlist))
    #expect(!playlist.hasEnd)
    #expect(playlist.segments.map(\.uri) == ["seven.ts", "eight.ts", "nine.ts", "ten.ts"])
    #expect(
      playlist.segments.map { $0.date.map { ($0 - Self.eleven) / 1_000_000 } }
        == [500, 2500, 4500, 6000])
  }

  @Test(
    "Dates are read in every form that streams write them in",
    arguments: [
      "2026-03-01T11:00:00Z", "2026-03-01T11:00:00.000Z", "2026-03-01T13:00:00+02:00",
      "2026-03-01T06:00:00.0-0500", "2026-03-01T11:00:00.000000+0000", "2026-03-01 11:00:00Z",
    ])
  func forms(text: String) throws {
    let playlist = try #require(
      HLSPlaylist("#EXTM3U\n#EXT-X-PROGRAM-DATE-TIME:\(text)\n#EXTINF:2,\na.ts"))
    #expect(playlist.segments[0].date == Self.eleven)
  }

  @Test(
    "Texts that aren't dates aren't read as dates",
    arguments: ["", "yesterday", "2026-13-01T11:00:00Z", "99999-01-01T00:00:00Z", "2026-03-01"])
  func nonsense(text: String) throws {
    let playlist = try #require(
      HLSPlaylist("#EXTM3U\n#EXT-X-PROGRAM-DATE-TIME:\(text)\n#EXTINF:2,\na.ts"))
    #expect(playlist.segments.map(\.date) == [nil])
  }

  @Test("Attributes are read regardless of the text around them")
  func attributes() {
    let list = AttributeList(
      #"BANDWIDTH=7,CODECS="avc1,mp4a", URI="a,b=c.m4s",X-1=,BANDWIDTH=9,junk,Y"#[...].utf8)
    #expect(list["BANDWIDTH"] == "7" && list["CODECS"] == "avc1,mp4a")
    #expect(list["URI"] == "a,b=c.m4s" && list["X-1"] == "" && list["Y"] == nil)
    #expect(AttributeList(#"URI="never ends,BANDWIDTH=1"#[...].utf8)["BANDWIDTH"] == nil)
  }

  @Test(
    "A megabyte of attributes on one line is read once, and a line beyond 8 KiB is left out",
    .timeLimit(.minutes(1)), arguments: ["A", "A=", "\"", "A=\"", "A,", "A=1,", ",", "=", " "])
  func longLines(pattern: String) throws {
    let line = String(repeating: pattern, count: (1 << 20) / pattern.utf8.count)
    _ = AttributeList(line[...].utf8)
    let playlist = try #require(
      HLSPlaylist(
        "#EXTM3U\n#EXT-X-STREAM-INF:\(line)\n#EXT-X-MAP:\(line)\n#EXTINF:2,\(line)\n"
          + "#EXT-X-PROGRAM-DATE-TIME:\(line)\n#EXTINF:2,\na.ts\n\(line)\n"))
    #expect(playlist.segments.map(\.uri) == ["a.ts"])
    #expect(playlist.variants.isEmpty)
  }

  @Test("Segments after a discontinuity aren't dated from before it")
  func discontinuity() throws {
    let playlist = try #require(
      HLSPlaylist(
        """
        #EXTM3U
        #EXT-X-PROGRAM-DATE-TIME:2026-03-01T11:00:00Z
        #EXTINF:2,
        a.ts
        #EXT-X-DISCONTINUITY
        #EXTINF:2,
        b.ts
        """))
    #expect(playlist.segments.map(\.date) == [Self.eleven, nil])
    let stream = try #require(
      LiveStream(playlist) { $0.uri == "b.ts" ? MediaTime(seconds: 5) : nil })
    #expect(stream.origin == .zero)
    #expect(stream.segments.map(\.begin) == [MediaTime(seconds: 5)])
  }

  @Test("The date of a stream's time zero follows from one segment's date and time stamp")
  func origin() throws {
    let playlist = try #require(HLSPlaylist(Self.playlist))
    var asked: [String] = []
    let stream = try #require(
      LiveStream(playlist) {
        asked.append($0.uri)
        return MediaTime(seconds: 100)
      })
    #expect(asked == ["eight.ts"], "the third from the end")
    #expect(stream.origin.nanoseconds == Self.eleven + 2_500_000_000 - 100_000_000_000)
    #expect(stream.start == MediaTime(seconds: 100))
    #expect(
      stream.segments.map(\.begin)
        == [98, 100, 102, 103.5].map { MediaTime(seconds: $0) })
  }

  @Test("Without dates the stream's own time stamps determine its positions")
  func undated() throws {
    let text = Self.playlist.split(separator: "\n").filter { !$0.contains("DATE-TIME") }
    let playlist = try #require(HLSPlaylist(text.joined(separator: "\n")))
    let stream = try #require(LiveStream(playlist) { _ in MediaTime(seconds: 100) })
    #expect(stream.origin == .zero)
    #expect(stream.start == MediaTime(seconds: 100))
  }

  @Test("A player fetches from one segment before the position that it is to show")
  func startIndex() throws {
    let playlist = try #require(HLSPlaylist(Self.playlist))
    let stream = try #require(LiveStream(playlist) { _ in MediaTime(seconds: 100) })
    let positions = [90, 98, 101, 102.5, 104, 200].map { MediaTime(seconds: $0) }
    #expect(positions.map { stream.startIndex(for: $0) } == [-4, -4, -4, -3, -2, -2])
    #expect(positions.map { stream.reaches(back: $0) } == [false, true, true, true, true, true])
  }

  @Test(
    "A playlist with an end, a text that is no playlist and a list of byte ranges are not live streams",
    arguments: [
      "#EXTM3U\n#EXTINF:2,\na.ts\n#EXT-X-ENDLIST", "#EXTM3U", "<html>", "",
      "#EXTM3U\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:2,\na.ts",
      "#EXTM3U\n#EXTINF:2,\n#EXT-X-BYTERANGE:100@0\na.ts",
    ])
  func others(text: String) {
    let stream = HLSPlaylist(text).flatMap { playlist in
      LiveStream(playlist) { _ in .zero }
    }
    #expect(stream == nil)
  }

  @Test("The variants of a stream are distinguished by their bandwidth")
  func variants() throws {
    let playlist = try #require(
      HLSPlaylist(
        """
        #EXTM3U
        #EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=640x360
        low/index.m3u8
        #EXT-X-STREAM-INF:CODECS="avc1,mp4a",BANDWIDTH=2400000
        high/index.m3u8
        """))
    #expect(playlist.variants.map(\.bandwidth) == [800_000, 2_400_000])
    #expect(playlist.variants.map(\.uri) == ["low/index.m3u8", "high/index.m3u8"])
  }
}
