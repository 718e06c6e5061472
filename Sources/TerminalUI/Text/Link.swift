/// A web address in a text, which the terminal can open.
///
/// A link leads to exactly the address that the text shows, so that no participant can hide another one behind it.
struct Link: Hashable, Sendable {
  /// The greatest number of bytes in an address: VTE's limit is 2083.
  static let maximumLength = 2000

  /// An address of `http` or `https`, in visible ASCII characters.
  let address: String

  /// Returns the address in a word of ``isPart(_:)``'s characters; nil without one.
  fileprivate static func address(in word: String) -> Substring? {
    guard let mark = word.firstRange(of: "://") else { return nil }
    let scheme = String(word[..<mark.lowerBound].reversed().prefix { $0.isLetter }.reversed())
    guard ["http", "https"].contains(scheme.lowercased()),
      word[mark.upperBound...].first.map({ $0.isLetter || $0.isNumber || $0 == "[" }) == true
    else { return nil }
    var address = word[word.index(mark.lowerBound, offsetBy: -scheme.count)...]
    // The sentence's punctuation, and the bracket that closes one before the address.
    while let last = address.last,
      ".,:;!?'".contains(last) || (last == ")" && !address.contains("("))
        || (last == "]" && !address.contains("["))
    {
      address.removeLast()
    }
    return address.utf8.count <= maximumLength ? address : nil
  }

  /// Returns whether an address may contain the glyph: one of the characters of RFC 3986.
  fileprivate static func isPart(_ glyph: Glyph) -> Bool {
    guard glyph.text.utf8.count == 1, let character = glyph.text.first else { return false }
    return character.isLetter || character.isNumber || "-._~:/?#[]@!$&'()*+,;=%".contains(character)
  }
}

extension TerminalText {
  /// The text with its web addresses as links.
  ///
  /// An address that is joined to letters of another script is none: it would lead elsewhere than it seems to.
  var withLinks: TerminalText {
    var linked = glyphs
    var end = 0
    while let start = glyphs[end...].firstIndex(where: Link.isPart) {
      end = glyphs[start...].firstIndex { !Link.isPart($0) } ?? glyphs.endIndex
      let neighbors = [start - 1, end].filter(glyphs.indices.contains)
      guard !neighbors.contains(where: { glyphs[$0].text.first?.isWordPart == true }) else {
        continue
      }
      let word = glyphs[start..<end].reduce(into: "") { $0 += $1.text }
      guard let address = Link.address(in: word) else { continue }
      // Each glyph of the word is one byte.
      let first = start + word.utf8.distance(from: word.startIndex, to: address.startIndex)
      for index in first..<first + address.utf8.count {
        linked[index].link = Link(address: String(address))
      }
    }
    return TerminalText(glyphs: linked, direction: direction)
  }
}
