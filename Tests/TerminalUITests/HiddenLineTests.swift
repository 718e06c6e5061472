import Testing

@testable import TerminalUI

/// The bytes of a line that is typed or pasted at a prompt.
@Suite("A hidden line")
struct HiddenLineTests {
  private struct Typed: Hashable {
    var text: String
    var outcome: PartialLine.Outcome
  }

  private func line(_ bytes: String) -> Typed {
    var line = PartialLine()
    var outcome = PartialLine.Outcome.more
    for byte in bytes.utf8 where outcome == .more { outcome = line.append(byte) }
    return Typed(text: line.text, outcome: outcome)
  }

  @Test("The enter key completes a line, ctrl-c and ctrl-d end it")
  func ends() {
    #expect(line("matinee://\r") == Typed(text: "matinee://", outcome: .complete))
    #expect(line("a\nb") == Typed(text: "a", outcome: .complete))
    #expect(line("a\u{3}").outcome == .interrupt)
    #expect(line("\u{4}").outcome == .end)
    #expect(line("a\u{4}") == Typed(text: "a", outcome: .more))
  }

  @Test("Characters are erased whole, and the marks of a paste and other keys are skipped")
  func editing() {
    #expect(line("aé\u{7F}b\u{8}c").text == "ac")
    #expect(line("abc\u{15}d").text == "d")
    #expect(line("\u{1B}[200~abc\u{1B}[201~\u{1B}[D").text == "abc")
    #expect(line(String(repeating: "a", count: 10_000)).text.count == 4096)
  }
}
