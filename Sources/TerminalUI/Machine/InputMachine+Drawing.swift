import Screening
import TerminalVideo

/// Drawing over the picture, by keys or by mouse.
extension InputMachine {
  /// Returns the area of the picture that is drawn on; nil if none is visible.
  func drawingArea(_ model: ScreenModel, _ layout: ScreenLayout) -> Rect? {
    guard model.sketch?.isDrawing == true, !state.isLibraryShown(model) else { return nil }
    return layout.sketchArea(model, cellRatio: cellRatio)
  }

  /// Takes the pen when drawing begins, and drops it when drawing ends.
  mutating func drawingChanged(from old: ScreenModel, to new: ScreenModel) {
    let isDrawing = new.sketch?.isDrawing == true
    guard isDrawing != (old.sketch?.isDrawing == true) else { return }
    state.pen = isDrawing ? Pen() : nil
  }

  mutating func performDrawing(
    _ command: Command, _ model: ScreenModel, _ layout: ScreenLayout
  ) -> [Effect] {
    guard var pen = state.pen else { return [] }
    if case .movePen(let columns, let rows) = command {
      guard let area = drawingArea(model, layout) else { return [] }
      // A cell's height is about twice its width.
      pen.move(
        to: Sketch.Point(
          x: pen.point.x + Float(columns) / Float(area.width),
          y: pen.point.y + Float(rows) / Float(2 * area.height)))
      state.pen = pen
      return pen.isDown ? [.user(.drawing(.move(to: .init(pen.point))))] : []
    }
    if command == .togglePen {
      state.pen?.isDown.toggle()
      return [.user(.drawing(pen.isDown ? .lift : .press(at: .init(pen.point))))]
    }
    guard command == .leaveDrawing else { return [] }
    return (pen.isDown ? [.user(.drawing(.lift))] : []) + [.user(.drawing(.leave))]
  }

  /// Draws with the mouse.
  ///
  /// - Returns: nil if the mouse isn't drawing.
  mutating func draw(
    _ mouse: MouseEvent, _ model: ScreenModel, _ layout: ScreenLayout
  ) -> [Effect]? {
    guard let area = drawingArea(model, layout), var pen = state.pen else { return nil }
    let isInside = area.contains(mouse.point)
    let point = Sketch.Point(
      x: (Float(mouse.point.column - area.column) + 0.5) / Float(area.width),
      y: (Float(mouse.point.row - area.row) + 0.5) / Float(area.height))
    let effect: Effect
    switch mouse.action {
    case .press where isInside:
      (pen.isDown, pen.isMouse) = (true, true)
      effect = .user(.drawing(.press(at: .init(point))))
    case .drag where pen.isMouse && pen.isDown:
      effect = .user(.drawing(.move(to: .init(point))))
    case .release where pen.isMouse:
      state.pen?.isDown = false
      state.pen?.isMouse = false
      return [.user(.drawing(.lift))]
    case .press, .drag, .release, .secondaryPress, .wheelUp, .wheelDown:
      return nil
    }
    pen.move(to: point)
    state.pen = pen
    return [effect]
  }
}

extension UserCommand.Point {
  fileprivate init(_ point: Sketch.Point) {
    self.init(x: Double(point.x), y: Double(point.y))
  }
}
