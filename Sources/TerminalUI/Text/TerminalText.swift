/// Text that is safe to show on a terminal, whoever wrote it.
///
/// Everything on the screen is made of it, and making it is what cleans it: control characters,
/// escape sequences, bidirectional overrides, invisible characters and towers of combining marks don't
/// survive, line ends become blanks, and each character's width is known. A name from a peer or a title
/// from a file therefore can't move the cursor, change a colour, or push a border out of its column.
public struct TerminalText: Hashable, Sendable {
  let glyphs: [Glyph]
  /// Columns.
  public let width: Int

  /// No text.
  public static let empty = TerminalText(glyphs: [])

  /// Cleans `text`.
  ///
  /// - Parameter maximumLength: at most so many glyphs are kept, of four times as many scalars; the
  ///   rest is dropped unseen, so that a huge text costs no more than a long one.
  public init(_ text: String, maximumLength: Int = 4096) {
    var glyphs: [Glyph] = []
    let bounded = String(text.unicodeScalars.prefix(maximumLength * 4))
    for cluster in bounded {
      glyphs += Glyph.glyphs(for: cluster)
      if glyphs.count >= maximumLength { break }
    }
    self.init(glyphs: Array(glyphs.prefix(maximumLength)))
  }

  init(glyphs: some Sequence<Glyph>) {
    self.glyphs = Array(glyphs)
    width = self.glyphs.reduce(0) { $0 + $1.width }
  }

  /// Nothing of it would show.
  public var isEmpty: Bool { glyphs.isEmpty }

  public static func + (a: TerminalText, b: TerminalText) -> TerminalText {
    TerminalText(glyphs: a.glyphs + b.glyphs)
  }
}

extension TerminalText: CustomStringConvertible {
  /// The cleaned text.
  public var description: String { glyphs.reduce(into: "") { $0 += $1.text } }
}

extension TerminalText: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
}
