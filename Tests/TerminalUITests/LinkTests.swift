import Testing

@testable import TerminalUI

@Suite("Web addresses")
struct LinkTests {
  private func addresses(in text: TerminalText) -> [String] {
    text.withLinks.glyphs.compactMap(\.link?.address).reduce(into: []) { addresses, address in
      if addresses.last != address { addresses.append(address) }
    }
  }

  @Test(
    "in a text are links, without the sentence's punctuation",
    arguments: [
      ("see https://films.example/a?b=1&c=%20#d.", ["https://films.example/a?b=1&c=%20#d"]),
      (
        "(http://[2001:db8::1]:8080/x), HTTPS://B.example!",
        ["http://[2001:db8::1]:8080/x", "HTTPS://B.example"]
      ),
      (
        "“https://films.example/”, https://e.example/Film_(2024)",
        ["https://films.example/", "https://e.example/Film_(2024)"]
      ),
      ("https://a.example/x🔥", ["https://a.example/x"]),
    ])
  func found(text: String, expected: [String]) {
    #expect(addresses(in: TerminalText(text)) == expected)
    #expect(TerminalText(text).withLinks.description == text)
  }

  @Test(
    "of other kinds, and those that look like another one, are none",
    arguments: [
      "matinee://192.0.2.1:1/a#secret", "file:///etc/passwd", "javascript://x%0aalert(1)",
      "ftp://a.example", "xhttp://a.example", "http://", "https:///etc", "https://.",
      "a://https://b.example",
      // A Cyrillic letter in the name, and one before the scheme.
      "https://ex\u{430}mple.org/", "https://example.org/\u{430}", "\u{430}https://example.org/",
      "https://example.org/é", "https://example.org\u{301}/", "שלוםhttps://example.org",
      "https://a.example/" + String(repeating: "a", count: Link.maximumLength),
    ])
  func refused(text: String) {
    #expect(addresses(in: TerminalText(text)) == [])
  }

  @Test(
    "lead to what they show, and put no control characters into the terminal",
    arguments: HostileTextTests.weapons)
  func hostile(weapon: String) {
    for text in [
      "https://a.example/" + weapon, weapon + "https://a.example/",
      "https://a.example/;x;" + weapon + ";id=1",
    ] {
      let linked = TerminalText(text).withLinks
      #expect(linked.width == TerminalText(text).width)
      for address in addresses(in: linked) {
        let shown = linked.glyphs.filter { $0.link?.address == address }.map(\.text).joined()
        #expect(shown == address)
        let bytes = TerminalModes.link(Link(address: address))
        #expect(bytes.dropFirst().dropLast(2).allSatisfy { (0x21...0x7E).contains($0) })
        #expect(bytes.first == 0x1B && bytes.suffix(2) == [0x1B, 0x5C])
      }
    }
  }

  private func row(_ text: TerminalText, style: Style = .plain) -> Canvas {
    var canvas = Canvas(size: ScreenSize(columns: 30, rows: 1))
    canvas.draw(text.withLinks, in: canvas.bounds, style: style)
    return canvas
  }

  @Test("in the chat are one link over several lines, also when they are cut between letters")
  func wrapped() {
    var canvas = Canvas(size: ScreenSize(columns: 20, rows: 8))
    ChatView(
      entries: [
        ChatEntry(
          id: 1, hour: 21, minute: 4,
          .said("see https://films.example/abcdefg", by: "Ben", isOwn: false))
      ],
      ownName: "Ana", colors: PersonColors([]), scroll: 0
    ).draw(in: canvas.bounds, on: &canvas)
    let cells = (0..<8).flatMap { LinkedCells.all(in: Array(canvas.row($0)), after: nil) }
    let link = Link(address: "https://films.example/abcdefg")
    #expect(
      cells == [
        LinkedCells(column: 1, text: "https://films.examp", style: .plain, link: link),
        LinkedCells(column: 1, text: "le/abcdefg", style: .plain, link: link),
      ])
  }

  @Test("in a question are links")
  func question() {
    var screen = TestScreen()
    screen.model.question = QuestionModel(
      id: "q", text: "list.m3u leads out of its folder, to http://films.example/a.mkv. Open it?",
      choices: [.init(id: "no", key: "n", title: "No")])
    let links = Set(screen.canvas().cells.compactMap { $0.glyph?.link?.address })
    #expect(links == ["http://films.example/a.mkv"])
  }

  @Test("that another text replaces leave no link behind, where both have the same letters")
  func replaced() {
    let shown = row("https://a.example/x").row(0)
    #expect(LinkedCells.all(in: Array(row("plain text").row(0)), after: shown) == [])
    #expect(
      LinkedCells.all(in: Array(row("https no more", style: .quiet).row(0)), after: shown)
        == [LinkedCells(column: 0, text: "https", style: .quiet, link: nil)])
    let other = Link(address: "https://b.example/x")
    #expect(
      LinkedCells.all(in: Array(row("https://b.example/x").row(0)), after: shown)
        == [LinkedCells(column: 0, text: other.address, style: .plain, link: other)])
  }
}
