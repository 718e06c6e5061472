import TerminalVideo

/// The colours of drawings outside of the terminal: each participant draws in the colour of their name in the roster.
package struct PersonInks: Sendable {
  private let colors: PersonColors
  private let inks = Theme.standard.inks

  /// - Parameter names: the names of all participants in the party, in the roster's order.
  package init(_ names: [TerminalText]) {
    colors = PersonColors(names: names)
  }

  /// The colour as 0xRRGGBB.
  package subscript(name: TerminalText) -> UInt32 {
    XtermPalette.colors[Int(inks[colors.number(name) % inks.count])]
  }
}
