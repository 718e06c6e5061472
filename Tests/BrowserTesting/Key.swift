/// A key by its name in the DOM (`KeyboardEvent.key`), and by its numbers in the browsers' remote controls.
package struct Key: Sendable {
  let name: String
  /// The text that it enters; nil for none.
  var text: String?
  /// Windows' virtual key code, as in DevTools.
  var windowsCode: Int?
  /// The character that means it in WebDriver.
  var webDriver: String
  /// The bit of a modifier in DevTools; 0 for other keys.
  var modifier = 0

  /// The key of a character.
  package init(_ character: Character) {
    name = String(character)
    text = name
    webDriver = name
    windowsCode =
      character.isASCII && (character.isLetter || character.isNumber || character == " ")
      ? character.uppercased().utf16.first.map(Int.init) : nil
  }

  private init(
    _ name: String, _ windowsCode: Int, _ webDriver: String, text: String? = nil, modifier: Int = 0
  ) {
    (self.name, self.windowsCode, self.webDriver) = (name, windowsCode, webDriver)
    (self.text, self.modifier) = (text, modifier)
  }

  package static let backspace = Key("Backspace", 8, "\u{E003}")
  package static let tab = Key("Tab", 9, "\u{E004}")
  package static let enter = Key("Enter", 13, "\u{E007}", text: "\r")
  package static let shift = Key("Shift", 16, "\u{E008}", modifier: 8)
  package static let control = Key("Control", 17, "\u{E009}", modifier: 2)
  package static let alt = Key("Alt", 18, "\u{E00A}", modifier: 1)
  package static let escape = Key("Escape", 27, "\u{E00C}")
  package static let pageUp = Key("PageUp", 33, "\u{E00E}")
  package static let pageDown = Key("PageDown", 34, "\u{E00F}")
  package static let end = Key("End", 35, "\u{E010}")
  package static let home = Key("Home", 36, "\u{E011}")
  package static let left = Key("ArrowLeft", 37, "\u{E012}")
  package static let up = Key("ArrowUp", 38, "\u{E013}")
  package static let right = Key("ArrowRight", 39, "\u{E014}")
  package static let down = Key("ArrowDown", 40, "\u{E015}")
  package static let space = Key(" ")
}
