import Screening
import Timekeeping

@testable import GroupActivities
@testable import TerminalUI

extension FuzzTarget {
  static let text = [terminalText, partyText, keys, timeEntry]

  private static let texts = [
    "Ana 👩‍👩‍👧 \u{1B}[31mred\u{1B}[0m \u{9B}2J \u{1B}]0;title\u{7}\u{1B}\\",
    "\u{202E}evil\u{202C}\u{2066}iso\u{2069}\u{200B}\u{200D}\u{FEFF}\u{E0041}",
    "Z" + String(repeating: "\u{301}", count: 300) + "algo", "日本語 テスト 한국어 ﷽ e\u{20E3}",
    "a\r\nb\tc\u{2028}d\u{85}e\u{FFFD}\u{FFFE}", "🇩🇪🇫🇷👍🏽\u{FE0F}\u{1F3FB}ក្រុម",
  ]

  /// Checks that no character of the text is a control character, moves the cursor, or changes the
  /// direction of later text.
  private static func holdsPlain(_ text: String, _ what: String) throws(Broken) {
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate:
        throw Broken(description: "\(what) holds U+\(String(scalar.value, radix: 16))")
      case .format where scalar.value != 0x200C && scalar.value != 0x200D:
        throw Broken(description: "\(what) holds U+\(String(scalar.value, radix: 16))")
      default: break
      }
    }
  }

  private static let terminalText = FuzzTarget("terminal-text", texts: texts) { bytes in
    let text = TerminalText(String(decoding: bytes, as: UTF8.self), maximumLength: 300)
    try holdsPlain(text.description, "the screen")
    try hold(text.glyphs.count <= 300, "\(text.glyphs.count) glyphs")
    try hold(text.width <= 600, "\(text.width) columns")
    for glyph in text.glyphs {
      try hold((1...2).contains(glyph.width), "a glyph of \(glyph.width) columns")
      try hold(glyph.text.unicodeScalars.count <= 1 + Glyph.maximumMarks, "a tower of marks")
    }
    for columns in [1, 2, 7, 40] {
      for line in text.wrapped(to: columns) + text.chopped(to: columns) {
        try hold(line.width <= columns, "\(line.width) columns in \(columns)")
      }
      try hold(text.prefix(columns: columns).width <= columns, "a prefix")
      try hold(text.suffix(columns: columns).width <= columns, "a suffix")
    }
  }

  private static let partyText = FuzzTarget("party-text", texts: texts) { bytes in
    let raw = String(decoding: bytes, as: UTF8.self)
    for limit in [PartyText.nameLimit, PartyText.chatLimit] {
      let text = PartyText.clean(raw, limit: limit)
      try holdsPlain(text, "the text")
      try hold(text.count <= limit, "\(text.count) characters of \(limit)")
      try hold(text.unicodeScalars.count <= limit * 16, "\(text.unicodeScalars.count) scalars")
      try hold(PartyText.clean(text, limit: limit) == text, "cleaned again it is another")
    }
    guard let name = PartyText.name(raw) else { return }
    try hold(PartyText.name(name) == name, "a name that isn't one")
    let other = PartyText.uniqueName(name, taken: [PartyText.nameKey(name)])
    try hold(PartyText.nameKey(other) != PartyText.nameKey(name), "the name is taken")
  }

  private static let keys = FuzzTarget(
    "terminal-keys",
    texts: [
      "\u{1B}[A\u{1B}OP\u{1B}[1;5C\u{1B}[<0;10;20M\u{1B}[200~pasted\u{1B}[201~é\u{1B}x",
      "\u{1B}]11;rgb:0/0/0\u{1B}\\\u{1B}[M !!\u{1B}[?1;2c", "plain",
    ]
  ) { bytes in
    var whole = KeyParser()
    let events = whole.feed(bytes)
    var pieces = KeyParser()
    let half = bytes.count / 2
    let others = pieces.feed(bytes[..<half]) + pieces.feed(bytes[half...])
    try hold(events == others, "cut in two they are other keys")
    _ = whole.timeOut()
    try hold(whole.patience == nil, "waits for more after its time is over")
    for case .paste(let text) in events {
      try hold(text.utf8.count <= 3 * KeyParser.maximumPaste, "a paste of \(text.utf8.count)")
    }
  }

  private static let timeEntry = FuzzTarget(
    "time-entry", texts: ["754.5", "12:34", "1:02:03.5", "+90", "-1:00", "50%", "999999999999"]
  ) { bytes in
    switch TimeEntry(String(decoding: bytes, as: UTF8.self)) {
    case .fraction(let fraction)?: try hold((0...1).contains(fraction), "\(fraction)")
    case .absolute(let time)?: try hold(time >= .zero, "\(time)")
    case .relative?, nil: break
    }
  }
}
