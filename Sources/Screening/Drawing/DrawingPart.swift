import DrawTogether
import GroupActivities

/// The machine that decides about this participant's part in the party's drawing: which session it is in, and which
/// strokes it draws there.
///
/// A drawing belongs to a film. Its shell owns the sessions and performs the directives in order.
package struct DrawingPart: Sendable {
  /// The number of a request. Larger numbers are newer.
  package typealias Number = Int

  package enum Attendance: Hashable, Sendable {
    /// The participant sees the drawing.
    case watching
    case drawing
    /// The participant left the drawing and doesn't see it.
    case away
  }

  /// A session of the party, as far as decisions depend on it.
  package struct Session: Hashable, Sendable {
    package var id: GroupSessionID
    package var activity: DrawTogether
    package var initiator: Participant.ID
    package var isLocallyInitiated: Bool

    package init(
      id: GroupSessionID, activity: DrawTogether, initiator: Participant.ID,
      isLocallyInitiated: Bool
    ) {
      self.id = id
      self.activity = activity
      self.initiator = initiator
      self.isLocallyInitiated = isLocallyInitiated
    }
  }

  /// The message that another participant began a drawing.
  private struct News: Hashable, Sendable {
    var initiator: Participant.ID
    var isReset: Bool
  }

  private enum State: Hashable, Sendable {
    /// In no session. A session that arrives leads to `entering`, unless the participant is away.
    case outside
    /// The shell joins the session, which leads to `inside`; a newer session replaces it. The strokes in `previous` may
    /// belong to the session, too.
    case entering(Number, Session, previous: Session?, News?)
    /// In the session, until the participant leaves it or it ends.
    case inside(Session)
    /// Another session has replaced this one, and hasn't arrived yet. It leads to `entering`.
    case replaced(Session)
  }

  package private(set) var attendance = Attendance.watching
  private var state = State.outside
  /// The party's latest session, even if this participant takes no part in it.
  private var latest: Session?
  private var drawing = Drawing()
  /// The lines to draw as soon as this participant is in the drawing on the film.
  private var pending: [[PicturePoint]] = []
  /// The names of the participants who drew, including those who left the party.
  private var authors: [Participant.ID: String] = [:]
  /// The start of a drawing that is under way, and the attendance before it.
  private var start: (number: Number, before: Attendance)?
  private var lastNumber: Number = 0

  package init() {}

  /// The session that this participant is in.
  package var current: GroupSessionID? {
    if case .inside(let session) = state { session.id } else { nil }
  }

  /// Returns the drawing on a film; nil without one.
  package func status(on item: String?) -> DrawingStatus? {
    guard case .inside(let session) = state, session.activity.item == item else { return nil }
    return DrawingStatus(drawing: drawing, authors: authors, isDrawing: attendance == .drawing)
  }

  // MARK: - The user's commands

  /// Handles the user's command to draw.
  ///
  /// - Parameters:
  ///   - item: the film that the party watches with this participant; nil for none.
  ///   - isJoined: false if ``current`` is over already.
  package mutating func begin(on item: String?, isInParty: Bool, isJoined: Bool)
    throws(DrawingProblem) -> Beginning
  {
    guard isInParty else { throw .noParty }
    guard let item else { throw .noFilm }
    let before = start?.before ?? attendance
    start = nil
    attendance = .drawing
    if isJoined, case .inside(let session) = state, session.activity.item == item {
      return .report
    }
    // A drawing that this participant left is delivered again only after a new request.
    if latest?.activity.item == item { return .followAgain }
    let number = nextNumber()
    start = (number, before)
    return .start(number, DrawTogether(item: item))
  }

  /// Draws a line.
  ///
  /// - Returns: the session to draw in; nil if the line waits for one.
  package mutating func draw(_ points: [PicturePoint], on item: String?) -> GroupSessionID? {
    if case .inside(let session) = state, session.activity.item == item { return session.id }
    pending.append(points)
    return nil
  }

  /// Returns the drawing that replaces the current one when the user clears it.
  package func cleared() throws(DrawingProblem) -> DrawTogether {
    guard case .inside(let session) = state else { throw .noDrawing }
    return session.activity.cleared
  }

  // MARK: - Events

  /// Handles an event.
  package mutating func handle(_ event: Event) -> [Directive] {
    switch event {
    case .startFailed(let number):
      guard let start, start.number == number else { return [] }
      self.start = nil
      // A participant who may not begin a drawing doesn't take part in another one without a new command.
      if attendance == .drawing { attendance = start.before }
      return []
    case .arrived(let session): return arrived(session)
    case .entered(let number, let item): return entered(number, on: item)
    case .drew(let id, let drawing, let names):
      guard current == id else { return [] }
      self.drawing = drawing
      authors.merge(names) { _, new in new }
      return [.report]
    case .ended(let id, let isReplaced):
      guard case .inside(let session) = state, session.id == id else { return [] }
      drawing = Drawing()
      state = isReplaced ? .replaced(session) : .outside
      return isReplaced ? [.report] : [.report, .release(id)]
    case .over:
      latest = nil
      if attendance == .drawing { attendance = .watching }
      return []
    case .left: return left()
    case .leftParty:
      let number = lastNumber
      self = DrawingPart()
      lastNumber = number
      return []
    }
  }

  private mutating func arrived(_ session: Session) -> [Directive] {
    let before = latest
    let isSameFilm = before?.activity.item == session.activity.item
    latest = session
    start = nil
    // A participant who drew on the previous film only watches the drawing on this one at first.
    if attendance == .drawing, !isSameFilm, !session.isLocallyInitiated { attendance = .watching }
    guard attendance != .away else { return [] }
    var news: News?
    if !session.isLocallyInitiated, before?.id != session.id {
      // Two participants who begin at the same time make two sessions, of which one stays: neither is a reset.
      let isReset = isSameFilm && before?.continues(in: session) == false
      news = News(initiator: session.initiator, isReset: isReset)
    }
    let previous: Session?
    var rest: [Directive] = []
    switch state {
    case .outside: previous = nil
    case .inside(let old):
      guard old.id != session.id else { return [] }
      previous = old
    case .replaced(let old): previous = old
    case .entering(_, let old, let older, _):
      guard old.id != session.id else { return [] }
      // Nothing was drawn in the one that was being entered.
      previous = older
      rest = [.release(old.id)]
    }
    drawing = Drawing()
    let number = nextNumber()
    state = .entering(number, session, previous: previous, news)
    return [.enter(number, session.id)] + rest
  }

  private mutating func entered(_ number: Number, on item: String?) -> [Directive] {
    guard case .entering(number, let session, let previous, let news) = state else { return [] }
    state = .inside(session)
    var lines: [[PicturePoint]] = []
    if session.activity.item == item { swap(&lines, &pending) }
    let continued = previous.flatMap { $0.continues(in: session) ? $0.id : nil }
    var directives: [Directive] = [
      .report, .draw(in: session.id, strokesOf: continued, lines: lines),
    ]
    if let news { directives.append(.announce(by: news.initiator, isReset: news.isReset)) }
    directives.append(.follow(session.id))
    if let previous { directives.append(.release(previous.id)) }
    return directives
  }

  private mutating func left() -> [Directive] {
    attendance = .away
    pending = []
    start = nil
    drawing = Drawing()
    let before = state
    state = .outside
    switch before {
    case .outside: return [.report]
    case .entering(_, let session, let previous, _):
      return [.report, .leave(session.id)] + (previous.map { [.release($0.id)] } ?? [])
    case .inside(let session): return [.report, .leave(session.id)]
    case .replaced(let session): return [.report, .release(session.id)]
    }
  }

  private mutating func nextNumber() -> Number {
    lastNumber += 1
    return lastNumber
  }
}

extension DrawingPart.Session {
  /// Returns a Boolean value that indicates whether the strokes in this session belong to a later one, too.
  fileprivate func continues(in later: Self) -> Bool { later.activity.continues(activity) }
}
