/// The notice that there is no room for a screen.
enum TooSmallView {
  static func draw(on canvas: inout Canvas) {
    let area = canvas.bounds
    guard !area.isEmpty else { return }
    let smallest = ScreenSize.smallestCompact
    let times = TerminalText(glyphs: [canvas.symbols.times])
    let needed = TerminalText("\(smallest.columns)") + times + "\(smallest.rows)"
    let text = TerminalText.longest(
      fitting: area.width,
      of: ["Terminal too small: at least " + needed + " cells", "Needs " + needed, needed])
    canvas.drawCentered(text, in: area.line(area.height / 2), style: .strong)
  }
}
