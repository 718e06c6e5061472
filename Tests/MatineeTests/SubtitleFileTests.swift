import Foundation
import ProcessTesting
import Screening
import Testing

@testable import MatineeKit

@Suite("Subtitle files as shared text")
struct SubtitleFileTests {
  private static let srt = """
    1
    00:00:01,000 --> 00:00:02,000
    <i>Grüße</i>

    2
    00:00:05,000 --> 00:00:06,500
    {\\an8}Two
    lines

    """
  private static let ass = """
    [Script Info]
    ScriptType: v4.00+

    [V4+ Styles]
    Format: Name, Fontname, Fontsize
    Style: Default,Arial,20

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\b1}Grüße
    Dialogue: 0,0:00:05.00,0:00:06.50,Default,,0,0,0,,Two\\Nlines

    """
  private static let vtt = """
    WEBVTT

    00:01.000 --> 00:02.000
    <v Ana>Grüße</v>

    00:05.000 --> 00:06.500
    Two
    lines

    """

  @Test("Each format becomes the same text, whose times have the delay")
  func formats() throws {
    let folder = try URL.newFolder("subtitle-files")
    defer { try? FileManager.default.removeItem(at: folder) }
    func read(_ name: String, _ data: Data, by delay: Duration = .zero) throws -> [SubtitleText.Cue]
    {
      let file = folder.appendingPathComponent(name)
      try data.write(to: file)
      return try SubtitleText(file: file.path, delayedBy: delay).cues
    }
    let expected = [
      SubtitleText.Cue(start: 1000, end: 2000, text: "Grüße"),
      SubtitleText.Cue(start: 5000, end: 6500, text: "Two\nlines"),
    ]
    for (name, text) in [("a.srt", Self.srt), ("a.ass", Self.ass), ("a.vtt", Self.vtt)] {
      #expect(try read(name, Data(text.utf8)) == expected)
    }
    #expect(try read("b.srt", #require(Self.srt.data(using: .utf16))) == expected)
    let earlier = SubtitleText.Cue(start: 0, end: 1000, text: "Two\nlines")
    #expect(try read("a.srt", Data(Self.srt.utf8), by: .milliseconds(-5500)) == [earlier])
    #expect(throws: ShareProblem.subtitles(file: "a.srt", "it has no subtitles.")) {
      try read("a.srt", Data(Self.srt.utf8), by: .seconds(-7))
    }
  }
}
