import GroupActivities
import Timekeeping

/// One participant's part of a ``DrawTogether`` session, which sends this participant's strokes and receives the
/// others'.
///
/// Each participant is responsible for its own strokes, and sends them to a late joiner. A participant who is still
/// there sends the strokes of authors who have left.
public actor DrawingBoard {
  /// The session that carries the drawing.
  public nonisolated let session: GroupSession<DrawTogether>
  /// The current drawing, and each newer one; a slow reader misses those in between. Ends with the session. For one
  /// consumer.
  public nonisolated let drawings: AsyncStream<Drawing>

  /// The current drawing: this participant's own strokes at once, the others' as they arrive.
  public private(set) var drawing = Drawing()

  private let messenger: GroupSessionMessenger
  private let continuation: AsyncStream<Drawing>.Continuation
  private let me: Participant.ID
  private var tasks: [Task<Void, Never>] = []
  private var present: Set<Participant.ID> = []

  /// The authors who have sent their own strokes.
  private var heard: Set<Participant.ID> = []

  /// The stroke that is being drawn, and its points that haven't been sent.
  private var pen: (stroke: Stroke.ID, last: PicturePoint, unsent: [PicturePoint])?
  private var outbox: [(message: DrawingMessage, recipients: Participants)] = []
  /// The task that empties the outbox. There is only one, so that the messages keep their order.
  private var sending: Task<Void, Never>?
  private var sentAt = HostTime(nanoseconds: 0)

  /// The time for which points are collected into one message: well below the limit of a hundred messages per second.
  static let interval = Duration.milliseconds(20)
  /// The wait after the session accepted no more messages, or while the link is down.
  private static let patience = Duration.milliseconds(200)
  /// The number of participants who send the strokes of absent authors: one of them may leave at that moment.
  private static let heirs = 2

  /// Creates a board.
  ///
  /// - Parameter session: not joined yet.
  public init(session: GroupSession<DrawTogether>) async {
    self.session = session
    messenger = GroupSessionMessenger(session: session)
    me = await session.localParticipant.id
    (drawings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { for task in tasks { task.cancel() } }

  /// Joins the session. The existing drawing arrives without a request.
  public func join() async {
    guard tasks.isEmpty else { return }
    let messages = messenger.messages(of: DrawingMessage.self)
    let participants = session.activeParticipantsUpdates
    tasks = [
      Task { [weak self] in
        for await (message, context) in messages {
          await self?.received(message, from: context.source)
        }
        await self?.end()
      },
      Task { [weak self] in
        for await participants in participants { await self?.look(at: participants) }
      },
    ]
    await session.join()
  }

  /// Leaves the session. The others continue, and keep this participant's strokes.
  ///
  /// Takes at most half a second, to send the remaining points.
  public func leave() async {
    lift()
    let deadline = HostTime.now() + .milliseconds(500)
    while sending != nil, .now() < deadline {
      try? await Task.sleep(for: Self.interval, clock: .suspending)
    }
    sending?.cancel()
    await session.leave()
  }

  // MARK: - Drawing

  /// Puts the pen down, for a new stroke.
  ///
  /// - Throws: ``DrawingError/full`` if nothing more can be drawn.
  public func press(at point: PicturePoint) throws(DrawingError) {
    lift()
    guard let number = drawing.nextNumber else { throw .full }
    pen = (Stroke.ID(number: number, author: me), point, [])
    draw([point])
  }

  /// Draws to a point. Does nothing unless the pen is down.
  public func move(to point: PicturePoint) {
    guard let pen, pen.last != point else { return }
    draw([point])
  }

  /// Lifts the pen.
  public func lift() {
    flushPen()
    pen = nil
  }

  /// Draws a whole stroke, whatever else is drawn at the same time.
  ///
  /// - Throws: the same errors as ``press(at:)``.
  public func draw(through points: [PicturePoint]) throws(DrawingError) {
    guard let first = points.first else { return }
    try press(at: first)
    for point in points.dropFirst() { move(to: point) }
    lift()
  }

  /// Draws this participant's strokes of another board again. The pen stays down if it is down there.
  ///
  /// - Throws: ``DrawingError/full`` if not all of them fit.
  public func continueStrokes(of other: DrawingBoard) async throws(DrawingError) {
    let (strokes, isPenDown) = await other.ownStrokes
    for stroke in strokes {
      guard let first = stroke.points.first else { continue }
      try press(at: first)
      for point in stroke.points.dropFirst() { move(to: point) }
      if !isPenDown || stroke.id != strokes.last?.id { lift() }
    }
  }

  private var ownStrokes: (strokes: [Stroke], isPenDown: Bool) {
    (drawing.strokes(of: me), pen != nil)
  }

  /// Removes this participant's last stroke.
  ///
  /// - Returns: false if there is none.
  @discardableResult
  public func undo() -> Bool {
    lift()
    guard let last = drawing.strokes(of: me).last else { return false }
    drawing.remove(last.id)
    changed()
    say(.undo(number: last.id.number))
    return true
  }

  private func draw(_ points: [PicturePoint]) {
    guard let pen else { return }
    drawing.append(points, to: pen.stroke)
    self.pen?.last = points[points.count - 1]
    self.pen?.unsent += points
    changed()
    send()
  }

  // MARK: - To the others

  private func flushPen() {
    guard let pen, !pen.unsent.isEmpty else { return }
    outbox.append((.draw(number: pen.stroke.number, points: PointBytes(pen.unsent)), .all))
    self.pen?.unsent = []
  }

  private func say(_ message: DrawingMessage, to recipients: Participants = .all) {
    flushPen()
    outbox.append((message, recipients))
    send()
  }

  private func send() {
    guard sending == nil else { return }
    sending = Task { [weak self] in
      while let wait = await self?.sendSome() {
        try? await Task.sleep(for: wait, clock: .suspending)
      }
    }
  }

  /// Sends the messages that the session accepts now.
  ///
  /// - Returns: the wait before the next attempt; nil if everything is sent.
  private func sendSome() async -> Duration? {
    let early = sentAt + Self.interval - .now()
    guard early <= .zero else { return early }
    flushPen()
    sentAt = .now()
    while let next = outbox.first {
      do {
        try await messenger.send(next.message, to: next.recipients)
      } catch .tooManyMessages {
        return Self.patience
      } catch {
        // The session is over or not joined yet: late joiners get all strokes later.
      }
      outbox.removeFirst()
    }
    if pen?.unsent.isEmpty == false { return Self.interval }
    sending = nil
    return nil
  }

  // MARK: - From the others

  private func received(_ message: DrawingMessage, from source: Participant) {
    let before = drawing
    switch message {
    case .draw(let number, let points):
      heard.insert(source.id)
      drawing.append(points.points, to: .init(number: number, author: source.id))
    case .undo(let number):
      heard.insert(source.id)
      drawing.remove(.init(number: number, author: source.id))
    case .mine(let lines):
      heard.insert(source.id)
      drawing.replace(lines.map { $0.stroke(by: source.id) }, of: source.id)
    case .others(let lines, let author):
      // An author's own message takes precedence; and this participant may have drawn before it left and came back.
      guard author == me ? drawing.strokes(of: me).isEmpty : !heard.contains(author) else { return }
      drawing.replace(lines.map { $0.stroke(by: author) }, of: author)
      if author == me, drawing != before { say(mine) }
    }
    if drawing != before { changed() }
  }

  private var mine: DrawingMessage { .mine(drawing.strokes(of: me).map { .init($0) }) }

  /// Sends the existing strokes to late joiners.
  private func look(at participants: [Participant]) {
    let now = Set(participants.map(\.id))
    let newcomers = Set(participants.filter { !present.contains($0.id) && $0.id != me })
    present = now
    guard !newcomers.isEmpty, now.contains(me) else { return }
    let new = Set(newcomers.map(\.id))
    if !drawing.strokes(of: me).isEmpty {
      // The message has to include points that haven't been sent yet.
      flushPen()
      say(mine, to: .only(newcomers))
    }
    guard now.subtracting(new).sorted().prefix(Self.heirs).contains(me) else { return }
    for author in drawing.authorIDs where !now.contains(author) || new.contains(author) {
      let lines = drawing.strokes(of: author).map { DrawingMessage.Line($0) }
      say(.others(lines, of: author), to: .only(newcomers))
    }
  }

  private func changed() { continuation.yield(drawing) }

  private func end() {
    sending?.cancel()
    continuation.finish()
  }
}

/// A failure to draw.
public enum DrawingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The highest stroke number is used up. Clearing the drawing begins a new one.
  case full

  public var description: String { "The drawing is full. Clear it to continue." }
}
