/// Reads subtitles with the override tags of Advanced SubStation Alpha, as far as cells can show them: colours, weight,
/// slant, and the place at the top, in the middle or at the bottom. mpv gives subtitles of other formats in the same form.
struct SubtitleMarkup {
  private(set) var lines: [Subtitles.Line] = []
  private var glyphs: [Glyph] = []
  private var look = Glyph.Look()
  /// A Boolean value that indicates whether the text is a drawing made of lines, which cells don't show.
  private var isDrawing = false

  /// The most events that are read, also of those that show nothing.
  private static let eventLimit = 256

  /// - Parameter text: events, each on a line of its own.
  init(_ text: String) {
    for event in text.split(whereSeparator: \.isNewline).prefix(Self.eventLimit) {
      guard lines.count < Subtitles.maximumLines else { break }
      read(event)
    }
  }

  private mutating func read(_ event: Substring) {
    (look, isDrawing) = (Glyph.Look(), false)
    let first = lines.count
    var place = Subtitles.Place.bottom
    // Braces that are never closed aren't looked for again and again.
    let lastEnd = event.lastIndex(of: "}")
    var rest = event
    while let character = rest.popFirst() {
      if character == "{", let lastEnd, rest.startIndex <= lastEnd,
        let end = rest.firstIndex(of: "}")
      {
        for tag in rest[..<end].split(separator: "\\") {
          place = Self.place(tag) ?? place; take(tag)
        }
        rest = rest[rest.index(after: end)...]
      } else if character == "\\", let next = rest.first, let replaced = Self.escapes[next] {
        rest.removeFirst()
        if replaced == "\n" { endLine() } else { add(replaced) }
      } else if !isDrawing {
        let end = rest.firstIndex { $0 == "{" || $0 == "\\" } ?? rest.endIndex
        add(String(character) + rest[..<end])
        rest = rest[end...]
      }
    }
    endLine()
    for index in lines.indices[first...] { lines[index].place = place }
  }

  private static let escapes: [Character: String] = [
    "N": "\n", "n": "\n", "h": " ", "{": "{", "}": "}",
  ]

  private mutating func add(_ text: String) {
    let room = Subtitles.maximumLineLength - glyphs.count
    guard room > 0 else { return }
    // A line is cut and wrapped at plain blanks.
    glyphs += TerminalText(text, maximumLength: room).glyphs
      .map { $0 == .space ? $0 : $0.with(look) }
  }

  private mutating func endLine() {
    let text = TerminalText(glyphs: glyphs.drop { $0 == .space }).trimmed
    glyphs = []
    guard !text.isEmpty, lines.count < Subtitles.maximumLines else { return }
    lines.append(Subtitles.Line(text: text))
  }

  // MARK: - Tags

  private static func place(_ tag: Substring) -> Subtitles.Place? {
    if tag.hasPrefix("an"), let number = Int(tag.dropFirst(2)) {
      return [1...3: .bottom, 4...6: .middle, 7...9: .top].first { $0.key ~= number }?.value
    }
    // The older form of the same.
    guard tag.hasPrefix("a"), let number = Int(tag.dropFirst()) else { return nil }
    return [1...3: .bottom, 5...7: .top, 9...11: .middle].first { $0.key ~= number }?.value
  }

  private mutating func take(_ tag: Substring) {
    let name = tag.first == "1" ? tag.dropFirst() : tag
    if tag.hasPrefix("r") {
      look = Glyph.Look()
    } else if name.hasPrefix("c"), !name.hasPrefix("clip") {
      look.color = Self.color(name.dropFirst())
    } else if let value = Int(tag.dropFirst()) {
      switch tag.first {
      case "b": look.isBold = value != 0
      case "i": look.isItalic = value != 0
      case "u": look.isUnderlined = value != 0
      case "p": isDrawing = value > 0
      case .some, .none: break
      }
    }
  }

  /// Returns the terminal's colour that is nearest to one in the form `&HBBGGRR&`: red 1, green 2, blue 4 and their sums. Nil
  /// is the usual white, also for greys.
  private static func color(_ text: Substring) -> Int? {
    let digits = text.drop { $0 == "&" || $0 == "H" }.prefix { $0.isHexDigit }
    guard let value = UInt32(digits.suffix(6), radix: 16) else { return nil }
    let channels = [value & 255, value >> 8 & 255, value >> 16 & 255]
    guard let most = channels.max(), let least = channels.min(), most - least > 48 else {
      return nil
    }
    return channels.enumerated().reduce(0) { sum, channel in
      channel.element > (most + least) / 2 ? sum + 1 << channel.offset : sum
    }
  }
}
