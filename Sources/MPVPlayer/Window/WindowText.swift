/// Text over the picture in mpv's window: messages and actions, the participants that the group waits for, and the line
/// being typed.
package struct WindowText: Hashable, Sendable {
  /// A line of text, for example a message.
  package struct Line: Hashable, Sendable {
    /// The author's name at the beginning of the line, in the author's colour.
    package var author: String
    /// 0xRRGGBB
    package var color: UInt32
    /// The line's text. Control sequences of subtitles in it have no effect.
    package var text: String
    /// The opacity, 0 to 1.
    package var opacity: Double

    package init(author: String = "", color: UInt32 = 0xFFFFFF, text: String, opacity: Double = 1) {
      self.author = author
      self.color = color
      self.text = text
      self.opacity = opacity
    }
  }

  /// A sign that rises over the picture.
  package struct Sign: Hashable, Sendable {
    /// The sign's shape.
    package var shape: SignShape
    /// The name that is written beside the sign.
    package var author: String
    /// 0xRRGGBB
    package var color: UInt32
    /// The horizontal position, from 0 at the left to 1 at the right.
    package var column: Double
    /// The vertical position, from 0 at the bottom to 1 at the top.
    package var height: Double

    package init(
      shape: SignShape, author: String, color: UInt32, column: Double, height: Double
    ) {
      self.shape = shape
      self.author = author
      self.color = color
      self.column = column
      self.height = height
    }
  }

  /// The line being typed: the text before and after its cursor.
  package struct Input: Hashable, Sendable {
    /// The text before the line, such as a prompt.
    package var label: String
    /// The typed text before the cursor.
    package var before: String
    /// The typed text after the cursor.
    package var after: String

    package init(label: String, before: String, after: String) {
      self.label = label
      self.before = before
      self.after = after
    }
  }

  /// The lines, the oldest first.
  package var lines: [Line] = []
  /// The signs that are rising now.
  package var signs: [Sign] = []
  /// The notice at the top, which says what the group waits for.
  package var notice: String?
  /// The line being typed; nil while nothing is typed.
  package var input: Input?

  package init() {}
}

extension WindowText {
  /// The height of the layout; the window's height is a multiple of it.
  static let height = 720.0

  /// Returns the text as events of Advanced SubStation Alpha, one per line, in a picture of ``height`` lines.
  ///
  /// - Parameters:
  ///   - window: the window's shape; smaller windows show fewer lines in larger letters.
  ///   - clearsSubtitles: whether to leave room below for two lines of subtitles, which mpv draws.
  func events(in window: WindowShape, clearsSubtitles: Bool = false) -> String {
    guard window.width > 0, window.height > 0 else { return "" }
    let width = Self.height * window.width / window.height
    // A letter smaller than fourteen pixels is hard to read.
    let size = max(30, (14 * Self.height / window.height).rounded())
    let edge = size
    let base = "\\bord\((size / 16).rounded())\\shad0\\3c&H000000&\\fs\(Int(size))\\b0\\i0"
    var events: [String] = []
    if let notice {
      events.append(
        "{\\an8\\pos(\(Int(width / 2)),\(Int(edge)))\(base)\\1c&HFFFFFF&}" + Self.escaped(notice))
    }
    let shown = lines.suffix(max(1, min(6, Int(Self.height * 0.4 / size))))
    var block = shown.map { line in
      let alpha = Self.hex(UInt32(((1 - min(max(0, line.opacity), 1)) * 255).rounded()))
      let fade = "\\1a&H\(alpha)&\\3a&H\(alpha)&"
      let author =
        line.author.isEmpty
        ? "" : "{\(fade)\\1c&H\(Self.color(line.color))&}\(Self.escaped(line.author)) "
      return author + "{\(fade)\\1c&HFFFFFF&}" + Self.escaped(line.text)
    }
    if let input {
      block.append(
        "{\\1a&H00&\\3a&H00&\\1c&HFFFFFF&}\(Self.escaped(input.label)) "
          + "\(Self.escaped(input.before)){\\1c&H00D7FF&}▏{\\1c&HFFFFFF&}\(Self.escaped(input.after))"
      )
    }
    if !block.isEmpty {
      // Above mpv's controller: always in the same position, with or without messages.
      let bottom = Int(Self.height - max(edge, clearsSubtitles ? 150 : 100))
      events.append(
        "{\\an1\\pos(\(Int(edge)),\(bottom))\\q0\(base)}" + block.joined(separator: "\\N"))
    }
    for sign in signs { events += self.events(sign, size: 2 * size, width: width, base: base) }
    return events.joined(separator: "\n")
  }

  private func events(_ sign: Sign, size: Double, width: Double, base: String) -> [String] {
    let column = width * (0.55 + 0.38 * min(max(0, sign.column), 1))
    let row = Self.height * (0.8 - 0.65 * min(max(0, sign.height), 1))
    // The sign fades in the last third of its way.
    let fade = UInt32((max(0, sign.height - 2 / 3) * 3 * 255).rounded())
    let alpha = Self.hex(min(255, fade))
    let fading = "\\1a&H\(alpha)&\\3a&H\(alpha)&"
    let scale = "\\fscx\(Int(size))\\fscy\(Int(size))"
    let shapes = sign.shape.layers.map { layer in
      "{\\an7\\pos(\(Int(column)),\(Int(row)))\\shad0\\bord0\\1c&H\(Self.color(layer.color))&"
        + "\(fading)\(scale)\\p1}\(layer.path){\\p0}"
    }
    let name =
      "{\\an4\\pos(\(Int(column + size * 1.15)),\(Int(row + size / 2)))\(base)"
      + "\(fading)\\1c&H\(Self.color(sign.color))&}" + Self.escaped(sign.author)
    return shapes + [name]
  }

  /// Returns a text that can't begin a tag: an invisible joiner follows each backslash, and braces become letters.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\\u{2060}"
      case "{": result += "\\{"
      case "}": result += "\\}"
      case "\n", "\r", "\r\n": result += " "
      default: result.append(character)
      }
    }
    return result
  }

  /// Returns a colour in ASS's order: blue first.
  private static func color(_ color: UInt32) -> String {
    hex(color & 255) + hex(color >> 8 & 255) + hex(color >> 16 & 255)
  }

  private static func hex(_ byte: UInt32) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return text.count < 2 ? "0" + text : text
  }
}
