import GroupActivities

/// Everybody's strokes: a value that follows from what their authors said of them, in each author's order, however
/// the authors' words are mixed.
public struct Drawing: Hashable, Sendable {
  /// What one author may have in a drawing; beyond that its oldest strokes go.
  public static let pointLimit = 16_384
  public static let strokeLimit = 256
  /// Nobody needs as many: past it nothing more can be drawn.
  static let numberLimit: UInt32 = 1 << 30
  /// Whose strokes are kept.
  static let authorLimit = 512

  /// By author, each author's in the order of their numbers.
  private var authors: [Participant.ID: [Stroke]] = [:]

  public init() {}

  /// From the lowest to the uppermost.
  public var strokes: [Stroke] { authors.values.joined().sorted { $0.id < $1.id } }

  public var isEmpty: Bool { authors.isEmpty }

  public func strokes(of author: Participant.ID) -> [Stroke] { authors[author] ?? [] }

  var authorIDs: [Participant.ID] { authors.keys.sorted() }

  /// Of the next stroke; nil once there are too many.
  var nextNumber: UInt32? {
    let highest = authors.values.compactMap(\.last?.id.number).max() ?? 0
    return highest < Self.numberLimit ? highest + 1 : nil
  }

  /// Goes on with a stroke, or begins it.
  mutating func append(_ points: [PicturePoint], to id: Stroke.ID) {
    guard !points.isEmpty, id.number <= Self.numberLimit, hasRoom(for: id.author) else { return }
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

  /// Takes an author's word for all that it has drawn.
  mutating func replace(_ strokes: [Stroke], of author: Participant.ID) {
    guard hasRoom(for: author) else { return }
    var known: Set<UInt32> = []
    let valid = strokes.filter { stroke in
      stroke.id.author == author && stroke.id.number <= Self.numberLimit && !stroke.points.isEmpty
        && known.insert(stroke.id.number).inserted
    }
    set(valid.sorted { $0.id < $1.id }, of: author)
  }

  private func hasRoom(for author: Participant.ID) -> Bool {
    authors[author] != nil || authors.count < Self.authorLimit
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
