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
  fileprivate var isWordPart: Bool { isLetter || isNumber }
}
