import TerminalVideo

/// The colours of the participants.
///
/// A colour follows from the name, so that it is the same on every screen and every day. Only if two participants in
/// the roster would share one, the later one gets the next that is free.
struct PersonColors: Hashable, Sendable {
  private var colors: [TerminalText: Int] = [:]

  init(_ roster: [RosterEntry]) { self.init(names: roster.map(\.name)) }

  /// Assigns the colours.
  ///
  /// - Parameter names: the names in the roster's order.
  init(names: [TerminalText]) {
    // With more people than colours, some share a colour anyway.
    for name in names.prefix(Style.personColors) where colors[name] == nil {
      var color = Self.preferred(name)
      while colors.values.contains(color) { color = (color + 1) % Style.personColors }
      colors[name] = color
    }
  }

  func style(_ name: TerminalText, _ attributes: Style.Attributes = []) -> Style {
    Style(role: .person(number(name)), attributes: attributes)
  }

  func number(_ name: TerminalText) -> Int { colors[name] ?? Self.preferred(name) }

  private static func preferred(_ name: TerminalText) -> Int {
    Int(name.description.stableHash % UInt32(Style.personColors))
  }
}

extension String {
  /// An FNV-1a hash, since Swift's own hash differs from run to run.
  var stableHash: UInt32 {
    utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}

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
