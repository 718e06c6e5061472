import TerminalVideo

/// What people draw with, outside of the terminal too: each in the colour that its name has in the roster.
public struct PersonInks: Sendable {
  private let colors: PersonColors
  private let inks = Palette.inks(theme: .standard)

  /// - Parameter names: of everybody in the party, in the roster's order.
  public init(_ names: [TerminalText]) {
    colors = PersonColors(names: names)
  }

  /// 0xRRGGBB
  public subscript(name: TerminalText) -> UInt32 {
    XtermPalette.colors[Int(inks[colors.number(name) % inks.count])]
  }
}

/// Which colour stands for whom.
///
/// A colour follows from the name, so that it is the same on every screen and tomorrow; only where two in the
/// roster would share one, the later takes the next that is free.
struct PersonColors: Hashable, Sendable {
  private var colors: [TerminalText: Int] = [:]

  init(_ roster: [RosterEntry]) { self.init(names: roster.map(\.name)) }

  /// - Parameter names: in the roster's order.
  init(names: [TerminalText]) {
    // With more people than colours some share anyway.
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

  /// FNV-1a, since Swift's own hash differs from run to run.
  private static func preferred(_ name: TerminalText) -> Int {
    var hash: UInt32 = 2_166_136_261
    for byte in name.description.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return Int(hash % UInt32(Style.personColors))
  }
}
