import Timekeeping

/// The events of this participant and the recent ones of the others, with the repair of both.
///
/// It decides which events are sent again, which participants get them next, and when to ask. The order in which one sender's
/// events are delivered is decided by its ``InboundSequence``.
struct EventLog: Sendable {
  private var outbound = OutboundLog()
  /// The recent events of the other participants.
  private var archive = EventArchive()
  private var repairs = RepairAgenda()
  /// The number of the last event that was sent while the link was up.
  private var lastSent: UInt64 = 0

  /// The number of this participant's last event; 0 for none.
  var lastSequence: UInt64 { outbound.lastSequence }

  /// The time of the next question or answer; nil for none.
  var nextDeadline: HostTime? { repairs.nextDeadline }

  // MARK: - This participant's events

  /// Numbers an event.
  ///
  /// - Parameter isSent: false while the link is down.
  mutating func append(_ message: EventMessage, isSent: Bool) -> UInt64 {
    let sequence = outbound.append(message)
    if isSent { lastSent = sequence }
    return sequence
  }

  /// Returns whether so many more events can be kept until the link is back.
  func hasRoom(for count: Int) -> Bool { outbound.hasRoom(for: count, after: lastSent) }

  /// Returns the requested events that are kept, and the last of those that are not.
  func answer(
    _ request: ResendRequest
  ) -> (events: [(sequence: UInt64, message: EventMessage)], refused: ResendRefusal?) {
    outbound.answer(request)
  }

  /// - Returns: whether to send the event again to all; false if that was just done.
  mutating func repeats(_ sequence: UInt64, at now: HostTime) -> Bool {
    repairs.repeats(sequence, at: now)
  }

  /// Notes that a beacon was sent, which announces all events so far.
  mutating func announced(at now: HostTime, keeping time: Duration) {
    repairs.mark(outbound.lastSequence, at: now, keeping: time)
  }

  // MARK: - The link

  mutating func linkLost() { repairs.linkLost() }

  /// - Returns: the events that may never have left, to be sent again; nil if the link wasn't lost.
  mutating func linkReturned() -> [(sequence: UInt64, message: EventMessage)]? {
    guard let doubtful = repairs.linkReturned() else { return nil }
    lastSent = outbound.lastSequence
    return outbound.events(after: doubtful)
  }

  // MARK: - The others' events

  /// Keeps another participant's event, for those that lack it.
  mutating func received(_ inbound: InboundMessage) {
    archive.keep(
      EventArchive.Entry(
        sender: inbound.sender, epoch: inbound.epoch, sequence: inbound.sequence,
        original: inbound.original))
  }

  /// Notes that a participant's events up to a number were sent to all: an answer about them isn't needed any more.
  mutating func passedOn(of id: Participant.ID, through sequence: UInt64) {
    repairs.dropAnswer(about: id, through: sequence)
  }

  /// Notes that another participant asked what this one would have asked.
  mutating func asked(about id: Participant.ID) { repairs.dropQuestion(about: id) }

  /// Schedules a question to all about a participant's last events.
  mutating func ask(about id: Participant.ID, at due: HostTime) { repairs.ask(about: id, at: due) }

  /// Schedules an answer to all, with the events of an author that a participant lacks.
  mutating func answer(_ entry: EventVector.Entry, at due: HostTime) {
    repairs.answer(
      about: entry.sender, RepairAgenda.Answer(epoch: entry.epoch, next: entry.next, due: due))
  }

  /// Returns the events of an author that a participant lacks, as they were signed.
  func originals(for entry: EventVector.Entry) -> [[UInt8]] {
    archive.originals(of: entry.sender, epoch: entry.epoch, from: entry.next).map(\.original)
  }

  /// Takes the participants about which to ask now.
  mutating func takeDueQuestions(at now: HostTime) -> [Participant.ID] {
    repairs.takeDueQuestions(at: now)
  }

  /// Takes the events to pass on to all now, by their authors.
  mutating func takeDueAnswers(at now: HostTime) -> [[[UInt8]]] {
    repairs.takeDueAnswers(at: now).map { id, answer in
      archive.originals(of: id, epoch: answer.epoch, from: answer.next).map(\.original)
    }
  }
}
