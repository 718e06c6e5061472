import Foundation
import Testing

@testable import TerminalUI

@Suite("Themes")
struct ThemeTests {
  private func problem(_ text: String) -> String? {
    Theme(parsing: text).problems.first?.description
  }

  @Test("A theme changes the roles that differ from the standard")
  func parsing() throws {
    let theme = Theme(
      parsing: """
        # night
        background = #000000
        accent=bright-cyan bold underline
        quiet = 244
        person2 = red
        text = default
        """)
    #expect(theme.background == 16)
    #expect(theme.looks[.accent] == Theme.Look(color: 14, attributes: [.bold, .underline]))
    #expect(theme.looks[.quiet] == Theme.Look(color: 244))
    #expect(theme.looks[.person(1)] == Theme.Look(color: 1))
    #expect(theme.looks[.plain] == Theme.Look(color: nil))
    #expect(theme.looks[.good] == nil)
    #expect(Theme(parsing: "") == .standard)
  }

  @Test("With few colours no text is cyan or yellow on a light background")
  func onLight() {
    let roles: [ColorRole] = [.accent, .caution, .good, .trouble] + (0..<3).map { .person($0) }
    for colors in [8, 16] as [CInt] {
      let used = roles.map { Palette.color($0, colors: colors, onLight: true) }
      #expect(used == [4, 5, 2, 1, 4, 5, nil])
    }
    #expect(Palette.color(.accent, colors: 8) == 6)
  }

  @Test("Without colours a code for cameras is dark on light, whatever the background is")
  func code() {
    let code = Style(role: .code)
    #expect(
      Palette(theme: .standard).attributes(code) != Palette(theme: .standard).attributes(.plain))
    let onLight = Palette(theme: .standard, onLight: true)
    #expect(onLight.attributes(code) == onLight.attributes(.plain))
  }

  @Test(
    "A mistake is reported with its line",
    arguments: [
      ("acent = red", "line 1: there is no role “acent”; did you mean “accent”?"),
      (
        "\naccent = rouge",
        "line 2: “rouge” isn't a colour; examples: default, red, bright-red, 0 to 255, #rrggbb"
      ),
      (
        "accent = 256",
        "line 1: “256” isn't a colour; examples: default, red, bright-red, 0 to 255, #rrggbb"
      ),
      ("accent", "line 1: expected ROLE = COLOUR, as in: accent = #3388cc bold"),
      ("accent = red blinking", "line 1: “blinking” isn't bold, underline, reverse or dim"),
    ])
  func problems(text: String, words: String) { #expect(problem(text) == words) }

  @Test("One line that can't be used leaves all the others, and each such line is listed")
  func skipping() {
    let theme = Theme(parsing: "accent = red\nquiet = rouge\nacent = blue\ngood = 5 bold")
    #expect(theme.looks[.accent]?.color == 1)
    #expect(theme.looks[.good]?.color == 5)
    #expect(theme.looks[.quiet] == nil)
    #expect(theme.problems.map(\.line) == [2, 3])
  }

  @Test("With high contrast no text is dim, and all text contrasts with its background")
  func highContrast() throws {
    let theme = Theme.highContrast
    #expect(theme.background == 16)
    let roles: [ColorRole] =
      [.plain, .quiet, .accent, .good, .caution, .trouble] + (0..<6).map { .person($0) }
    for role in roles {
      let look = try #require(theme.looks[role])
      #expect(!look.attributes.contains(.dim))
      // WCAG 2 requires 7:1 for its best grade.
      #expect(Self.contrastToBlack(try #require(look.color)) >= 7, "\(role)")
    }
  }

  @Test("No person has the hue of good, caution or trouble, nor that of another person")
  func hues() throws {
    let high = Theme.highContrast
    let contrast = try (0..<6).map { try #require(high.looks[.person($0)]?.color) }
    let roles = try [ColorRole.good, .caution, .trouble].map {
      try #require(high.looks[$0]?.color)
    }
    for (people, meaning) in [
      (Theme.personColors, [Theme.good, Theme.caution, Theme.trouble]), (contrast, roles),
    ] {
      let hues = try people.map { try #require(Self.hue($0), "\($0) is grey") }
      let taken = try meaning.map { try #require(Self.hue($0)) }
      for (index, hue) in hues.enumerated() {
        for other in taken + hues[(index + 1)...] {
          let distance = abs(hue - other)
          #expect(
            min(distance, 360 - distance) >= 25, "person \(index + 1): \(hue)°, \(other)°")
        }
      }
    }
  }

  /// Returns degrees on the colour wheel, for the palette's cube; nil for a colour that is nearly grey.
  private static func hue(_ index: Int) -> Double? {
    let steps = [0.0, 95, 135, 175, 215, 255]
    let (red, green, blue) = (
      steps[(index - 16) / 36], steps[(index - 16) / 6 % 6], steps[(index - 16) % 6]
    )
    let (most, least) = (max(red, green, blue), min(red, green, blue))
    guard most - least >= most / 5 else { return nil }
    let part =
      most == red
      ? (green - blue) / (most - least)
      : most == green ? 2 + (blue - red) / (most - least) : 4 + (red - green) / (most - least)
    return (part * 60).truncatingRemainder(dividingBy: 360) + (part < 0 ? 360 : 0)
  }

  /// Returns the relative luminance of WCAG 2.2, for the palette's cube and greys.
  private static func contrastToBlack(_ index: Int) -> Double {
    let steps = [0.0, 95, 135, 175, 215, 255]
    let channels =
      index >= 232
      ? Array(repeating: Double(8 + 10 * (index - 232)), count: 3)
      : [steps[(index - 16) / 36], steps[(index - 16) / 6 % 6], steps[(index - 16) % 6]]
    let linear = channels.map { value in
      let part = value / 255
      return part <= 0.04045 ? part / 12.92 : Double.pow((part + 0.055) / 1.055, 2.4)
    }
    return (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05) / 0.05
  }
}

extension Double {
  fileprivate static func pow(_ base: Double, _ exponent: Double) -> Double {
    Foundation.pow(base, exponent)
  }
}
