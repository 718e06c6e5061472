/// A line of text being typed: the text before the cursor and the text after it.
///
/// Moves and deletes by grapheme clusters, as people see characters. Control characters are rejected. Other characters
/// that a terminal shouldn't get are only removed for display, so that a pasted address or name stays complete.
package struct LineEditor: Hashable, Sendable {
  /// The greatest length in scalars, which also limits a single character with many marks.
  static let maximumLength = 2000

  /// The text before the cursor.
  package private(set) var before = ""
  /// The text after the cursor.
  package private(set) var after = ""
  /// The text that ctrl-u, ctrl-k or ctrl-w cut last, for ctrl-y.
  private var cut = ""

  /// Creates a line with this text, and the cursor at its end.
  package init(_ text: String = "") { insert(text) }

  /// The whole line.
  package var text: String { before + after }
  var isEmpty: Bool { before.isEmpty && after.isEmpty }

  /// Inserts `text` at the cursor, with blanks for line ends and tabs, as far as there is room.
  package mutating func insert(_ text: String) {
    let room = Self.maximumLength - before.unicodeScalars.count - after.unicodeScalars.count
    var taken = 0
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if taken >= room { break }
      defer { previous = scalar }
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        guard scalar == "\n" || scalar == "\r" || scalar == "\t" || scalar.value >= 0x2028 else {
          continue
        }
        if scalar == "\n", previous == "\r" { continue }
        before.unicodeScalars.append(" ")
      default:
        before.unicodeScalars.append(scalar)
      }
      taken += 1
    }
  }

  mutating func replace(with text: String) {
    before = ""
    after = ""
    insert(text)
  }

  /// Replaces the text before the cursor with `text`.
  mutating func replaceBefore(with text: some StringProtocol) {
    before = ""
    insert(String(text))
  }

  mutating func moveLeft() {
    if let last = before.popLast() { after.insert(last, at: after.startIndex) }
  }
  mutating func moveRight() { if !after.isEmpty { before.append(after.removeFirst()) } }

  mutating func moveToStart() {
    after = text
    before = ""
  }

  mutating func moveToEnd() {
    before = text
    after = ""
  }

  mutating func moveWordLeft() {
    while before.last?.isWhitespace == true { moveLeft() }
    while let last = before.last, !last.isWhitespace { moveLeft() }
  }

  mutating func moveWordRight() {
    while after.first?.isWhitespace == true { moveRight() }
    while let first = after.first, !first.isWhitespace { moveRight() }
  }

  mutating func deleteBackward() { _ = before.popLast() }
  mutating func deleteForward() { if !after.isEmpty { after.removeFirst() } }

  mutating func deleteWordBackward() {
    let whole = before
    while before.last?.isWhitespace == true { before.removeLast() }
    while let last = before.last, !last.isWhitespace { before.removeLast() }
    cut = String(whole.dropFirst(before.count))
  }

  mutating func deleteToStart() {
    cut = before
    before = ""
  }

  mutating func deleteToEnd() {
    cut = after
    after = ""
  }

  mutating func yank() { insert(cut) }

  /// Performs a key's function in a line editor, by the key's name in mpv's manual ("Key names"). Typed text is
  /// inserted with ``insert(_:)``.
  package mutating func press(mpvKey name: String) {
    if let key = KeyPress(mpvName: name) { _ = handle(key) }
  }

  /// Performs the function of `key` in a line editor.
  ///
  /// - Returns: false if the key has none.
  mutating func handle(_ key: KeyPress) -> Bool {
    switch (key.key, key.modifiers) {
    case (.character(let character), []), (.character(let character), .shift):
      insert(String(character))
    case (.left, []), (.character("b"), .control): moveLeft()
    case (.right, []), (.character("f"), .control): moveRight()
    case (.left, .control), (.left, .alt), (.character("b"), .alt): moveWordLeft()
    case (.right, .control), (.right, .alt), (.character("f"), .alt): moveWordRight()
    case (.home, []), (.character("a"), .control): moveToStart()
    case (.end, []), (.character("e"), .control): moveToEnd()
    case (.backspace, []): deleteBackward()
    case (.delete, []), (.character("d"), .control): deleteForward()
    case (.character("w"), .control), (.backspace, .alt): deleteWordBackward()
    case (.character("u"), .control): deleteToStart()
    case (.character("k"), .control): deleteToEnd()
    case (.character("y"), .control): yank()
    default: return false
    }
    return true
  }
}
