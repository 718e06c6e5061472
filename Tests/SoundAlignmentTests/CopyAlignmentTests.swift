import Foundation
import SoundAlignment
import Testing
import Timekeeping

@Suite("CopyAlignment")
struct CopyAlignmentTests {
  private static func piece(_ start: Double, _ end: Double, _ offset: Double)
    -> CopyTimeline.Piece
  {
    CopyTimeline.Piece(
      begin: MediaTime(seconds: start), end: MediaTime(seconds: end), offset: .seconds(offset))
  }

  /// The own copy has an intro of 10 s, lacks 100 s to 140 s, and has 20 s more at 200 s.
  private static let pieces = [piece(0, 100, 10), piece(140, 200, -30), piece(200, 300, -10)]
  private let alignment: CopyAlignment

  init() throws {
    alignment = try #require(CopyAlignment(pieces: Self.pieces, scale: 1, agreement: 0.9))
  }

  private func own(_ party: Double) -> Double? {
    alignment.own(at: MediaTime(seconds: party))?.seconds
  }

  @Test("A position of the party has one in the own copy, except in parts that this lacks")
  func owns() {
    #expect(own(0) == 10)
    #expect(own(99.5) == 109.5)
    #expect(own(120) == nil)
    #expect(own(140) == 110)
    #expect(own(200) == 190)
    #expect(own(300) == nil)
  }

  @Test("Another rate moves the positions", arguments: [1, 24.0 / 25, 1.001])
  func rates(scale: Double) throws {
    let alignment = try #require(
      CopyAlignment(pieces: [Self.piece(3, 7000, 12.4)], scale: scale, agreement: 1))
    for second in stride(from: 3.5, to: 7000, by: 101) {
      let own = try #require(alignment.own(at: MediaTime(seconds: second)))
      #expect(abs(own.seconds - (second * scale + 12.4)) < 1e-6)
    }
  }

  @Test("Pieces that are out of order are refused")
  func disorder() {
    let wrong = [
      [], [Self.piece(5, 5, 0)], [Self.piece(0, 10, -3)],
      [Self.piece(0, 10, 0), Self.piece(9, 20, 5)],
      // The own copy would run backwards.
      [Self.piece(0, 10, 0), Self.piece(11, 20, -5)],
    ]
    for pieces in wrong {
      #expect(CopyAlignment(pieces: pieces, scale: 1, agreement: 1) == nil)
    }
    #expect(CopyAlignment(pieces: Self.pieces, scale: .nan, agreement: 1) == nil)
    #expect(CopyAlignment(pieces: Self.pieces, scale: 1, agreement: 2) == nil)
  }
}
