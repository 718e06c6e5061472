/// The times of one copy of a film on the timeline of another, the party's: one piece after another, each at a constant
/// offset. Between two pieces one copy has what the other lacks.
package struct CopyTimeline: Hashable, Sendable {
  /// A part of the film that both copies have.
  package struct Piece: Hashable, Sendable, Codable {
    /// The party's times at which it begins and ends.
    package var begin: MediaTime
    package var end: MediaTime
    /// The own copy's times less the party's.
    package var offset: Duration

    package init(begin: MediaTime, end: MediaTime, offset: Duration) {
      (self.begin, self.end, self.offset) = (begin, end, offset)
    }

    fileprivate var ownBegin: MediaTime { begin + offset }
    fileprivate var ownEnd: MediaTime { end + offset }
  }

  /// In the order of both copies, without overlaps. The first one also counts before its begin, and the last one after
  /// its end.
  package let pieces: [Piece]

  /// A film without cuts.
  package init(offset: Duration) {
    pieces = [Piece(begin: .zero, end: .zero, offset: offset)]
  }

  /// - Returns: nil unless the pieces follow one another in both copies. The end of one may be up to 1 ms too late.
  package init?(pieces: [Piece]) {
    var pieces = pieces
    for (index, next) in pieces.enumerated().dropFirst() {
      let latest = min(next.begin, next.ownBegin - pieces[index - 1].offset)
      if pieces[index - 1].end - latest <= .milliseconds(1) {
        pieces[index - 1].end = min(pieces[index - 1].end, latest)
      }
    }
    guard !pieces.isEmpty, pieces.allSatisfy({ $0.begin <= $0.end }),
      zip(pieces, pieces.dropFirst()).allSatisfy({
        $0.end <= $1.begin && $0.ownEnd <= $1.ownBegin
      })
    else { return nil }
    self.pieces = pieces
  }

  /// The offset at the film's beginning.
  package var offset: Duration { pieces[0].offset }

  /// A Boolean value that indicates whether the times are the same within a picture's duration.
  package var isSame: Bool { pieces.count == 1 && offset.magnitude < .milliseconds(40) }

  /// Returns the same pieces, later by a duration in the own copy.
  package func moved(by change: Duration) -> CopyTimeline {
    var pieces = pieces
    for index in pieces.indices { pieces[index].offset += change }
    return CopyTimeline(pieces)
  }

  private init(_ pieces: [Piece]) { self.pieces = pieces }

  /// Returns the own copy's time for a time of the party's; the begin of what follows if the own copy lacks the place.
  package func own(at party: MediaTime) -> MediaTime {
    let piece = pieces.first { party < $0.end } ?? pieces[pieces.count - 1]
    return piece == pieces[0] ? party + piece.offset : max(party, piece.begin) + piece.offset
  }

  /// Returns the party's time for a time of the own copy; the begin of what follows if the party's copy lacks the place.
  package func party(at own: MediaTime) -> MediaTime {
    let piece = pieces.first { own < $0.ownEnd } ?? pieces[pieces.count - 1]
    return piece == pieces[0] ? own - piece.offset : max(own, piece.ownBegin) - piece.offset
  }

  /// Returns the end of the part around a time of the party's that the own copy lacks; nil if it has the place.
  package func gapEnd(at party: MediaTime) -> MediaTime? {
    if party + offset < .zero { return .zero - offset }
    return zip(pieces, pieces.dropFirst()).first { (before, after) in
      (before.end..<after.begin).contains(party)
    }?.1.begin
  }
}

extension CopyTimeline: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let timeline = CopyTimeline(pieces: try container.decode([Piece].self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The pieces don't follow one another.")
    }
    self = timeline
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(pieces)
  }
}
