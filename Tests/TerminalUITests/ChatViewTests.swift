import Testing

@testable import TerminalUI

@Suite("The chat")
struct ChatViewTests {
  private func canvas(
    _ entries: [ChatEntry.Content], width: Int = 40, rows: Int = 8, minutes: [Int] = [],
    mark: ChatEntry.ID? = nil
  ) -> Canvas {
    var canvas = Canvas(size: ScreenSize(columns: width, rows: rows))
    ChatView(
      entries: entries.enumerated().map { index, content in
        ChatEntry(
          id: index, hour: 21, minute: minutes.indices.contains(index) ? minutes[index] : 4, content
        )
      }, ownName: "Ana", colors: PersonColors([]), scroll: 0, unreadMark: mark
    ).draw(in: canvas.bounds, on: &canvas)
    return canvas
  }

  private func style(of character: Character, in canvas: Canvas) -> Style? {
    canvas.cells.first { $0.glyph?.text == String(character) }?.style
  }

  @Test(
    "Events have a dot instead of a time and a colon, and are quiet; messages aren't"
  )
  func kinds() {
    let canvas = canvas([
      .did("joined", by: "Ben"), .said("Zulu", by: "Ana", isOwn: true),
    ])
    #expect(canvas.text[5].hasPrefix("· Ben joined "))
    #expect(canvas.text[6].hasPrefix("21:04 Ana  "))
    #expect(canvas.text[7].hasPrefix(" Zulu "), "the newest is at the bottom")
    #expect(style(of: "j", in: canvas) == .quiet)
    #expect(style(of: "Z", in: canvas) == .plain)
  }

  @Test(
    "Successive messages share the author's name, and the time is there when the minute changes")
  func runs() {
    let said = ["Ana", "Ana", "Ben", "Ben"].map {
      ChatEntry.Content.said("so", by: TerminalText($0), isOwn: false)
    }
    #expect(
      canvas(said, minutes: [4, 4, 4, 5]).text.map { $0.prefix(10) } == [
        "          ", "21:04 Ana ", " so       ", " so       ", "Ben       ", " so       ",
        "21:05 Ben ", " so       ",
      ])
  }

  @Test("Events of the same minute share a line, and equal ones share a list of names")
  func merging() {
    #expect(
      canvas([
        .did("joined", by: "Ben"), .did("joined", by: "Chi"), .did("pressed play", by: "Ben"),
      ])
      .text[7].hasPrefix("· Ben and Chi joined · Ben pressed play "))
    #expect(
      canvas([
        .did("joined", by: "Ben"), .did("joined", by: "Chi"), .did("joined", by: "Dee"),
        .did("joined", by: "Eva"), .did("joined", by: "Ben"),
      ]).text[7].hasPrefix("· Ben, Chi and 2 others joined "))
    let parts = canvas(
      [.did("joined", by: "Ben"), .did("left", by: "Ben"), .note("The film is over")],
      minutes: [4, 5, 5])
    #expect(parts.text[6].hasPrefix("· Ben joined "))
    #expect(parts.text[7].hasPrefix("· Ben left · The film is over "))
  }

  @Test("The mark before new entries separates events too")
  func mark() {
    let text = canvas([.did("joined", by: "Ben"), .did("left", by: "Ben")], mark: 0).text
    #expect(text[5].hasPrefix("· Ben joined "))
    #expect(text[6].contains("── new"))
    #expect(text[7].hasPrefix("· Ben left "))
  }

  @Test("A message with this participant's name is highlighted")
  func mention() {
    let mentioned = canvas([.said("Zulu, ana!", by: "Ben", isOwn: false)])
    #expect(style(of: "Z", in: mentioned) == .key)
    let other = canvas([.said("Zulu, banana!", by: "Ben", isOwn: false)])
    #expect(style(of: "Z", in: other) == .plain)
  }

  @Test("An empty chat says when it will start")
  func empty() {
    #expect(canvas([], width: 29).text[0].hasPrefix("Chat starts when a friend"))
  }
}
