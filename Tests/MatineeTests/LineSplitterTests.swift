import FileNames
import Testing

@testable import Faces

@Suite("Lines of a script")
struct LineSplitterTests {
  @Test("Lines are the same however their bytes arrive")
  func pieces() {
    let text = "play\n\nchat é 🎬\nseek 5"
    let lines: [LineSplitter.Line] = [.text("play"), .text(""), .text("chat é 🎬")]
    for size in [1, 2, 3, 100] {
      var splitter = LineSplitter()
      var found: [LineSplitter.Line] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        found += splitter.append(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(found == lines)
      #expect(splitter.finish() == .text("seek 5") && splitter.finish() == nil)
    }
  }

  @Test("A name that isn't UTF-8 is kept, as its bytes and as it was listed")
  func names() {
    var splitter = LineSplitter()
    let name = FileName.text([0x63, 0xE9])
    #expect(splitter.append(Array("load c".utf8) + [0xE9, 10]) == [.text("load " + name)])
    #expect(splitter.append(Array("load \(name)\n".utf8)) == [.text("load " + name)])
  }

  @Test("A line without an end is dropped, with a report that it was too long")
  func endless() {
    var splitter = LineSplitter()
    let piece = [UInt8](repeating: 65, count: LineSplitter.limit)
    #expect(splitter.append(piece + [10]).map { $0 != .tooLong } == [true])
    for _ in 0..<20 { #expect(splitter.append(piece).isEmpty) }
    #expect(splitter.append(Array("\nplay\n".utf8)) == [.tooLong, .text("play")])
  }
}
