import GroupActivities
import Timekeeping

/// One participant's part of a ``DrawTogether`` session, which sends this participant's strokes and receives the
/// others'.
///
/// Each participant is responsible for its own strokes, and sends them to a late joiner. A participant who is still
/// there sends the strokes of authors who have left, with their authors' signatures.
public actor DrawingBoard {
  /// The session that carries the drawing.
  public nonisolated let session: GroupSession<DrawTogether>
  /// The current drawing, and each newer one; a slow reader misses those in between. Ends with the session. For one
  /// consumer.
  public nonisolated let drawings: AsyncStream<Drawing>

  /// The current drawing: this participant's own strokes at once, the others' as they arrive.
  public var drawing: Drawing { shared.drawing }

  private var shared: SharedDrawing
  private let messenger: GroupSessionMessenger
  private let continuation: AsyncStream<Drawing>.Continuation
  private var tasks: [Task<Void, Never>] = []

  /// The stroke that is being drawn, and its points that haven't been sent.
  private var pen: (stroke: Stroke.ID, last: PicturePoint, unsent: [PicturePoint])?
  /// A Boolean value that indicates whether the others have no proof of this participant's strokes as they are.
  private var isUnproven = false
  private var outbox: [(message: DrawingMessage, recipients: Participants)] = []
  /// The task that empties the outbox. There is only one, so that the messages keep their order.
  private var sending: Task<Void, Never>?
  private var sentAt = HostTime(nanoseconds: 0)

  /// The time for which points are collected into one message: well below the limit of a hundred messages per second.
  static let interval = Duration.milliseconds(20)
  /// The wait after the session accepted no more messages, or while the link is down.
  private static let patience = Duration.milliseconds(200)

  /// Creates a board.
  ///
  /// - Parameter session: not joined yet.
  public init(session: GroupSession<DrawTogether>) async {
    self.session = session
    messenger = GroupSessionMessenger(session: session)
    // Only for its proofs, which are valid in this session alone: nothing is sent on it.
    let lane = GroupSessionLane("drawing", session: session)
    shared = SharedDrawing(
      me: lane.localID,
      authorship: DrawingAuthorship {
        lane.proof(of: $0)
      } isValid: {
        lane.isProven($0, by: $1, $2)
      })
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
  public func press(at point: PicturePoint) {
    lift()
    pen = (shared.begin(at: point, now: now), point, [point])
    drawn()
  }

  /// Draws to a point. Does nothing unless the pen is down.
  public func move(to point: PicturePoint) {
    guard let pen, pen.last != point else { return }
    shared.append([point], to: pen.stroke)
    self.pen?.last = point
    self.pen?.unsent.append(point)
    drawn()
  }

  /// Lifts the pen.
  public func lift() {
    flushPen()
    pen = nil
    if isUnproven { send() }
  }

  /// Draws a whole stroke, whatever else is drawn at the same time.
  public func draw(through points: [PicturePoint]) {
    guard let first = points.first else { return }
    press(at: first)
    for point in points.dropFirst() { move(to: point) }
    lift()
  }

  /// Draws this participant's strokes of another board again. The pen stays down if it is down there.
  public func continueStrokes(of other: DrawingBoard) async {
    let (strokes, isPenDown) = await other.ownStrokes
    for stroke in strokes {
      guard let first = stroke.points.first else { continue }
      press(at: first)
      for point in stroke.points.dropFirst() { move(to: point) }
      if !isPenDown || stroke.id != strokes.last?.id { lift() }
    }
  }

  private var ownStrokes: (strokes: [Stroke], isPenDown: Bool) {
    (shared.own, pen != nil)
  }

  /// Removes this participant's last stroke.
  ///
  /// - Returns: false if there is none.
  @discardableResult
  public func undo() -> Bool {
    lift()
    guard let number = shared.undo() else { return false }
    isUnproven = true
    changed()
    say(.undo(number: number))
    return true
  }

  private func drawn() {
    isUnproven = true
    changed()
    send()
  }

  /// The party's time in milliseconds; 0 while it is unknown.
  private var now: Int64 {
    (session.party.clock.reading?.groupTime(at: .now()).nanoseconds ?? 0) / 1_000_000
  }

  // MARK: - To the others

  private func flushPen() {
    guard let pen, !pen.unsent.isEmpty else { return }
    outbox.append((.draw(number: pen.stroke.number, points: PointBytes(pen.unsent)), .all))
    self.pen?.unsent = []
  }

  /// Signs the finished strokes, so that they can be passed on without this participant.
  private func proveStrokes() {
    guard isUnproven, pen == nil else { return }
    isUnproven = false
    let statement = shared.statement(now: now)
    outbox.append((.proven(revision: statement.revision, by: statement.proof), .all))
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
    proveStrokes()
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
    if pen.map({ !$0.unsent.isEmpty }) ?? isUnproven { return Self.interval }
    sending = nil
    return nil
  }

  // MARK: - From the others

  private func received(_ message: DrawingMessage, from source: Participant) {
    let before = drawing
    // Strokes of this participant that came back count again.
    if shared.received(message, from: source.id) { say(.mine(shared.statement(now: now))) }
    if drawing != before { changed() }
  }

  /// Sends the existing strokes to late joiners.
  private func look(at participants: [Participant]) {
    // The strokes include points that haven't been sent yet.
    flushPen()
    let (messages, newcomers) = shared.look(at: Set(participants.map(\.id)), now: now)
    let recipients = Set(participants.filter { newcomers.contains($0.id) })
    for message in messages { say(message, to: .only(recipients)) }
  }

  private func changed() { continuation.yield(drawing) }

  private func end() {
    sending?.cancel()
    continuation.finish()
  }
}
