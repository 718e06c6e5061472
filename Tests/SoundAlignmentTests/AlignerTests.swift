import Foundation
import SoundAlignment
import Testing

@Suite("Aligner")
struct AlignerTests {
  @Test("Copies of one film are aligned", arguments: CopyPair.encodings + CopyPair.cuts)
  func copies(pair: CopyPair) throws { try check(pair) }

  @Test("Another rate is found", arguments: CopyPair.rates)
  func rates(pair: CopyPair) throws { try check(pair) }

  @Test("Another language and repeated music don't prevent it", arguments: CopyPair.difficult)
  func difficult(pair: CopyPair) throws { try check(pair) }

  @Test("Other films and sound without places are refused", arguments: CopyPair.others)
  func others(pair: CopyPair) throws { try check(pair) }

  private func check(_ pair: CopyPair) throws {
    let outcome = try pair.align()
    switch (pair.expectation, outcome) {
    case (.aligned(let parts, let scale, let limit), .aligned(let alignment)):
      let errors = CopyPair.errors(alignment, parts, scale: scale)
      #expect(errors.position <= limit, "\(errors) \(alignment)")
      #expect(errors.cut <= 0.3, "\(errors) \(alignment)")
    case (.refused, .refused): break
    case (.aligned, .refused), (.refused, .aligned):
      Issue.record("\(outcome)")
    }
  }
}
