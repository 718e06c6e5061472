/// Text that is safe to show on a terminal, whatever its source.
///
/// The whole screen is made of such text, and its initializer cleans it: control characters, escape sequences,
/// bidirectional overrides, invisible characters and excessive combining marks are removed, line ends become blanks,
/// and each character's width is known. Therefore a name from a peer or a title from a file can't move the cursor,
/// change a colour, or push a border out of its column.
package struct TerminalText: Hashable, Sendable {
  let glyphs: [Glyph]
  /// The width in columns.
  package let width: Int
  /// The direction of the first letter; from left to right for a sentence of both directions. Part of a text has the
  /// direction of the whole. Nil without letters.
  let direction: TextDirection?
  /// A Boolean value that indicates whether any part is written from right to left.
  let hasRightToLeft: Bool

  /// The empty text.
  package static let empty = TerminalText(glyphs: [])

  /// Cleans `text`.
  ///
  /// - Parameters:
  ///   - text: any text, also of other people.
  ///   - maximumLength: the greatest number of glyphs that are kept, of at most four times as many scalars. The rest
  ///     isn't read, so that a huge text costs no more than a long one.
  package init(_ text: String, maximumLength: Int = 4096) {
    var glyphs: [Glyph] = []
    let bounded = String(text.unicodeScalars.prefix(maximumLength * 4))
    for cluster in bounded {
      glyphs += Glyph.glyphs(for: cluster)
      if glyphs.count >= maximumLength { break }
    }
    self.init(glyphs: Array(glyphs.prefix(maximumLength)))
  }

  /// Creates a text from glyphs.
  ///
  /// - Parameter direction: the direction of the whole text that this is a part of; nil uses the first letter's.
  init(glyphs: some Sequence<Glyph>, direction: TextDirection? = nil) {
    self.glyphs = Array(glyphs)
    width = self.glyphs.reduce(0) { $0 + $1.width }
    hasRightToLeft = self.glyphs.contains { $0.direction == .rightToLeft }
    self.direction = direction ?? self.glyphs.lazy.compactMap(\.direction).first
  }

  /// The same text as a line that is written from left to right, as Matinee's own sentences are, whatever name they
  /// begin with.
  var asLeftToRight: TerminalText { TerminalText(glyphs: glyphs, direction: .leftToRight) }

  /// A Boolean value that indicates whether the text shows nothing.
  package var isEmpty: Bool { glyphs.isEmpty }

  /// Returns the second text after the first.
  package static func + (a: TerminalText, b: TerminalText) -> TerminalText {
    let isMixed = a.direction != nil && b.direction != nil && a.direction != b.direction
    return TerminalText(
      glyphs: a.glyphs + b.glyphs, direction: isMixed ? .leftToRight : a.direction ?? b.direction)
  }
}

extension TerminalText: CustomStringConvertible {
  /// The cleaned text.
  package var description: String { glyphs.reduce(into: "") { $0 += $1.text } }
}

extension TerminalText: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self.init(value) }

  package init(stringInterpolation: Interpolation) { self = stringInterpolation.text }

  /// Builds a sentence from Matinee's text and other people's. With both directions in it, it is written from left to
  /// right.
  package struct Interpolation: StringInterpolationProtocol {
    var text = TerminalText.empty

    package init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds a part of the literal.
    package mutating func appendLiteral(_ literal: String) { text = text + TerminalText(literal) }

    /// Adds a text unchanged.
    package mutating func appendInterpolation(_ value: TerminalText) { text = text + value }

    /// Adds a value's description, cleaned.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text = text + TerminalText(value.description)
    }
  }
}

/// A line of one of the user's files that can't be used.
package struct LineProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line's number, from 1.
  package var line: Int
  /// The mistake, and a correct form of the line.
  package var reason: String

  package var description: String { "line \(line): \(reason)" }
}

/// Finds a participant's name in a line, as a separate word.
enum Mention {
  static func isFound(of name: TerminalText, in text: TerminalText) -> Bool {
    let name = Array(name.description.lowercased())
    let text = Array(text.description.lowercased())
    guard !name.isEmpty, text.count >= name.count else { return false }
    return (0...text.count - name.count).contains { start in
      let end = start + name.count
      return text[start..<end].elementsEqual(name)
        && (start == 0 || !text[start - 1].isWordPart)
        && (end == text.count || !text[end].isWordPart)
    }
  }
}

extension Character {
  var isWordPart: Bool { isLetter || isNumber }
}
