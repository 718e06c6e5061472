import Timekeeping

/// The positions of a party's film in another copy of it, which may lack parts of the film or have more.
package struct CopyAlignment: Hashable, Sendable {
  /// The parts that both copies have, in the order of both; never empty. The offset is the difference of the own copy's
  /// position from the party's position times ``scale``.
  package let pieces: [CopyTimeline.Piece]
  /// The factor by which the own copy is longer, except for whole parts: 1 for a copy of the same rate, 24/25 for one that
  /// shows 25 pictures of 24 in the party's copy.
  package let scale: Double
  /// The part of the party's audible sound that agrees with the own copy's, from 0 to 1. Another language lowers it.
  package let agreement: Double

  /// - Returns: nil for pieces that are out of order on either timeline, and for numbers out of range.
  package init?(pieces: [CopyTimeline.Piece], scale: Double, agreement: Double) {
    guard !pieces.isEmpty, (0.5...2).contains(scale), (0...1).contains(agreement) else {
      return nil
    }
    (self.pieces, self.scale, self.agreement) = (pieces, scale, agreement)
    for (index, piece) in pieces.enumerated() {
      guard piece.begin < piece.end, own(piece.begin, in: piece) >= .zero - .milliseconds(1) else {
        return nil
      }
      guard index > 0 else { continue }
      let last = pieces[index - 1]
      guard last.end <= piece.begin,
        own(last.end, in: last) <= own(piece.begin, in: piece) + .milliseconds(1)
      else { return nil }
    }
  }

  /// Returns the own copy's position at one of the party; nil where the own copy lacks the film.
  package func own(at party: MediaTime) -> MediaTime? {
    pieces.first { ($0.begin..<$0.end).contains(party) }.map { own(party, in: $0) }
  }

  private func own(_ party: MediaTime, in piece: CopyTimeline.Piece) -> MediaTime {
    .zero + (party - .zero) * scale + piece.offset
  }
}
