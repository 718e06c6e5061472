import TerminalVideo

/// The drawing as cells, for a pane without a picture into which it could be drawn.
struct SketchView: Hashable, Sendable {
  var sketch: SketchModel
  var pen: Pen?
  var colors: PersonColors

  func draw(in area: Rect, on canvas: inout Canvas) {
    guard !area.isEmpty else { return }
    for stroke in sketch.strokes {
      let line = Sketch(lines: [.init(color: 16, points: stroke.points)])
      var halves: [Int: (upper: Bool, lower: Bool)] = [:]
      for mark in line.marks(width: area.width, height: 2 * area.height) {
        let (row, column) = mark.index.quotientAndRemainder(dividingBy: area.width)
        let cell = row / 2 * area.width + column
        if row % 2 == 0 {
          halves[cell, default: (false, false)].upper = true
        } else {
          halves[cell, default: (false, false)].lower = true
        }
      }
      for (cell, half) in halves {
        let (row, column) = cell.quotientAndRemainder(dividingBy: area.width)
        let glyph: Glyph =
          !canvas.symbols.isUnicode ? "#" : half.upper ? (half.lower ? "█" : "▀") : "▄"
        canvas.fill(
          Rect(column: area.column + column, row: area.row + row, width: 1, height: 1),
          with: glyph, style: colors.style(stroke.author))
      }
    }
    guard let pen, sketch.isDrawing else { return }
    let column = min(area.width - 1, Int(pen.point.x * Float(area.width)))
    let row = min(area.height - 1, Int(pen.point.y * Float(area.height)))
    canvas.fill(
      Rect(column: area.column + column, row: area.row + row, width: 1, height: 1), with: "+",
      style: Style(attributes: [.bold, .reverse]))
  }
}

extension ScreenView {
  /// Returns the drawing for the picture in the pane.
  ///
  /// - Parameter inks: xterm's colours by the number of the person's colour.
  func sketch(inks: [UInt8]) -> Sketch {
    guard let sketch = model.sketch else { return Sketch() }
    let colors = PersonColors(model.roster)
    func ink(_ name: TerminalText) -> UInt8 { inks[colors.number(name) % inks.count] }
    return Sketch(
      lines: sketch.strokes.map { .init(color: ink($0.author), points: $0.points) },
      pen: state.pen.map { .init(color: ink(model.ownName), points: [$0.point]) })
  }
}
