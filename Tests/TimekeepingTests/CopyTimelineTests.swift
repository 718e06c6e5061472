import Foundation
import Testing

@testable import Timekeeping

@Suite("The times of another copy on the party's timeline")
struct CopyTimelineTests {
  private static func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }

  private static func piece(
    _ begin: Double, _ end: Double, _ offset: Double
  ) -> CopyTimeline.Piece {
    .init(begin: time(begin), end: time(end), offset: .seconds(offset))
  }

  /// A copy with an intro of 12 s, which lacks 100 to 140 s, and has 20 s more at 200 s.
  private static let cut = CopyTimeline(pieces: [
    piece(0, 100, 12), piece(140, 200, -28), piece(200, 300, -8),
  ])!

  @Test("A copy with an intro is later everywhere, also before the beginning and after the end")
  func offset() {
    let timeline = CopyTimeline(offset: .seconds(12.4))
    for party in [-1.0, 0, 50, 7200] {
      #expect(timeline.own(at: Self.time(party)) == Self.time(party + 12.4))
      #expect(timeline.party(at: Self.time(party + 12.4)) == Self.time(party))
    }
    #expect(timeline.gapEnd(at: .zero) == nil && timeline.offset == .seconds(12.4))
    #expect(!timeline.isSame && CopyTimeline(offset: .milliseconds(-39)).isSame)
    #expect(timeline.moved(by: .seconds(-0.4)) == CopyTimeline(offset: .seconds(12)))
  }

  @Test("Each piece has its own offset; what one copy lacks leads to what follows")
  func pieces() {
    for (party, own) in [(0, 12), (99, 111), (140, 112), (199, 171), (200, 192), (350, 342)] {
      #expect(Self.cut.own(at: Self.time(Double(party))) == Self.time(Double(own)))
      #expect(Self.cut.party(at: Self.time(Double(own))) == Self.time(Double(party)))
    }
    #expect(Self.cut.own(at: Self.time(120)) == Self.time(112))
    #expect(Self.cut.party(at: Self.time(180)) == Self.time(200))
  }

  @Test("A part that the own copy lacks ends where the copy goes on")
  func gaps() {
    #expect(Self.cut.gapEnd(at: Self.time(99.9)) == nil)
    #expect(Self.cut.gapEnd(at: Self.time(100)) == Self.time(140))
    #expect(Self.cut.gapEnd(at: Self.time(139)) == Self.time(140))
    #expect(Self.cut.gapEnd(at: Self.time(140)) == nil)
    let late = CopyTimeline(offset: .seconds(-7))
    #expect(late.gapEnd(at: Self.time(6)) == Self.time(7) && late.gapEnd(at: Self.time(7)) == nil)
  }

  @Test("Pieces that don't follow one another are refused, also from another program")
  func order() throws {
    #expect(CopyTimeline(pieces: []) == nil)
    #expect(CopyTimeline(pieces: [Self.piece(0, 10, 0), Self.piece(9, 20, 5)]) == nil)
    #expect(CopyTimeline(pieces: [Self.piece(0, 10, 0), Self.piece(10, 20, -5)]) == nil)
    #expect(CopyTimeline(pieces: [Self.piece(10, 5, 0)]) == nil)
    // A measured end may be a little late.
    #expect(CopyTimeline(pieces: [Self.piece(0, 10.0005, 0), Self.piece(10, 20, 5)]) != nil)
    let data = try JSONEncoder().encode(Self.cut)
    #expect(try JSONDecoder().decode(CopyTimeline.self, from: data) == Self.cut)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CopyTimeline.self, from: Data("[]".utf8))
    }
  }
}
