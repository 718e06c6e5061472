import CNCurses
import TerminalVideo

/// The modes of the terminal that Matinee sets beyond ncurses, and the bytes that undo them.
struct TerminalModes: Hashable, Sendable {
  private let hasTitle: Bool
  private let hasMouse: Bool
  private let ordersText: Bool
  private let hasLinks: Bool
  /// The sequences of terminfo that restore the screen, the keypad and the attributes.
  private let capabilities: [UInt8]
  /// The bytes that clear Matinee's screen if the terminal has no alternate screen, like the Linux console; else none.
  let exitSequence: [UInt8]

  /// Creates the modes.
  ///
  /// - Precondition: ncurses knows the terminal already.
  init(environment: TerminalEnvironment) {
    hasTitle = environment.hasTitle
    hasMouse = environment.hasMouse
    hasLinks = environment.hasLinks
    ordersText = environment.answersQuestions && environment.textOrder != .logical
    let names = ["sgr0", "cnorm", "rmkx", "rmcup"]
    exitSequence = cncurses_capability("rmcup") == nil ? Self.capability("clear") : []
    capabilities = names.flatMap(Self.capability) + exitSequence
  }

  private static func capability(_ name: String) -> [UInt8] {
    cncurses_capability(name).map { withoutPadding(String(cString: $0)) } ?? []
  }

  /// Bytes that set the modes: mouse buttons and drags (1002) in the form without limits (1006), reports about the
  /// keyboard's focus (1004), marked pastes (2004), and the saved title of the window. Text is shown in the order in
  /// which it is sent (BDSM of ECMA-48): terminals that know the mode would otherwise order it once more.
  var enter: [UInt8] {
    let mouse = hasMouse ? "\u{1B}[?1002h\u{1B}[?1006h" : ""
    return Array(
      "\(mouse)\u{1B}[?1004h\u{1B}[?2004h\(hasTitle ? "\u{1B}[22;2t" : "")\(ordersText ? "\u{1B}[8l" : "")"
        .utf8)
  }

  /// Bytes that undo ``enter``.
  var leave: [UInt8] {
    let mouse = hasMouse ? "\u{1B}[?1006l\u{1B}[?1002l" : ""
    return Array(
      "\(ordersText ? "\u{1B}[8h" : "")\u{1B}[?2004l\u{1B}[?1004l\(mouse)\(hasTitle ? "\u{1B}[23;2t" : "")"
        .utf8)
  }

  /// A colour that no theme has.
  static let testColor: [UInt8] = [1, 2, 3]

  /// Bytes that ask whether a 24-bit colour was set exactly: many terminals that have them don't say so in the
  /// environment.
  static var colorQuestion: [UInt8] {
    let color = testColor.map { "\($0)" }.joined(separator: ";")
    return Array("\u{1B}[48;2;\(color)m\u{1B}P$qm\u{1B}\\\u{1B}[m".utf8)
  }

  /// Bytes that ask for the background's colour (OSC 11).
  static let backgroundQuestion = Array("\u{1B}]11;?\u{1B}\\".utf8)
  /// Bytes that ask for the size of a cell in pixels (xterm's `ctlseqs`, XTWINOPS 16).
  static let cellQuestion = Array("\u{1B}[16t".utf8)
  /// Bytes that ask for the terminal's name and version (XTVERSION).
  static let versionQuestion = Array("\u{1B}[>q".utf8)
  /// Bytes that ask for the greatest number of a sixel picture's colours, and its greatest size (XTSMGRAPHICS).
  static let sixelQuestion = Array("\u{1B}[?1;1;0S\u{1B}[?2;1;0S".utf8)
  /// Bytes that ask for the device's attributes (DA1), which every terminal answers, after all earlier questions.
  static let lastQuestion = Array("\u{1B}[c".utf8)

  /// Bytes that undo everything, including ncurses's modes, from any state, if nothing else can any more.
  var reset: [UInt8] {
    // A string or sequence may have been cut off: CAN ends it.
    [0x18] + (hasLinks ? Self.link(nil) : []) + Array("\u{1B}[?2026l".utf8) + leave + capabilities
  }

  /// Bytes that set the window's title, or none.
  func title(_ text: TerminalText) -> [UInt8] {
    hasTitle ? Array("\u{1B}]2;\(text.prefix(columns: 100))\u{1B}\\".utf8) : []
  }

  /// Bytes after which text leads to an address (OSC 8); nil ends that. Terminals join the parts of a link with the same
  /// `id` and address.
  static func link(_ link: Link?) -> [UInt8] {
    let id = link.map { "id=\($0.address.stableHash)" } ?? ""
    return Array("\u{1B}]8;\(id);\(link?.address ?? "")\u{1B}\\".utf8)
  }

  static let bell: [UInt8] = [0x07]

  /// Bytes that begin and end a synchronized update (`DECSET 2026`), during which a capable terminal shows nothing new.
  static let beginUpdate = Array("\u{1B}[?2026h".utf8)
  static let endUpdate = Array("\u{1B}[?2026l".utf8)

  /// Bytes that show a notification on the desktop (OSC 9). Some terminals read a number at its beginning as a command
  /// of ConEmu's, and a participant's name may begin with a number.
  static func notification(_ text: TerminalText) -> [UInt8] {
    Array("\u{1B}]9;matinee: \(text.prefix(columns: 200))\u{1B}\\".utf8)
  }

  /// Bytes that put `text` into the clipboard (OSC 52).
  static func clipboard(_ text: String) -> [UInt8] {
    Array("\u{1B}]52;c;".utf8) + Base64.encode(Array(text.utf8)) + [0x07]
  }

  /// The terminfo capability `Ms`, which sets the clipboard, in hexadecimal as XTGETTCAP requires.
  static let clipboardCapability = "4d73"

  /// Bytes that ask whether programs may set the clipboard (XTGETTCAP).
  static var clipboardQuestion: [UInt8] {
    Array("\u{1B}P+q\(clipboardCapability)\u{1B}\\".utf8)
  }

  /// Bytes that ask for the contents of the clipboard (OSC 52).
  static let clipboardReading = Array("\u{1B}]52;c;?\u{1B}\\".utf8)

  /// Removes delays from a capability. Terminfo writes them as `$<5>`; only obsolete terminals need them.
  static func withoutPadding(_ capability: String) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(capability.utf8)[...]
    while let byte = rest.first {
      if byte == 0x24, rest.dropFirst().first == 0x3C, let end = rest.firstIndex(of: 0x3E) {
        rest = rest[(end + 1)...]
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return result
  }
}
