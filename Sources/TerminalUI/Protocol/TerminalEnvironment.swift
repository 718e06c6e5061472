import CNCurses
import Glibc
import TerminalVideo

/// The terminal's abilities and its user's wishes, from the environment.
struct TerminalEnvironment: Hashable, Sendable {
  var type: String
  var hasColor: Bool
  var isUnicode: Bool
  /// A Boolean value that indicates whether the window's title can be set, saved and restored.
  var hasTitle: Bool
  /// A Boolean value that indicates whether the mouse may be used. While it is, GNU screen (4.9) delays a lone Escape
  /// until the next key.
  var hasMouse: Bool
  /// A Boolean value that indicates whether text may be a link (OSC 8): the terminal knows links, or ignores them. GNU
  /// screen and the Linux console are left out.
  var hasLinks: Bool
  /// The colours that a picture may have, according to the environment.
  var pictureColors: PictureQuality.Colors
  /// The side that orders right-to-left text.
  var textOrder: TextOrder
  /// A Boolean value that indicates whether the terminal may be asked about kitty's graphics. tmux and GNU screen use
  /// the question as a title.
  var mayBeAskedAboutPixels: Bool
  /// A Boolean value that indicates whether the terminal may be asked questions: the Linux console would print them.
  var answersQuestions: Bool { !type.hasPrefix("linux") }

  /// A Boolean value that indicates whether the clipboard may be read, which shows whether it was set: tmux and foot
  /// answer with its contents or not at all, while other terminals open a question on the screen.
  var clipboardIsReadable: Bool

  init(type: String, variables: (String) -> String?, codeset: String) {
    self.type = type
    // https://no-color.org: present and not empty, whatever the value.
    hasColor = (variables("NO_COLOR") ?? "").isEmpty
    isUnicode = codeset == "UTF-8" || codeset == "utf8"
    let titled = [
      "xterm", "tmux", "screen", "rxvt", "foot", "alacritty", "kitty", "wezterm", "ghostty", "st-",
      "konsole", "gnome", "vte", "contour", "mintty",
    ]
    hasTitle = titled.contains { type.hasPrefix($0) }
    hasMouse = variables("STY") == nil || variables("TMUX") != nil
    hasLinks = hasTitle && hasMouse && (variables("TMUX") != nil || !type.hasPrefix("screen"))
    mayBeAskedAboutPixels =
      !["TMUX", "STY"].contains { !(variables($0) ?? "").isEmpty }
      && !["tmux", "screen", "linux"].contains { type.hasPrefix($0) }
    let direct = ["direct", "kitty", "foot", "alacritty", "wezterm", "ghostty", "contour"]
    let isDirect =
      ["truecolor", "24bit"].contains(variables("COLORTERM") ?? "")
      || direct.contains { type.contains($0) }
    pictureColors = isDirect ? .direct : .indexed
    clipboardIsReadable = !(variables("TMUX") ?? "").isEmpty || type.hasPrefix("foot")
    textOrder = Self.textOrder(type: type, variables: variables)
  }

  /// Returns the side that orders text. GNOME's terminals (VTE from 0.58 on) and mintty order text themselves until
  /// they are asked not to, which ``TerminalModes`` does; tmux and screen don't pass that on. The other terminals in
  /// here can't be asked.
  private static func textOrder(type: String, variables: (String) -> String?) -> TextOrder {
    func has(_ name: String) -> Bool { !(variables(name) ?? "").isEmpty }
    let isInside = has("TMUX") || has("STY")
    if type.hasPrefix("mlterm") || has("MLTERM") || has("KONSOLE_VERSION")
      || variables("TERM_PROGRAM") == "Apple_Terminal"
    {
      return .logical
    }
    if isInside, let version = variables("VTE_VERSION").flatMap({ Int($0) }), version >= 5800 {
      return .logical
    }
    return type.contains("kitty") || has("KITTY_WINDOW_ID") ? .visualWords : .visual
  }

  /// Reads this process's environment, and adopts its character set.
  ///
  /// - Throws: if there is no terminal, or none that can show a screen.
  static func detect() throws(TerminalError) -> TerminalEnvironment {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .notATerminal }
    let type = variable("TERM") ?? ""
    guard type != "dumb" else { throw .incapableTerminal(type) }
    guard !type.isEmpty, cncurses_terminal_is_known(type, STDOUT_FILENO) else {
      throw .unknownTerminal(type)
    }
    guard cncurses_capability("cup") != nil, cncurses_capability("clear") != nil else {
      throw .incapableTerminal(type)
    }
    // Only the character set: libmpv requires "C" as LC_NUMERIC.
    _ = setlocale(LC_CTYPE, "")
    if ["LC_ALL", "LC_CTYPE", "LANG"].allSatisfy({ (variable($0) ?? "").isEmpty }) {
      // No locale is set, as in most containers. Current terminals use UTF-8; LC_ALL=C selects ASCII.
      _ = setlocale(LC_CTYPE, "C.UTF-8")
    }
    let codeset = cncurses_codeset().map { String(cString: $0) } ?? ""
    return TerminalEnvironment(type: type, variables: variable, codeset: codeset)
  }

  /// A Boolean value that indicates whether the terminal is tmux, which lets questions through to its own terminal.
  static var isTmux: Bool {
    !(variable("TMUX") ?? "").isEmpty && (variable("STY") ?? "").isEmpty
  }

  /// A Boolean value that indicates whether the terminal is at the other end of a network.
  static var isRemote: Bool {
    ["SSH_CONNECTION", "SSH_TTY"].contains { !(variable($0) ?? "").isEmpty }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
