import Foundation
import GroupActivities
import Timekeeping

/// The text of subtitles that participants share: times and plain lines, without anything that a player interprets.
///
/// A text from another participant is cleaned and cut to the limits while it is decoded.
package struct SubtitleText: Hashable, Sendable {
  /// A text of one or more lines.
  package struct Cue: Hashable, Sendable {
    /// The time from which the text is shown, in milliseconds of the film.
    package var start: Int
    /// The time until which it is shown.
    package var end: Int
    package var text: String

    package init(start: Int, end: Int, text: String) {
      (self.start, self.end, self.text) = (start, end, text)
    }
  }

  /// The cues in the order of their times.
  package let cues: [Cue]

  /// The largest encoded text, in bytes. Every participant of a session gets it.
  package static let sizeLimit = 1 << 20
  private static let countLimit = 20_000
  /// The number of cues that are shown at one time: a player lays all of them out for each picture.
  private static let crowdLimit = 16
  private static let lineLimit = (count: 10, length: 500)
  private static let times = 0..<100 * 3_600_000
  /// The characters with which styles begin in the formats that players read.
  private static let marks: [Character: String] = ["{": "(", "}": ")", "\\": "/"]

  package init(_ cues: [Cue]) {
    var shown: [Int] = []
    self.cues = cues.prefix(Self.countLimit).compactMap(Self.cleaned).sorted { $0.start < $1.start }
      .filter { cue in
        shown.removeAll { $0 <= cue.start }
        guard shown.count < Self.crowdLimit else { return false }
        shown.append(cue.end)
        return true
      }
  }

  private static func cleaned(_ cue: Cue) -> Cue? {
    let lines = cue.text.split(whereSeparator: \.isNewline).prefix(lineLimit.count)
      .map { line in
        let text = PartyText.clean(String(line), limit: lineLimit.length)
        return String(text.flatMap { marks[$0] ?? String($0) })
      }
      .filter { !$0.isEmpty }
    guard times.contains(cue.start), times.contains(cue.end), cue.start < cue.end, !lines.isEmpty
    else { return nil }
    return Cue(start: cue.start, end: cue.end, text: lines.joined(separator: "\n"))
  }

  /// Returns the text at other times, such as those of another copy of the film.
  package func moved(_ time: (MediaTime) -> MediaTime) -> SubtitleText {
    func moved(_ value: Int) -> Int {
      Int(clampingRounded: time(MediaTime(seconds: Double(value) / 1000)).seconds * 1000)
    }
    return SubtitleText(
      cues.map { Cue(start: moved($0.start), end: moved($0.end), text: $0.text) })
  }

  /// The text as a WebVTT file.
  package var webVTT: String {
    func time(_ value: Int) -> String {
      String(
        format: "%02d:%02d:%02d.%03d", value / 3_600_000, value / 60_000 % 60, value / 1000 % 60,
        value % 1000)
    }
    let blocks = cues.map { cue in
      let text = cue.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing(">", with: "&gt;")
      return "\(time(cue.start)) --> \(time(cue.end))\n\(text)\n"
    }
    return (["WEBVTT\n"] + blocks).joined(separator: "\n")
  }
}

extension SubtitleText: Codable, CustomMessageIdentifiable {
  package static let messageIdentifier = "matinee.subtitles"

  package init(from decoder: any Decoder) throws { self.init(try [Cue](from: decoder)) }

  package func encode(to encoder: any Encoder) throws { try cues.encode(to: encoder) }
}

extension SubtitleText.Cue: Codable {
  package init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    start = try values.decode(Int.self)
    end = try values.decode(Int.self)
    text = try values.decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    try values.encode(start)
    try values.encode(end)
    try values.encode(text)
  }
}
