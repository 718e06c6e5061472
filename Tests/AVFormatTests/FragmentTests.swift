import AVFormat
import Foundation
import ProcessTesting
import Testing
import Timekeeping

@Suite("Films in fragments")
struct FragmentTests {
  static let x264 = ["-c:v", "libx264", "-preset", "veryfast", "-g", "50", "-bf", "2"]

  static let copied = [
    FragmentFilm(
      name: "aac.mp4", arguments: x264 + ["-c:a", "aac"], codecs: "avc1.64000b,mp4a.40.2"),
    FragmentFilm(
      name: "opus.mkv", arguments: x264 + ["-c:a", "libopus"], codecs: "avc1.64000b,opus"),
    FragmentFilm(name: "flac.mkv", arguments: x264 + ["-c:a", "flac"], codecs: "avc1.64000b,flac"),
    FragmentFilm(
      name: "mp3.mkv", arguments: x264 + ["-c:a", "libmp3lame"], codecs: "avc1.64000b,mp3",
      plays: ["avc1", "mp3"]),
    FragmentFilm(
      name: "aac.ts", arguments: x264 + ["-c:a", "aac"], codecs: "avc1.64000b,mp4a.40.2"),
    FragmentFilm(
      name: "late.mkv", arguments: x264 + ["-c:a", "aac", "-output_ts_offset", "5.3"],
      codecs: "avc1.64000b,mp4a.40.2"),
    FragmentFilm(
      name: "ten.mkv", arguments: x264 + ["-pix_fmt", "yuv420p10le", "-c:a", "aac"],
      codecs: "avc1.6e000b,mp4a.40.2", plays: ["avc1.10bit", "aac"]),
    FragmentFilm(
      name: "hevc.mkv",
      arguments: ["-c:v", "libx265", "-x265-params", "log-level=error:keyint=50", "-c:a", "aac"],
      codecs: "hvc1.1.6.L30.90,mp4a.40.2"),
    FragmentFilm(
      name: "vp9.webm",
      arguments: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-g", "50", "-c:a", "libopus"],
      codecs: "vp09.00.10.08,opus"),
    FragmentFilm(
      name: "av1.mkv",
      arguments: [
        "-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-g", "50", "-c:a", "libopus",
      ],
      codecs: "av01.0.00M.08,opus"),
    FragmentFilm(name: "silent.mp4", arguments: x264 + ["-an"], codecs: "avc1.64000b"),
    FragmentFilm(name: "music.m4a", arguments: ["-vn", "-c:a", "aac"], codecs: "mp4a.40.2"),
    FragmentFilm(
      name: "uneven.mkv",
      arguments: x264 + ["-vf", "select='not(mod(n,3))+not(mod(n,7))'", "-vsync", "vfr"]
        + ["-c:a", "aac"], codecs: "avc1.64000b,mp4a.40.2"),
    FragmentFilm(
      name: "long.mkv",
      arguments: ["-c:v", "libx264", "-preset", "veryfast", "-g", "1000", "-c:a", "aac"],
      codecs: "avc1.64000b,mp4a.40.2"),
  ]

  @Test("A copied film keeps its codecs and the times of its packets", arguments: copied)
  func copies(film: FragmentFilm) throws {
    let folder = try URL.newFolder("fragments")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try film.path()
    let reader = try FragmentReader(path: path, plays: film.plays)
    let kind = film.name == "music.m4a" ? "audio" : "video"
    #expect(reader.film.mime == "\(kind)/mp4; codecs=\"\(film.codecs)\"")
    #expect(!reader.film.isSoundEncoded)
    let fragments = try reader.rest()
    #expect(fragments.first?.isInit == true)
    #expect(fragments.dropFirst().allSatisfy { !$0.isInit })
    #expect(fragments.dropFirst().allSatisfy { ($0.end - $0.start) / .seconds(1) < 1.6 })
    #expect(fragments.count >= 5)
    // The duration of a picture that isn't held as long as it was before is known too late.
    let overlaps = zip(fragments.dropFirst(), fragments.dropFirst(2)).filter { $1.start < $0.end }
    #expect(overlaps.isEmpty || film.name == "uneven.mkv", "\(overlaps.map(\.1.start))")
    let result = try fragments.write(in: folder)
    for kind in ["video", "audio"] {
      // Firefox loses pictures by the negative times of a sound that begins before the film.
      let original = try ProbedPacket.all(path, kind).filter { $0.pts >= 0 }
      let copy = try ProbedPacket.all(result, kind)
      #expect(copy.count == original.count, "\(kind)")
      let distance = zip(original, copy).map { abs($0.pts - $1.pts) }.max() ?? 0
      // Matroska's unit is a millisecond.
      #expect(distance <= 0.0011, "\(kind)")
    }
  }

  @Test(
    "An initialization segment has one edit, which aligns pictures that have B-frames with the sound"
  )
  func edits() throws {
    let reader = try FragmentReader(path: try Self.copied[4].path(), plays: ["avc1", "aac"])
    let segment = try #require(try reader.next()).bytes
    let name = Array("elst".utf8)
    let edits = segment.indices.dropLast(24).filter { Array(segment[$0..<$0 + 4]) == name }
      .map { Array(segment[$0 + 8..<$0 + 20]) }
    #expect(edits.count == 2)
    #expect(edits.allSatisfy { $0[..<4] == [0, 0, 0, 1] })
    // Two pictures of 40 ms, in units of 1/90,000 s.
    #expect(edits.first.map { Array($0[8...]) } == [0, 0, 0x1C, 0x20])
  }

  @Test(
    "Positions count from a Matroska file's first block, as in mpv, although the sound begins before it"
  )
  func start() throws {
    // The sound's encoder begins 5 ms before the picture, which is decoded first.
    let film = FragmentFilm(
      name: "ac3.mkv", arguments: Self.x264 + ["-c:a", "ac3"], codecs: "avc1.64000b,mp4a.40.2")
    let path = try film.path()
    let picture = try #require(try ProbedPacket.all(path, "video").map(\.pts).min())
    #expect(picture > 0.004)
    #expect(try FragmentReader(path: path, plays: ["avc1", "aac"]).film.start.seconds == picture)
  }

  @Test(
    "A seek leads to the last keyframe at or before the time",
    arguments: copied.filter { !["silent.mp4", "music.m4a"].contains($0.name) })
  func seeks(film: FragmentFilm) throws {
    let folder = try URL.newFolder("fragments")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try film.path()
    let original = try ProbedPacket.all(path, "video")
    let keys = original.filter(\.isKey).map(\.pts)
    let reader = try FragmentReader(path: path, plays: film.plays)
    let start = reader.film.start.seconds
    for distance in [3.7, 0, 5.9, 1.9, 2.0, 2.1, -1, 4.5, 100] {
      let time = start + distance
      try reader.seek(to: MediaTime(seconds: time))
      let fragments = try reader.rest()
      let key = try #require(keys.last { $0 <= time + 0.0001 } ?? keys.first)
      #expect(fragments.first?.isInit == true)
      #expect(abs(fragments[1].start.seconds - key) < 0.0011, "\(distance)")
      let copy = try ProbedPacket.all(fragments.write(in: folder), "video")
      let expected = original.filter { $0.pts >= key }
      #expect(copy.count == expected.count, "\(distance)")
      let difference = zip(expected, copy).map { abs($0.pts - $1.pts) }.max() ?? 0
      #expect(difference <= 0.0011, "\(distance)")
      let sound = try ProbedPacket.all(fragments.write(in: folder), "audio")
      #expect(abs((sound.first?.pts ?? 0) - key) < 0.2, "\(distance)")
    }
  }

  /// Films whose picture no browser plays.
  static let foreign = [
    ("mpeg2.ts", ["-c:v", "mpeg2video", "-g", "50", "-bf", "2", "-c:a", "ac3"]),
    ("mpeg4.avi", ["-c:v", "mpeg4", "-g", "50", "-bf", "2", "-c:a", "libmp3lame"]),
    ("prores.mov", ["-c:v", "prores", "-c:a", "pcm_s16le"]),
    ("vp8.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-g", "50", "-c:a", "libvorbis"]),
    (
      "large.mkv",
      ["-vf", "scale=1600:1200", "-c:v", "libx265", "-preset", "ultrafast"]
        + ["-x265-params", "log-level=error", "-c:a", "aac"]
    ),
  ].map { name, arguments in
    FragmentFilm(
      name: name, arguments: arguments, codecs: "", plays: ["avc1", "aac"], length: 4)
  }

  @Test(
    "A picture that the browser doesn't play is converted, at the same times and with a keyframe each second",
    arguments: foreign)
  func encodes(film: FragmentFilm) throws {
    let folder = try URL.newFolder("fragments")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try film.path()
    let reader = try FragmentReader(path: path, plays: film.plays)
    #expect(reader.film.isPictureEncoded)
    #expect(reader.film.mime.hasPrefix("video/mp4; codecs=\"avc1.6400"))
    let original = try ProbedFrame.all(path)
    let copy = try ProbedFrame.all(reader.rest().write(in: folder))
    #expect(original.count >= 99 && copy.count == original.count)
    #expect((zip(original, copy).map { abs($0.time - $1.time) }.max() ?? 1) < 0.0011)
    let seconds = Set(copy.map { Int($0.time) })
    #expect(copy.filter(\.isKey).count == seconds.count)
    #expect(copy.allSatisfy { $0.height <= 720 && $0.height % 2 == 0 })
    try reader.seek(to: MediaTime(seconds: original[63].time + 0.001))
    let fragments = try reader.rest()
    #expect(abs(fragments[1].start.seconds - original[63].time) < 0.0011)
    let rest = try ProbedFrame.all(fragments.write(in: folder))
    #expect(rest.count == original.count - 63 && rest.first?.isKey == true)
  }

  @Test("Pictures in another order than their packets, without times, are converted only")
  func unordered() throws {
    let film = FragmentFilm(
      name: "unordered.avi", arguments: Self.x264 + ["-c:a", "libmp3lame"], codecs: "", length: 4)
    let path = try film.path()
    #expect(throws: FragmentError.picture(codec: "h264")) {
      try FragmentReader(path: path, plays: film.plays)
    }
    let reader = try FragmentReader(path: path, plays: film.plays, convertsPicture: true)
    #expect(reader.film.isPictureEncoded && reader.film.videoCodec == "h264")
    let folder = try URL.newFolder("fragments")
    defer { try? FileManager.default.removeItem(at: folder) }
    let pictures = try ProbedFrame.all(reader.rest().write(in: folder))
    #expect(pictures.count >= 98)
    #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test("A reading that is cancelled ends")
  func cancelled() throws {
    let probe = StreamProbe.unlimited
    let reader = try FragmentReader(
      path: try Self.copied[0].path(), plays: ["avc1", "aac"], probe: probe)
    probe.cancel()
    #expect(throws: FragmentError.interrupted) { try reader.rest() }
    #expect(throws: FragmentError.interrupted) {
      try FragmentReader(path: try Self.copied[0].path(), plays: ["avc1"], probe: probe)
    }
  }

  @Test("A picture that the browser doesn't play is refused, and so is a track that isn't there")
  func refused() throws {
    let path = try Self.copied[0].path()
    #expect(throws: FragmentError.picture(codec: "h264")) {
      try FragmentReader(path: path, plays: ["vp9", "aac"])
    }
    #expect(throws: FragmentError.noTrack(0)) {
      try FragmentReader(path: path, plays: ["avc1", "aac"], audioTrack: 0)
    }
  }

  @Test("Names and playlists that lead to other files are not followed")
  func confined() throws {
    let folder = try URL.newFolder("fragments")
    defer { try? FileManager.default.removeItem(at: folder) }
    let film = try Self.copied[0].path()
    let lists = [
      "list.mp4": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n\(film)\n#EXT-X-ENDLIST\n",
      "list.mkv": "ffconcat version 1.0\nfile '\(film)'\n",
    ]
    for (name, content) in lists {
      try Data(content.utf8).write(to: folder.appendingPathComponent(name))
    }
    let names = lists.keys.map { folder.appendingPathComponent($0).path }
    for name in names + ["concat:\(film)", "file:\(film)", "http://127.0.0.1:9/film.mp4"] {
      #expect(throws: FragmentError.self) {
        try FragmentReader(path: name, plays: ["avc1", "aac"])
      }
    }
  }
}
