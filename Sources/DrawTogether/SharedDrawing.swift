import GroupActivities

/// One participant's copy of the drawing, with the proofs that it needs to pass the strokes of others on. A pure value.
///
/// Each author's own messages decide about its strokes. What others pass on counts only with the author's proof, and
/// never against the author's own messages.
struct SharedDrawing: Sendable {
  /// The knowledge about one author besides its strokes.
  private struct Author {
    /// The author has sent its own strokes.
    var isHeard = false
    /// The newest proven strokes.
    var statement: DrawingMessage.Statement?
  }

  /// The number of authors whose strokes are kept: twice as many as a party has at once.
  static let authorLimit = 512
  /// The number of participants at least who send the strokes of absent authors: one of them may leave at that moment.
  private static let heirs = 2

  private(set) var drawing = Drawing()
  private let me: Participant.ID
  private let authorship: DrawingAuthorship
  private var authors: [Participant.ID: Author] = [:]
  private var present: Set<Participant.ID> = []
  /// The participants with lower ids who have been here since before this participant; nil until it knows them. All others
  /// may not have all strokes yet.
  private var elders: Set<Participant.ID>?
  /// The number of this participant's newest statement or stroke, and that of the first one of this stay.
  private var last: UInt64 = 0
  private var first: UInt64?
  /// The strokes of an earlier stay came back.
  private var isRestored = false

  init(me: Participant.ID, authorship: DrawingAuthorship) {
    self.me = me
    self.authorship = authorship
  }

  // MARK: - This participant's strokes

  var own: [Stroke] { drawing.strokes(of: me) }

  /// Begins a stroke.
  ///
  /// - Parameter now: the party's time in milliseconds.
  mutating func begin(at point: PicturePoint, now: Int64) -> Stroke.ID {
    let id = Stroke.ID(number: next(now), author: me)
    drawing.append([point], to: id)
    return id
  }

  mutating func append(_ points: [PicturePoint], to id: Stroke.ID) {
    drawing.append(points, to: id)
  }

  /// Removes the last stroke.
  ///
  /// - Returns: its number; nil if there is none.
  mutating func undo() -> UInt64? {
    guard let last = own.last?.id else { return nil }
    drawing.remove(last)
    return last.number
  }

  /// Signs the strokes as they are now.
  mutating func statement(now: Int64) -> DrawingMessage.Statement {
    let revision = next(now)
    let bytes = DrawingMessage.Statement.provenBytes(revision: revision, own)
    return .init(revision: revision, lines: own.map { .init($0) }, proof: authorship.sign(bytes))
  }

  /// A clock can't use the numbers up, whatever it shows.
  private mutating func next(_ now: Int64) -> UInt64 {
    last = max(last + 1, min(UInt64(max(now, 1)), Drawing.numberLimit / 2))
    first = first ?? last
    return last
  }

  // MARK: - The others' strokes

  /// Handles a message.
  ///
  /// - Returns: true if this participant's own strokes came back by it.
  mutating func received(_ message: DrawingMessage, from source: Participant.ID) -> Bool {
    guard source != me else { return false }
    if case .others(let statement, let author) = message {
      return received(statement, of: author) && author == me
    }
    if authors[source]?.isHeard != true {
      // Strokes that were passed on may be ahead of the author's own messages, which would draw its strokes twice.
      makeRoom(for: source)
      authors[source] = Author(isHeard: true)
      drawing.replace([], of: source)
    }
    switch message {
    case .draw(let number, let points):
      drawing.append(points.points, to: .init(number: number, author: source))
    case .undo(let number): drawing.remove(.init(number: number, author: source))
    case .mine(let statement):
      drawing.replace(statement.strokes(by: source), of: source)
      keep(revision: statement.revision, statement.proof, of: source)
    case .proven(let revision, let proof): keep(revision: revision, proof, of: source)
    case .others: break
    }
    return false
  }

  /// Keeps an author's proof of its strokes if it fits them.
  private mutating func keep(revision: UInt64, _ proof: Proof, of author: Participant.ID) {
    let strokes = drawing.strokes(of: author)
    guard isProven(revision, strokes, proof, by: author) else { return }
    authors[author]?.statement = .init(
      revision: revision, lines: strokes.map { .init($0) }, proof: proof)
  }

  /// Takes strokes that another participant passes on.
  private mutating func received(
    _ statement: DrawingMessage.Statement, of author: Participant.ID
  ) -> Bool {
    // This participant may have drawn before it left and came back. What it did in this stay, only it knows.
    let isOpen =
      author == me
      ? !isRestored && statement.revision < first ?? Drawing.numberLimit
      : authors[author]?.isHeard != true
        && statement.revision > authors[author]?.statement?.revision ?? 0
        && (authors[author] != nil || authors.count < Self.authorLimit)
    guard isOpen else { return false }
    var received = Drawing()
    received.replace(statement.strokes(by: author), of: author)
    let strokes = received.strokes(of: author)
    guard isProven(statement.revision, strokes, statement.proof, by: author) else { return false }
    if author == me {
      isRestored = true
      drawing.replace(strokes.filter { $0.id.number < first ?? .max } + own, of: me)
      last = max(last, statement.revision, own.last?.id.number ?? 0)
    } else {
      drawing.replace(strokes, of: author)
      authors[author] = Author(statement: statement)
    }
    return true
  }

  private func isProven(
    _ revision: UInt64, _ strokes: [Stroke], _ proof: Proof, by author: Participant.ID
  ) -> Bool {
    authorship.isValid(
      DrawingMessage.Statement.provenBytes(revision: revision, strokes), author, proof)
  }

  /// Forgets the absent author with the oldest strokes if a new one would be too many. Participants who are present
  /// always have room.
  private mutating func makeRoom(for author: Participant.ID) {
    guard authors[author] == nil, authors.count >= Self.authorLimit else { return }
    let absent = authors.keys.filter { !present.contains($0) }
    func age(_ id: Participant.ID) -> Stroke.ID {
      drawing.strokes(of: id).last?.id ?? Stroke.ID(number: 0, author: id)
    }
    guard let oldest = absent.min(by: { age($0) < age($1) }) else { return }
    authors[oldest] = nil
    drawing.replace([], of: oldest)
  }

  // MARK: - Late joiners

  /// The session has these participants now.
  ///
  /// - Returns: the messages that bring late joiners the existing strokes, and these participants.
  mutating func look(
    at participants: Set<Participant.ID>, now: Int64
  ) -> (messages: [DrawingMessage], newcomers: Set<Participant.ID>) {
    let newcomers = participants.subtracting(present).subtracting([me])
    present = participants
    guard participants.contains(me) else { return ([], []) }
    let elders = elders?.intersection(participants) ?? participants.filter { $0 < me }
    self.elders = elders
    guard !newcomers.isEmpty else { return ([], []) }
    // Also if all strokes are undone: somebody may have kept an earlier statement.
    var messages: [DrawingMessage] = first == nil ? [] : [.mine(statement(now: now))]
    if elders.count < Self.heirs {
      for (id, author) in authors.sorted(by: { $0.key < $1.key })
      where !participants.contains(id) || newcomers.contains(id) {
        if let statement = author.statement { messages.append(.others(statement, of: id)) }
      }
    }
    return (messages, newcomers)
  }
}

/// Signs this participant's strokes, and verifies those of others.
struct DrawingAuthorship: Sendable {
  var sign: @Sendable (_ statement: [UInt8]) -> Proof
  var isValid: @Sendable (_ statement: [UInt8], _ author: Participant.ID, _ proof: Proof) -> Bool
}

extension DrawingMessage.Statement {
  func strokes(by author: Participant.ID) -> [Stroke] { lines.map { $0.stroke(by: author) } }
}
