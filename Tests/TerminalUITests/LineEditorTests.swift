import Testing

@testable import TerminalUI

@Suite("The line editor")
struct LineEditorTests {
  private func edit(_ text: String = "", _ keys: String...) -> LineEditor {
    var editor = LineEditor(text)
    for name in keys {
      guard let key = KeyPress(mpvName: name) else {
        Issue.record("no key \(name)")
        continue
      }
      #expect(editor.handle(key) == true, "\(name)")
    }
    return editor
  }

  @Test("Characters are inserted at the cursor")
  func inserts() {
    #expect(edit("ac", "LEFT", "b").text == "abc")
    #expect(edit("bc", "HOME", "a").before == "a")
    #expect(edit("abc", "HOME", "RIGHT", "x", "END", "!").text == "axbc!")
    #expect(edit("abc", "ctrl+a", "ctrl+f", "ctrl+b", "ctrl+e", "d").text == "abcd")
    #expect(edit("", "RIGHT", "LEFT", "BS", "DEL", "ctrl+w").text == "")
  }

  @Test("Moving and deleting affect whole visible characters")
  func clusters() {
    #expect(edit("a👩‍👩‍👧‍👦", "BS").text == "a")
    #expect(edit("e\u{301}x", "LEFT", "BS").text == "x")
    #expect(edit("日本", "LEFT", "x").text == "日x本")
    #expect(edit("日本", "HOME", "DEL").text == "本")
  }

  @Test("Words and line halves are cut, and pasted again")
  func cuts() {
    #expect(edit("one two  three ", "ctrl+w").text == "one two  ")
    #expect(edit("one two", "ctrl+LEFT", "ctrl+u").text == "two")
    #expect(edit("one two", "alt+b", "alt+b", "alt+f", "ctrl+k").text == "one")
    #expect(edit("one two", "ctrl+w", "HOME", "ctrl+y").text == "twoone ")
  }

  @Test("A combining mark typed after its letter joins it")
  func combining() {
    var editor = LineEditor("e")
    editor.insert("\u{301}")
    #expect(editor.text.count == 1)
    editor.deleteBackward()
    #expect(editor.isEmpty)
  }

  @Test("Pasted text becomes one line of limited length without control characters")
  func pastes() {
    var editor = LineEditor()
    editor.insert("a\r\nb\tc\u{1B}[31m\u{0}\u{85}")
    #expect(editor.text == "a b c[31m")
    editor.insert(String(repeating: "x", count: 10_000))
    #expect(editor.text.unicodeScalars.count == LineEditor.maximumLength)
    editor.insert("y")
    #expect(editor.text.unicodeScalars.count == LineEditor.maximumLength)
  }

  @Test("Keys without a meaning here are left to other handlers")
  func unhandled() {
    var editor = LineEditor("x")
    #expect(editor.handle(KeyPress(.enter)) == false)
    #expect(editor.handle(KeyPress(.function(5))) == false)
    #expect(editor.handle(KeyPress(.character("q"), .control)) == false)
    #expect(editor.text == "x")
  }

  @Test("History moves back and forth and keeps the begun line")
  func history() {
    var history = LineHistory()
    #expect(history.older(than: "x") == nil)
    history.add("one")
    history.add("two")
    history.add("two")
    #expect(history.older(than: "draft") == "two")
    #expect(history.older(than: "two") == "one")
    #expect(history.older(than: "one") == nil)
    #expect(history.newer() == "two")
    #expect(history.newer() == "draft")
    #expect(history.newer() == nil)
    for number in 0..<500 { history.add("line \(number)") }
    var count = 0
    while history.older(than: "") != nil { count += 1 }
    #expect(count == LineHistory.maximumCount)
  }
}
