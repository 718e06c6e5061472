import CNCurses

/// The colours of the roles, readable on dark and on light backgrounds.
///
/// With 256 colours they are of medium lightness, about as far from black as from white. With fewer they are the
/// terminal's own, which its user has chosen to suit the background. The background changes only if the theme has one.
struct Palette {
  private static let roles: [ColorRole] =
    [.plain, .quiet, .accent, .good, .caution, .trouble, .letterbox, .code]
    + (0..<Style.personColors).map { .person($0) }
    + Style.subtitleColors.map { .subtitle($0) }

  /// The number of each role's colour pair; empty without colour.
  private var pairs: [ColorRole: CShort] = [:]
  private var hasQuietColor = false
  /// A Boolean value that indicates whether a code for cameras, whose letters are its dark parts, is reversed: without
  /// colours, and unless the background is known to be light.
  private var isReversedForCode = true
  /// A Boolean value that indicates whether the background is light, and the terminal has few colours for it.
  private var isOnLight = false
  var hasColors: Bool { !pairs.isEmpty }
  private var looks: [ColorRole: Theme.Look] = [:]

  /// Creates a palette without colours: only a theme's attributes.
  ///
  /// - Parameter onLight: whether the terminal's background is light.
  init(theme: Theme, onLight: Bool = false) {
    looks = theme.looks
    isReversedForCode = !onLight
  }

  /// Sets up the colours on the screen that ncurses has begun.
  ///
  /// - Parameter onLight: whether the terminal's background is light.
  init(colors: CInt, theme: Theme, onLight: Bool = false) {
    self.init(theme: theme)
    isOnLight = onLight && colors < 256
    guard colors >= 8 else { return }
    let hasDefaults = use_default_colors() == OK
    let own: CShort = hasDefaults ? -1 : 0
    // The palette's colours from 16 on need a terminal that has them.
    func usable(_ color: Int?) -> CShort? { color.flatMap { $0 < colors ? CShort($0) : nil } }
    let background = usable(theme.background)
    for (index, role) in Self.roles.enumerated() {
      if role == .code || Style(role: role).isLetterbox {
        let (white, black): (CShort, CShort) = colors >= 256 ? (231, 16) : (7, 0)
        let text = Self.color(role, colors: colors) ?? white
        let (front, back) = role == .code ? (black, white) : (text, black)
        if init_pair(CShort(index + 1), front, back) == OK { pairs[role] = CShort(index + 1) }
        continue
      }
      let look = theme.looks[role]
      let isOwn = look != nil && look?.color == nil
      let color =
        isOwn ? nil : usable(look?.color) ?? Self.color(role, colors: colors, onLight: isOnLight)
      // Pair 0 can't be changed.
      guard color != nil || background != nil else { continue }
      let foreground = color ?? (hasDefaults ? -1 : 7)
      guard init_pair(CShort(index + 1), foreground, background ?? own) == OK else { continue }
      pairs[role] = CShort(index + 1)
    }
    hasQuietColor = pairs[.quiet] != nil || looks[.quiet] != nil
  }

  func pair(_ style: Style) -> CShort { pairs[style.role] ?? 0 }

  func attributes(_ style: Style) -> attr_t {
    var result = cncurses_normal()
    let given = style.attributes.union(looks[style.role]?.attributes ?? [])
    if given.contains(.bold) || (isOnLight && style.role == .accent) { result |= cncurses_bold() }
    if given.contains(.reverse) || (style.role == .code && !hasColors && isReversedForCode) {
      result |= cncurses_reverse()
    }
    if given.contains(.underline) { result |= cncurses_underline() }
    if given.contains(.italic) { result |= cncurses_italic() }
    if given.contains(.dim) || (style.role == .quiet && !hasQuietColor) {
      result |= cncurses_dim()
    }
    return result
  }

  /// Returns the bytes that set a style, for cells that bypass ncurses (`SGR` of ECMA-48).
  func sequence(_ style: Style) -> [UInt8] {
    let given = attributes(style)
    let known: [(attr_t, Int)] = [
      (cncurses_bold(), 1), (cncurses_dim(), 2), (cncurses_italic(), 3), (cncurses_underline(), 4),
      (cncurses_reverse(), 7),
    ]
    let codes = known.filter { given & $0.0 != 0 }.map { ";\($0.1)" }.joined()
    var result = Array("\u{1B}[0\(codes)m".utf8)
    var (foreground, background): (CShort, CShort) = (-1, -1)
    guard pair(style) > 0, pair_content(pair(style), &foreground, &background) == OK else {
      return result
    }
    for (name, color) in [("setaf", foreground), ("setab", background)] where color >= 0 {
      result +=
        cncurses_color_sequence(name, CInt(color))
        .map { TerminalModes.withoutPadding(String(cString: $0)) } ?? []
    }
    return result
  }

  /// Returns a role's colour; nil if an attribute is better.
  static func color(_ role: ColorRole, colors: CInt, onLight: Bool = false) -> CShort? {
    if colors >= 256 {
      switch role {
      case .plain: return nil
      case .quiet: return 244
      case .accent: return 32
      case .good: return CShort(Theme.good)
      case .caution: return CShort(Theme.caution)
      case .trouble: return CShort(Theme.trouble)
      case .letterbox, .code: return nil
      case .person(let index): return Int16(Theme.personColors[index % Theme.personColors.count])
      case .subtitle(let index): return [231, 203, 83, 227, 111, 213, 87][index % 7]
      }
    }
    // Cyan and yellow can't be read on white.
    if onLight {
      switch role {
      case .accent: return 4
      case .caution: return 5
      case .person(let index): return [4, 5, nil][index % 3]
      case .plain, .quiet, .good, .trouble, .letterbox, .subtitle, .code: break
      }
    }
    switch role {
    case .plain: return nil
    // Bright black, if there is one, is grey.
    case .quiet: return colors >= 16 ? 8 : nil
    case .accent: return 6
    case .good: return 2
    case .caution: return 3
    case .trouble: return 1
    case .letterbox, .code: return nil
    case .subtitle(let index): return CShort(index % 8)
    // Green, yellow and red have meanings. Plain blue can't be read on black; its bright form is readable on black and
    // white.
    case .person(let index):
      let few: [CShort?] = colors >= 16 ? [6, 5, 12, 14, 13, nil] : [6, 5, nil]
      return few[index % few.count]
    }
  }
}
