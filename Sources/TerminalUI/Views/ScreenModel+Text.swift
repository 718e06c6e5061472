extension ScreenModel {
  /// Returns the screen as text at the given size, one element per row, for documents and tests.
  ///
  /// - Parameters:
  ///   - size: the size of the screen.
  ///   - isUnicode: false draws with ASCII only.
  package func text(size: ScreenSize, isUnicode: Bool = true) -> [String] {
    ScreenView(model: self, state: ScreenState())
      .canvas(size: size, symbols: isUnicode ? .unicode : .ascii).text
  }
}
