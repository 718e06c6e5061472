import Concurrency
import DequeModule
import Timekeeping

/// One participant's pending questions to the party and answers about others' events. Each waits for a moment
/// in which another participant may send the same.
struct RepairAgenda: Hashable, Sendable {
  struct Answer: Hashable, Sendable {
    var epoch: UInt64
    /// The first event that a participant lacks.
    var next: UInt64
    var due: HostTime
  }

  /// The times at which to ask for further events of participants that left unannounced.
  private(set) var questions: [Participant.ID: HostTime] = [:]
  /// The events of each participant that are to be passed on to all.
  private(set) var answers: [Participant.ID: Answer] = [:]
  /// The times at which this participant's own events were last sent again to all.
  private var repeated: [UInt64: HostTime] = [:]
  /// The numbers of this participant's events at recent times, oldest first.
  private var marks = Deque<Mark>()
  /// The event after which further ones may have been lost with the link.
  private(set) var doubtfulAfter: UInt64?

  private struct Mark: Hashable {
    var time: HostTime
    var sequence: UInt64
  }

  private static let limit = 64
  private static let markLimit = 128
  /// The time within which all participants that lack an event ask for it. One answer serves them all.
  private static let repetition = Duration.milliseconds(200)

  var nextDeadline: HostTime? {
    var next = questions.values.min()
    for answer in answers.values { next.bringForward(to: answer.due) }
    return next
  }

  // MARK: - Participants that left

  mutating func ask(about id: Participant.ID, at due: HostTime) {
    guard questions.count < Self.limit else { return }
    questions[id] = due
  }

  /// Drops a question that another participant has asked, or that no longer matters.
  mutating func dropQuestion(about id: Participant.ID) { questions[id] = nil }

  mutating func takeDueQuestions(at now: HostTime) -> [Participant.ID] {
    let due = questions.filter { $0.value <= now }.map(\.key).sorted()
    for id in due { questions[id] = nil }
    return due
  }

  mutating func answer(about id: Participant.ID, _ answer: Answer) {
    if let pending = answers[id] {
      answers[id]?.next = min(pending.next, answer.next)
    } else if answers.count < Self.limit {
      answers[id] = answer
    }
  }

  /// Drops an answer that another participant has sent.
  mutating func dropAnswer(about id: Participant.ID, through sequence: UInt64) {
    if let pending = answers[id], pending.next <= sequence { answers[id] = nil }
  }

  mutating func takeDueAnswers(at now: HostTime) -> [(id: Participant.ID, answer: Answer)] {
    let due = answers.filter { $0.value.due <= now }.sorted { $0.key < $1.key }
    for (id, _) in due { answers[id] = nil }
    return due.map { (id: $0.key, answer: $0.value) }
  }

  // MARK: - This participant's own events

  /// - Returns: whether to send the event again to all; false if that was just done.
  mutating func repeats(_ sequence: UInt64, at now: HostTime) -> Bool {
    if let last = repeated[sequence], now - last < Self.repetition { return false }
    if repeated.count >= Self.limit {
      repeated = repeated.filter { now - $0.value < Self.repetition }
    }
    repeated[sequence] = now
    return true
  }

  /// Records the number of events sent until now.
  mutating func mark(_ sequence: UInt64, at now: HostTime, keeping time: Duration) {
    marks.append(Mark(time: now, sequence: sequence))
    // Keeps the last mark that is older than `time`: the doubtful events begin there.
    while marks.count > 1, now - marks[1].time > time { marks.removeFirst() }
    if marks.count > Self.markLimit { marks.removeFirst() }
  }

  mutating func linkLost() {
    doubtfulAfter = min(doubtfulAfter ?? .max, marks.first?.sequence ?? 0)
    answers = [:]
  }

  mutating func linkReturned() -> UInt64? {
    defer { doubtfulAfter = nil }
    return doubtfulAfter
  }
}
