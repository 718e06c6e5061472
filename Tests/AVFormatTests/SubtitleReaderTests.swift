import Foundation
import ProcessTesting
import Testing
import Timekeeping

@testable import AVFormat

@Suite("Subtitles as plain text")
struct SubtitleReaderTests {
  private static let text = """
    1
    00:00:01,000 --> 00:00:02,500
    <i>One</i> line,
    and a second

    2
    00:00:04,000 --> 00:00:05,250
    {\\an8}Grüße, <b>twice</b>

    """
  private static let expected = [
    SubtitleCue(
      start: MediaTime(seconds: 1), end: MediaTime(seconds: 2.5), text: "One line,\nand a second"),
    SubtitleCue(
      start: MediaTime(seconds: 4), end: MediaTime(seconds: 5.25), text: "Grüße, twice"),
  ]

  @Test(
    "The cues of a track have their times and no styles",
    arguments: [("srt.mkv", "srt"), ("ass.mkv", "ass"), ("text.mp4", "mov_text")])
  func tracks(name: String, codec: String) throws {
    let folder = try URL.newFolder("subtitles")
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("a.srt")
    try Data(Self.text.utf8).write(to: source)
    #expect(try cues(source.path, nil) == Self.expected)
    let film = folder.appendingPathComponent(name)
    try FragmentFilm.ffmpeg([
      "-i", FragmentTests.copied[10].path(), "-i", source.path, "-map", "0", "-map", "1",
      "-c", "copy", "-c:s", codec, "-metadata:s:s:0", "language=deu", "-metadata:s:s:0",
      "title=For Ana", film.path,
    ])
    let tracks = try FragmentReader(path: film.path, plays: ["avc1"]).film.subtitleTracks
    let track = try #require(tracks.first)
    #expect(tracks.count == 1 && track.index == 1 && track.isStyled == (codec == "ass"))
    #expect(track.language.map { ["deu", "ger"].contains($0) } == true)

    #expect(try cues(film.path, track.index) == Self.expected)
    #expect(throws: FragmentError.noTrack(0)) { try cues(film.path, 0) }
  }

  private func cues(_ path: String, _ track: Int?) throws -> [SubtitleCue] {
    let reader = try SubtitleReader(path: path, track: track)
    var cues: [SubtitleCue] = []
    while let batch = try reader.next() { cues += batch }
    return cues
  }

  @Test("Overrides, drawings and escapes don't reach the text")
  func styles() {
    let texts = [
      #"0,0,Default,,0,0,0,,{\pos(1,2)\i1}Wait,{\i0} here\Nthere\hnow"#: "Wait, here\nthere now",
      #"0,0,Default,,0,0,0,,{\p1}m 0 0 l 5 5{\p0}Sign"#: "Sign",
      "0,0,Default,,0,0,0,,{never closed": "{never closed",
      "0,0,Default,,0,0,0,,\u{1B}[2Jred": "[2Jred",
      "too,few,fields": "", "": "",
    ]
    for (event, text) in texts { #expect(SubtitleReader.plainText(event) == text) }
  }
}
