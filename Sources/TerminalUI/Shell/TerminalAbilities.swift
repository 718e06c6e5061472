import TerminalVideo

/// The abilities of a terminal, as far as its environment and its own answers show them.
package struct TerminalAbilities: Hashable, Sendable {
  /// The value of `TERM`.
  package var type: String
  /// The number of colours in terminfo's description; 0 for none.
  package var colors: Int
  /// A Boolean value that indicates whether the environment promises 24-bit colours.
  package var hasDirectColor: Bool
  /// A Boolean value that indicates whether `NO_COLOR` is set.
  package var isColorUnwanted: Bool
  /// A Boolean value that indicates whether the character set is UTF-8.
  package var isUnicode: Bool
  /// The terminal's answers; nil if it didn't answer in time, or can't be asked.
  package var answers: Answers?

  /// The terminal's answers to `question`.
  package struct Answers: Hashable, Sendable {
    /// A Boolean value that indicates whether the terminal kept a 24-bit colour.
    package var hasDirectColor = false
    /// A Boolean value that indicates whether the terminal has kitty's graphics protocol.
    package var hasKittyGraphics = false
    /// A Boolean value that indicates whether the terminal shows Sixel graphics.
    package var hasSixel = false
    /// A Boolean value that indicates whether the terminal draws octants itself.
    package var hasOctants = false
    /// A Boolean value that indicates whether the terminal reports that programs may set the clipboard (OSC 52). Many
    /// terminals that allow it don't report it.
    package var acceptsClipboard = false
    /// A Boolean value that indicates whether the last answer has come, so that no missing one will follow.
    package private(set) var isComplete = false

    /// Reads the answers.
    ///
    /// - Parameter bytes: everything that the terminal sent, including keys that were pressed meanwhile.
    package init(parsing bytes: [UInt8]) {
      // Answers are in ASCII.
      for answer in String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}") {
        if answer.hasPrefix("[?"), answer.contains("c") {
          takeAttributes(answer.dropFirst(2).prefix { $0 != "c" })
        } else if PixelQuestion.medium(confirmedBy: answer) != nil {
          hasKittyGraphics = true
        } else if let version = TerminalVersion(answer: answer) {
          hasOctants = version.drawsOctants
        } else if answer.hasPrefix("P1$r") {
          hasDirectColor = hasDirectColor || Self.holdsTestColor(answer)
        } else if answer.lowercased().hasPrefix("p1+r" + TerminalModes.clipboardCapability) {
          acceptsClipboard = true
        }
      }
    }

    /// Reads the primary device attributes (DA1): 4 is sixel, 52 is the clipboard.
    private mutating func takeAttributes(_ text: Substring) {
      let attributes = text.split(separator: ";").dropFirst()
      hasSixel = attributes.contains("4")
      acceptsClipboard = acceptsClipboard || attributes.contains("52")
      isComplete = true
    }

    private static func holdsTestColor(_ answer: Substring) -> Bool {
      let numbers = answer.split { !$0.isNumber }.map(String.init)
      guard let color = numbers.firstIndex(of: "48") else { return false }
      return numbers[color...].suffix(3) == TerminalModes.testColor.map { "\($0)" }[...]
    }
  }

  /// Returns questions about 24-bit colour (DECRQSS), kitty's graphics, the version (XTVERSION) and the clipboard
  /// (XTGETTCAP), and last about the device's attributes (DA1), which every terminal answers.
  ///
  /// - Parameters:
  ///   - graphics: whether the terminal may be asked about kitty's graphics.
  ///   - throughTmux: whether they are those of the terminal of tmux.
  static func question(graphics: Bool, throughTmux: Bool) -> [UInt8] {
    let pixels = graphics ? PixelQuestion.bytes(memory: nil, throughTmux: throughTmux) : []
    return TerminalModes.colorQuestion + pixels
      + (graphics ? TerminalModes.versionQuestion : []) + TerminalModes.clipboardQuestion
      + TerminalModes.lastQuestion
  }
}
