import TerminalVideo
import Testing

@testable import TerminalUI

@Suite("Keys from bytes")
struct KeyParserTests {
  private static func key(_ key: Key, _ modifiers: KeyPress.Modifiers = []) -> InputEvent {
    .key(KeyPress(key, modifiers))
  }

  private static let cases: [(String, [InputEvent])] = [
    ("a", [key(.character("a"))]), ("A", [key(.character("A"))]), (" ", [key(.character(" "))]),
    ("é", [key(.character("é"))]), ("漢", [key(.character("漢"))]), ("😀", [key(.character("😀"))]),
    ("\r", [key(.enter)]), ("\n", [key(.enter)]), ("\t", [key(.tab)]),
    ("\u{7F}", [key(.backspace)]),
    ("\u{8}", [key(.backspace)]), ("\u{3}", [key(.character("c"), .control)]),
    ("\u{1A}", [key(.character("z"), .control)]), ("\u{0}", [key(.character(" "), .control)]),
    ("\u{1B}[A", [key(.up)]), ("\u{1B}[B", [key(.down)]), ("\u{1B}[C", [key(.right)]),
    ("\u{1B}[D", [key(.left)]), ("\u{1B}OA", [key(.up)]), ("\u{1B}OH", [key(.home)]),
    ("\u{1B}[H", [key(.home)]), ("\u{1B}[F", [key(.end)]), ("\u{1B}[1~", [key(.home)]),
    ("\u{1B}[4~", [key(.end)]), ("\u{1B}[5~", [key(.pageUp)]), ("\u{1B}[6~", [key(.pageDown)]),
    ("\u{1B}[2~", [key(.insert)]), ("\u{1B}[3~", [key(.delete)]),
    ("\u{1B}[1;2D", [key(.left, .shift)]), ("\u{1B}[1;5C", [key(.right, .control)]),
    ("\u{1B}[1;3A", [key(.up, .alt)]), ("\u{1B}[5;2~", [key(.pageUp, .shift)]),
    ("\u{1B}[1;8B", [key(.down, [.shift, .alt, .control])]),
    ("\u{1B}OP", [key(.function(1))]), ("\u{1B}[11~", [key(.function(1))]),
    ("\u{1B}[[A", [key(.function(1))]), ("\u{1B}[15~", [key(.function(5))]),
    ("\u{1B}[17~", [key(.function(6))]), ("\u{1B}[24~", [key(.function(12))]),
    ("\u{1B}[1;2P", [key(.function(1), .shift)]), ("\u{1B}OM", [key(.enter)]),
    ("\u{1B}Ok", [key(.character("+"))]), ("\u{1B}Op", [key(.character("0"))]),
    ("\u{1B}[Z", [key(.tab, .shift)]), ("\u{1B}x", [key(.character("x"), .alt)]),
    ("\u{1B}é", [key(.character("é"), .alt)]), ("\u{1B}\u{7F}", [key(.backspace, .alt)]),
    ("\u{1B}\u{1B}[A", [key(.escape), key(.up)]),
    ("\u{1B}[97;5u", [key(.character("a"), .control)]),
    ("\u{1B}[97;2u", [key(.character("A"))]), ("\u{1B}[27;5;13~", [key(.enter, .control)]),
    // Ctrl and plus: by the sign, by the key below it, and on the keypad.
    ("\u{1B}[43;5u", [key(.character("+"), .control)]),
    ("\u{1B}[61;6u", [key(.character("+"), .control)]),
    ("\u{1B}[27;6;43~", [key(.character("+"), .control)]),
    ("\u{1B}O5k", [key(.character("+"), .control)]),
    ("\u{1B}[45;5u", [key(.character("-"), .control)]),
    ("\u{1B}[27;5;45~", [key(.character("-"), .control)]),
    ("\u{1B}+", [key(.character("+"), .alt)]), ("\u{1B}-", [key(.character("-"), .alt)]),
    ("\u{1B}[I", [.focus(true)]), ("\u{1B}[O", [.focus(false)]),
    ("\u{1B}[<0;1;1M", [.mouse(MouseEvent(.press, at: ScreenPoint(column: 0, row: 0)))]),
    ("\u{1B}[<0;300;200m", [.mouse(MouseEvent(.release, at: ScreenPoint(column: 299, row: 199)))]),
    ("\u{1B}[<32;5;6M", [.mouse(MouseEvent(.drag, at: ScreenPoint(column: 4, row: 5)))]),
    ("\u{1B}[<64;5;6M", [.mouse(MouseEvent(.wheelUp, at: ScreenPoint(column: 4, row: 5)))]),
    ("\u{1B}[<69;5;6M", [.mouse(MouseEvent(.wheelDown, at: ScreenPoint(column: 4, row: 5)))]),
    ("\u{1B}[<2;5;6M", [.mouse(MouseEvent(.secondaryPress, at: ScreenPoint(column: 4, row: 5)))]),
    ("\u{1B}_Gi=7300000;OK\u{1B}\\", [.pixels(.link)]),
    ("\u{1B}_Gi=7300003;OK\u{1B}\\", [.pixels(.sharedMemory)]),
    ("\u{1B}P>|kitty(0.41.1)\u{1B}\\", [.octants]), ("\u{1B}P>|kitty(0.39.9)\u{1B}\\", []),
    ("\u{1B}P>|foot(1.20.0)\u{1B}\\", [.octants]), ("\u{1B}P>|foot(1.9.2)\u{1B}\\", []),
    ("\u{1B}P>|ghostty 1.2.0-main\u{1B}\\", [.octants]), ("\u{1B}P>|VTE(7800)\u{1B}\\", [.octants]),
    ("\u{1B}P>|VTE(7603)\u{1B}\\", []), ("\u{1B}P>|XTerm(379)\u{1B}\\", []),
    ("\u{1B}P>|tmux 3.5a\u{1B}\\", []),
    ("\u{1B}[?62;4;22c", [.sixel, .attributes]), ("\u{1B}[?4;22c", [.attributes]),
    ("\u{1B}[?1;0;1024S", [.sixelColors(1024)]), ("\u{1B}[?1;3;0S", []),
    ("\u{1B}[?2;0;1000;800S", [.sixelSize(width: 1000, height: 800)]),
    ("\u{1B}_Gi=7300000;ENOENT:x\u{1B}\\", []),
    ("\u{1B}[<1;5;6M", []), ("\u{1B}[<0;0;1M", []), ("\u{1B}[<0M", []),
    ("\u{1B}[M !!q", [key(.character("q"))]),
    ("\u{1B}[200~two\nlines q\u{1B}[201~x", [.paste("two\nlines q"), key(.character("x"))]),
    ("\u{1B}[200~\u{1B}[A\u{3}\u{1B}[201~", [.paste("\u{1B}[A\u{3}")]),
    ("\u{1B}P1$r0;48:2::1:2:3m\u{1B}\\q", [.directColor, key(.character("q"))]),
    ("\u{1B}]11;rgb:ffff/f5f5/dcdc\u{1B}\\q", [.lightBackground, key(.character("q"))]),
    ("\u{1B}]11;rgb:1d1d/2020/2121\u{7}", []),
    ("\u{1B}P1$r48;2;1;2;3m\u{1B}\\", [.directColor]), ("\u{1B}P1$r0;48:5:16m\u{1B}\\", []),
    ("\u{1B}P0$r\u{1B}\\", []),
    ("\u{1B}P1+r4D73=1B\u{1B}\\", [.acceptsClipboard]), ("\u{1B}P0+r4d73\u{1B}\\", []),
    ("\u{1B}]52;c;YWJj\u{7}q", [.clipboard(base64: "YWJj"), key(.character("q"))]),
    ("\u{1B}]52;;YWJj\u{1B}\\", [.clipboard(base64: "YWJj")]),
    ("\u{1B}[0n\u{1B}[?1;2cq", [.status, .attributes, key(.character("q"))]),
    ("\u{1B}[6;20;10tq", [.cell(CellSize(width: 10, height: 20)), key(.character("q"))]),
    ("\u{1B}[3;4Rq", [key(.character("q"))]),
    ("\u{1B}]11;rgb:0/0/0\u{7}q", [key(.character("q"))]),
    ("\u{1B}P>|name\u{1B}\\q", [key(.character("q"))]),
    ("\u{1B}[999999999999999999~q", [key(.character("q"))]),
    ("\u{1B}[1;99999999999999Aq", [key(.up, [.alt, .control]), key(.character("q"))]),
  ]

  @Test("Every sequence has the same meaning however its bytes are divided")
  func splits() {
    for (text, events) in Self.cases {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        for second in cut...bytes.count {
          var parser = KeyParser()
          let found =
            parser.feed(bytes[..<cut]) + parser.feed(bytes[cut..<second])
            + parser.feed(bytes[second...])
          #expect(found == events, "\(text.debugDescription) cut at \(cut) and \(second)")
          #expect(parser.patience == nil, "\(text.debugDescription)")
        }
      }
    }
  }

  @Test(
    "The rest of an answer that comes in pieces over a slow link isn't read as keys",
    arguments: ["\u{1B}_Gi=7300000;OK\u{1B}\\", "\u{1B}[?62;22c", "\u{1B}P1$r0;1m\u{1B}\\"])
  func slowAnswers(answer: String) {
    let bytes = Array(answer.utf8)
    for cut in 3..<bytes.count {
      var parser = KeyParser()
      #expect(parser.feed(bytes[..<cut]) == [])
      #expect(parser.patience == .long, "cut at \(cut)")
    }
  }

  @Test("All sequences at once give their events in order")
  func together() {
    var parser = KeyParser()
    #expect(parser.feed(Self.cases.flatMap { Array($0.0.utf8) }) == Self.cases.flatMap(\.1))
  }

  @Test("A lone Escape is a key if nothing follows")
  func loneEscape() {
    var parser = KeyParser()
    #expect(parser.feed([0x1B]) == [])
    #expect(parser.patience == .short)
    #expect(parser.timeOut() == [Self.key(.escape)])
    #expect(parser.patience == nil)
    #expect(
      parser.feed(Array("[A".utf8)) == [Self.key(.character("[")), Self.key(.character("A"))])
  }

  @Test("An incomplete sequence doesn't swallow the next key")
  func timesOut() {
    for beginning in ["\u{1B}[", "\u{1B}O", "\u{1B}[1;", "\u{1B}]0;x", "\u{1B}[M!", "\u{1B}[<0;1"] {
      var parser = KeyParser()
      _ = parser.feed(Array(beginning.utf8))
      _ = parser.timeOut()
      #expect(parser.feed([0x71]) == [Self.key(.character("q"))], "\(beginning.debugDescription)")
    }
    var parser = KeyParser()
    _ = parser.feed([0xE6, 0xBC])
    #expect(parser.feed([0x71]) == [Self.key(.character("q"))])
  }

  @Test("A paste without an end gives the received text after the timeout")
  func unfinishedPaste() {
    var parser = KeyParser()
    #expect(parser.feed(Array("\u{1B}[200~abc".utf8)) == [])
    #expect(parser.patience == .long)
    #expect(parser.timeOut() == [.paste("abc")])
  }

  @Test("A huge paste is cut off, and its end is still recognized")
  func hugePaste() {
    var parser = KeyParser()
    var events = parser.feed(Array("\u{1B}[200~".utf8))
    for _ in 0..<200 { events += parser.feed(repeatElement(0x61, count: 1000)) }
    events += parser.feed(Array("\u{1B}[201~q".utf8))
    #expect(
      events == [
        .paste(String(repeating: "a", count: KeyParser.maximumPaste)), Self.key(.character("q")),
      ])
  }

  @Test("No bytes make it fail, and it always returns to reading keys", arguments: UInt64(0)..<40)
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var parser = KeyParser()
    let interesting: [UInt8] = [
      0x1B, 0x5B, 0x3C, 0x4F, 0x3B, 0x7E, 0x4D, 0x6D, 0x5D, 0x5C, 0x30, 0x32,
    ]
    for _ in 0..<4000 {
      let byte =
        Bool.random(using: &random)
        ? interesting.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
      for event in parser.feed([byte]) {
        guard case .key(let press) = event, case .character(let character) = press.key else {
          continue
        }
        #expect(character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
      }
      if UInt8.random(in: 0...20, using: &random) == 0 { _ = parser.timeOut() }
    }
    _ = parser.timeOut()
    #expect(parser.feed([0x71]) == [Self.key(.character("q"))], "seed \(seed)")
  }
}

/// SplitMix64: the same numbers for the same seed on every machine.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
