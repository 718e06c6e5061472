/// A line of text in several styles.
struct StyledLine: Hashable, Sendable {
  struct Span: Hashable, Sendable {
    var text: TerminalText
    var style: Style
  }

  var spans: [Span] = []

  init() {}

  init(_ text: TerminalText, _ style: Style = .plain) { add(text, style) }

  var width: Int { spans.reduce(0) { $0 + $1.text.width } }

  mutating func add(_ text: TerminalText, _ style: Style = .plain) {
    spans.append(Span(text: text, style: style))
  }

  func adding(_ text: TerminalText, _ style: Style = .plain) -> StyledLine {
    var line = self
    line.add(text, style)
    return line
  }
}

extension Canvas {
  /// Draws `line` from the left of `area`'s first row, and cuts off the part without room.
  ///
  /// - Returns: the column after the last one drawn.
  @discardableResult
  mutating func draw(_ line: StyledLine, in area: Rect) -> Int {
    var column = area.column
    for span in line.spans {
      let room = Rect(
        column: column, row: area.row, width: area.endColumn - column, height: area.height)
      column = draw(span.text, in: room, style: span.style)
    }
    return column
  }

  mutating func drawCentered(_ line: StyledLine, in area: Rect) {
    let width = min(line.width, area.width)
    draw(
      line,
      in: Rect(
        column: area.column + (area.width - width) / 2, row: area.row, width: width,
        height: area.height))
  }
}
