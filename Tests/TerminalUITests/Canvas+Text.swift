@testable import TerminalUI

extension Canvas {
  /// The rows as text, each as wide as the screen.
  var text: [String] {
    (0..<size.rows).map { row($0).reduce(into: "") { $0 += $1.glyph?.text ?? "" } }
  }
}

extension ScreenModel {
  /// Returns the screen as text, one element per row.
  func text(size: ScreenSize, isUnicode: Bool = true) -> [String] {
    ScreenView(model: self, state: ScreenState())
      .canvas(size: size, symbols: isUnicode ? .unicode : .ascii).text
  }
}
