import GroupActivities

/// The strokes of all participants: a value that follows from each author's messages in their order, however the
/// messages of several authors are mixed.
public struct Drawing: Hashable, Sendable {
  /// The greatest number of points of one author; beyond that the author's oldest strokes are removed.
  public static let pointLimit = 16_384
  /// The greatest number of strokes of one author; beyond that the author's oldest strokes are removed.
  public static let strokeLimit = 256
  /// The greatest number of a stroke: the greatest integer that all readers of JSON read exactly.
  static let numberLimit: UInt64 = 1 << 53

  /// The strokes by author, each author's in the order of their numbers.
  private var authors: [Participant.ID: [Stroke]] = [:]

  /// Creates an empty drawing.
  public init() {}

  /// The strokes from the lowest to the uppermost.
  public var strokes: [Stroke] { authors.values.joined().sorted { $0.id < $1.id } }

  /// A Boolean value that indicates whether the drawing has no strokes.
  public var isEmpty: Bool { authors.isEmpty }

  /// Returns one author's strokes in the order in which they were drawn; empty for an unknown author.
  public func strokes(of author: Participant.ID) -> [Stroke] { authors[author] ?? [] }

  /// Continues a stroke, or begins it.
  mutating func append(_ points: [PicturePoint], to id: Stroke.ID) {
    guard !points.isEmpty, id.number <= Self.numberLimit else { return }
    var strokes = authors[id.author] ?? []
    if let index = strokes.lastIndex(where: { $0.id == id }) {
      strokes[index].points += points
    } else {
      let index = strokes.firstIndex { id < $0.id } ?? strokes.endIndex
      strokes.insert(Stroke(id: id, points: points), at: index)
    }
    set(strokes, of: id.author)
  }

  mutating func remove(_ id: Stroke.ID) {
    set(strokes(of: id.author).filter { $0.id != id }, of: id.author)
  }

  /// Replaces all strokes of an author. Invalid ones are left out.
  mutating func replace(_ strokes: [Stroke], of author: Participant.ID) {
    var known: Set<UInt64> = []
    let valid = strokes.filter { stroke in
      stroke.id.author == author && stroke.id.number <= Self.numberLimit && !stroke.points.isEmpty
        && known.insert(stroke.id.number).inserted
    }
    set(valid.sorted { $0.id < $1.id }, of: author)
  }

  private mutating func set(_ strokes: [Stroke], of author: Participant.ID) {
    var strokes = strokes.suffix(Self.strokeLimit)
    var count = strokes.reduce(0) { $0 + $1.points.count }
    while count > Self.pointLimit, let first = strokes.first {
      count -= first.points.count
      strokes.removeFirst()
    }
    authors[author] = strokes.isEmpty ? nil : Array(strokes)
  }
}
