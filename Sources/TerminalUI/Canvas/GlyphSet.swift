/// The frames and signs that views draw with: one set for terminals that show Unicode, one for the rest.
struct GlyphSet: Hashable, Sendable {
  var isUnicode: Bool
  /// The side that orders right-to-left letters: the terminal or Matinee.
  var order: TextOrder = .visual

  var frame: Frame
  var bar: Bar

  /// The lines of frames.
  struct Frame: Hashable, Sendable {
    var horizontal: Glyph
    var vertical: Glyph
    var topLeft: Glyph
    var topRight: Glyph
    var bottomLeft: Glyph
    var bottomRight: Glyph
    var teeLeft: Glyph
    var teeRight: Glyph
  }

  /// The parts of the transport bar.
  struct Bar: Hashable, Sendable {
    var played: Glyph
    var buffered: Glyph
    var missing: Glyph
    var playhead: Glyph
    var chapter: Glyph
  }

  /// The shade of a curve's range of uncertainty.
  var band: Glyph

  // States.
  var playing: Glyph
  var paused: Glyph
  var busy: Glyph
  var stopped: Glyph
  var ready: Glyph
  var preparing: Glyph
  var away: Glyph

  // In text.
  var ellipsis: Glyph
  var minus: Glyph
  var plusMinus: Glyph
  var times: Glyph
  var separator: Glyph
  var folder: Glyph
  var selection: Glyph
  var prompt: Glyph
  var up: Glyph
  var down: Glyph

  static let unicode = GlyphSet(
    isUnicode: true,
    frame: Frame(
      horizontal: "─", vertical: "│", topLeft: "╭", topRight: "╮", bottomLeft: "╰",
      bottomRight: "╯", teeLeft: "├", teeRight: "┤"),
    bar: Bar(played: "━", buffered: "╌", missing: "─", playhead: "●", chapter: "┿"), band: "░",
    playing: "▶", paused: "‖", busy: "◌", stopped: "■", ready: "●", preparing: "◐", away: "◌",
    ellipsis: "…", minus: "−", plusMinus: "±", times: "×", separator: "·", folder: "▸",
    selection: "›", prompt: "›", up: "↑", down: "↓")

  static let ascii = GlyphSet(
    isUnicode: false,
    frame: Frame(
      horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+",
      bottomRight: "+", teeLeft: "+", teeRight: "+"),
    bar: Bar(played: "=", buffered: "-", missing: ".", playhead: "O", chapter: "+"), band: "~",
    playing: ">", paused: "|", busy: "~", stopped: "#", ready: "*", preparing: "o", away: "-",
    ellipsis: "~", minus: "-", plusMinus: "~", times: "x", separator: "-", folder: "/",
    selection: ">", prompt: ">", up: "^", down: "v")

  /// Returns the replacement of a glyph that an ASCII terminal can't show: a similar sign, or question marks of its
  /// width.
  static func asciiReplacement(for glyph: Glyph) -> [Glyph] {
    let replacement: Character
    switch glyph.text {
    case "‘", "’", "‚", "′", "ʼ": replacement = "'"
    case "“", "”", "„", "″", "«", "»": replacement = "\""
    case "–", "—", "−", "‐", "‑", "‒": replacement = "-"
    case "·", "•": replacement = "-"
    case "…", "±": replacement = "~"
    case "×": replacement = "x"
    default: replacement = "?"
    }
    return Array(repeating: Glyph(symbol: replacement), count: glyph.width)
  }
}

extension Glyph: ExpressibleByExtendedGraphemeClusterLiteral {
  init(extendedGraphemeClusterLiteral value: Character) { self.init(symbol: value) }
}
