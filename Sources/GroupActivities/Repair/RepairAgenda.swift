import DequeModule
import Timekeeping

/// What one participant has yet to ask of the party, or to answer, about what somebody said: each waits for a
/// moment, in which another may do it.
struct RepairAgenda: Hashable, Sendable {
  struct Answer: Hashable, Sendable {
    var epoch: UInt64
    /// The first event that somebody lacks.
    var next: UInt64
    var due: HostTime
  }

  /// When to ask what else somebody said who has gone without a word.
  private(set) var questions: [Participant.ID: HostTime] = [:]
  /// What to pass on to everybody of somebody.
  private(set) var answers: [Participant.ID: Answer] = [:]
  /// When this participant's own events were said once more to everybody.
  private var repeated: [UInt64: HostTime] = [:]
  /// How many events this participant had sent when; the oldest first.
  private var marks = Deque<Mark>()
  /// What was sent after this one may have been lost with the link.
  private(set) var doubtfulAfter: UInt64?

  private struct Mark: Hashable {
    var time: HostTime
    var sequence: UInt64
  }

  private static let limit = 64
  private static let markLimit = 128
  /// Everybody who lacks an event asks within this time, and one answer serves them all.
  private static let repetition = Duration.milliseconds(200)

  var nextDeadline: HostTime? {
    [questions.values.min(), answers.values.lazy.map(\.due).min()].compactMap { $0 }.min()
  }

  // MARK: - Those who went

  mutating func ask(about id: Participant.ID, at due: HostTime) {
    guard questions.count < Self.limit else { return }
    questions[id] = due
  }

  /// Somebody else asks the same, or nobody need know any more.
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

  /// Somebody else has passed it on.
  mutating func dropAnswer(about id: Participant.ID, through sequence: UInt64) {
    if let pending = answers[id], pending.next <= sequence { answers[id] = nil }
  }

  mutating func takeDueAnswers(at now: HostTime) -> [(id: Participant.ID, answer: Answer)] {
    let due = answers.filter { $0.value.due <= now }.sorted { $0.key < $1.key }
    for (id, _) in due { answers[id] = nil }
    return due.map { (id: $0.key, answer: $0.value) }
  }

  // MARK: - What this participant said

  /// - Returns: whether to say it once more to everybody: not if that has just been done.
  mutating func repeats(_ sequence: UInt64, at now: HostTime) -> Bool {
    if let last = repeated[sequence], now - last < Self.repetition { return false }
    if repeated.count >= Self.limit {
      repeated = repeated.filter { now - $0.value < Self.repetition }
    }
    repeated[sequence] = now
    return true
  }

  /// Takes down how much was said by now.
  mutating func mark(_ sequence: UInt64, at now: HostTime, keeping time: Duration) {
    marks.append(Mark(time: now, sequence: sequence))
    // The last one that is older than that says from where on.
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
