import Foundation
import Testing
import Timekeeping

@testable import Screening

@Suite("The text of shared subtitles")
struct SubtitleTextTests {
  typealias Cue = SubtitleText.Cue

  @Test("A text survives its transfer, and becomes WebVTT")
  func roundTrip() throws {
    let text = SubtitleText([
      Cue(start: 3_600_000, end: 3_661_005, text: "Later"),
      Cue(start: 1000, end: 2500, text: "Grüße & <b>\nsecond line"),
    ])
    #expect(try decoded(JSONEncoder().encode(text)) == text)
    #expect(
      text.webVTT == """
        WEBVTT

        00:00:01.000 --> 00:00:02.500
        Grüße &amp; &lt;b&gt;
        second line

        01:00:00.000 --> 01:01:01.005
        Later

        """)
  }

  private func decoded(_ data: Data) throws -> SubtitleText {
    try JSONDecoder().decode(SubtitleText.self, from: data)
  }

  @Test("A text moves to the times of another copy, without what that lacks")
  func moved() throws {
    let timeline = try #require(
      CopyTimeline(pieces: [
        .init(begin: .zero, end: MediaTime(seconds: 10), offset: .seconds(2.5)),
        .init(begin: MediaTime(seconds: 20), end: MediaTime(seconds: 30), offset: .seconds(-7.5)),
      ]))
    let text = SubtitleText([
      .init(start: 1_000, end: 2_000, text: "a"),
      .init(start: 12_000, end: 13_000, text: "lacking"),
      .init(start: 21_000, end: 22_250, text: "b"),
    ])
    let own = text.moved { timeline.own(at: $0) }
    #expect(
      own.cues == [
        .init(start: 3_500, end: 4_500, text: "a"), .init(start: 13_500, end: 14_750, text: "b"),
      ])
    #expect(own.moved { timeline.party(at: $0) }.cues == [text.cues[0], text.cues[2]])
  }

  @Test("A hostile text is cleaned while it is decoded")
  func hostile() throws {
    let lines = String(repeating: "a\\n", count: 50)
    let text = try decoded(
      Data(
        """
        [[5, 4, "backwards"], [-1, 4, "early"], [0, 360000000, "late"], [1, 2, "\\u0000\\u001b"],
        [1, 2, "a\\n\\n9\\n00:00:00.000 --> 00:00:09.000\\r\\n{\\\\p1}\\u202e\\u001b[2J<i>"],
        [3, 4, "\(lines)"], [5, 6, "\(String(repeating: "b", count: 3000))"]]
        """.utf8))
    #expect(
      text.cues.map(\.text) == [
        "a\n9\n00:00:00.000 --> 00:00:09.000\n(/p1) [2J<i>",
        Array(repeating: "a", count: 10).joined(separator: "\n"),
        String(repeating: "b", count: 500),
      ])
    // The text can't end its cue.
    #expect(text.webVTT.components(separatedBy: "-->").count == 4)
    for wrong in ["{}", "[1]", "[[1, 2]]", #"[[1.5, 2, ""]]"#, #"[["1", 2, ""]]"#, "[[1e99,2,3]]"] {
      #expect(throws: DecodingError.self) { try decoded(Data(wrong.utf8)) }
    }
  }

  @Test("The number of cues is limited, also at one time")
  func crowds() {
    let many = SubtitleText((0..<30_000).map { Cue(start: $0, end: $0 + 1, text: "x") })
    #expect(many.cues.count == 20_000)
    let crowd = SubtitleText(
      (0..<100).map { Cue(start: $0, end: 1000, text: "x") } + [
        Cue(start: 1000, end: 1001, text: "y")
      ])
    #expect(crowd.cues.count == 17 && crowd.cues.last?.text == "y")
  }

  @Test("A language is a code, and a file's name may have one")
  func languages() {
    for good in ["en", "eng", "pt-BR"] { #expect(LanguageCode.checked(good) == good) }
    for bad in ["", "e", "en,no", "en\n", "a-very-long-language", "日本"] {
      #expect(LanguageCode.checked(bad) == nil)
    }
    #expect(LanguageCode.spellings(of: "en") == ["en", "eng"])
    #expect(LanguageCode.spellings(of: "ger") == ["ger", "de", "deu"])
    #expect(LanguageCode.spellings(of: "pt-BR") == ["pt-BR", "por", "pt"])
    #expect(LanguageCode.spellings(of: "xx") == ["xx"])
    #expect(LanguageCode.named(in: "A film.FR.srt") == "fr")
    for none in ["fr.srt", "film.srt", "film.2024.srt", "film.12.srt"] {
      #expect(LanguageCode.named(in: none) == nil)
    }
  }
}
