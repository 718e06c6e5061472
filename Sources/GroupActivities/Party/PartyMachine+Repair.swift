import Foundation
import Timekeeping

/// Repair of missing events: after an outage, from any participant; after a sender's departure, from the
/// participants that heard it; and in a large party with one question and one answer for all that lack the
/// same events.
extension PartyMachine {
  /// The number of requests to the sender before other participants are asked.
  private static let senderAttempts = 3
  /// The largest number of messages in an answer to one request.
  private static let answerLimit = 4

  /// Returns the time to wait before requesting the events of a gap. Events that overtake each other close it
  /// without a request, and most of many participants that lost the same event hear another one ask.
  mutating func patience() -> Duration {
    let rosterPolicy = rosterPolicy
    guard !rosterPolicy.asksIndividually else {
      return .microseconds(Int64.random(in: 5_000...30_000, using: &random))
    }
    return RepairBackoff.wait(
      participants: rosterPolicy.participants, dice: Double.random(in: 0...1, using: &random))
  }

  mutating func requestMissing(from id: Participant.ID, at now: HostTime) -> [PartyAction] {
    guard let outcome = roster.requestMissing(from: id, at: now) else { return [] }
    return perform(outcome, from: id, at: now)
  }

  mutating func perform(
    _ request: InboundSequence.Request, from id: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    switch request {
    case .none: return []
    case .ask(var request):
      let attempts = roster[id]?.streams.inbound?.attempts ?? 0
      if attempts > Self.senderAttempts, attempts.isMultiple(of: 2),
        let entry = roster.vectorEntry(of: id)
      {
        return [.send(.vector(EventVector(entries: [entry])), sequence: 0, to: .anyone)]
      }
      guard !rosterPolicy.asksIndividually else {
        return [.send(.resendRequest(request), sequence: 0, to: .only(id))]
      }
      request.of = id
      return [.send(.resendRequest(request), sequence: 0, to: .everyone)]
    case .giveUp(let missing, let delivered):
      return [.report(.eventsMissing(from: id, count: missing))]
        + delivered.flatMap { deliver($0, from: id, at: now) }
    }
  }

  /// Processes a request for events, of this participant or of another one.
  mutating func asked(
    _ request: ResendRequest, by id: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    if let author = request.of, author != configuration.id {
      // An answer to the other participant's request will bring these events here too, so this one postpones
      // its own.
      if roster.lacks(request, of: author) {
        let due = now + patience() + RepairBackoff.window
        roster.requestPostponed(from: author, until: due)
      }
      return []
    }
    let (events, refused) = log.answer(request)
    var actions: [PartyAction] = []
    if let refused {
      actions.append(.send(.resendRefusal(refused), sequence: 0, to: .only(id)))
    }
    for (sequence, message) in events {
      // One request may ask for many events, each of which is charged.
      guard pays(id, at: now) else { break }
      if request.of == nil {
        actions.append(.send(.event(message), sequence: sequence, to: .only(id)))
      } else if log.repeats(sequence, at: now) {
        actions.append(.send(.event(message), sequence: sequence, to: .everyone))
      }
    }
    return actions
  }

  // MARK: - After an outage

  /// Repairs both directions after an outage. This participant's events just before the loss of the link may
  /// never have left, which no other participant can know. Any participant can supply the others' events.
  mutating func repairAfterOutage(at now: HostTime) -> [PartyAction] {
    guard joinedAt != nil, let doubtful = log.linkReturned() else { return [] }
    var actions: [PartyAction] = doubtful.map {
      .send(.event($0.message), sequence: $0.sequence, to: .everyone)
    }
    let entries = roster.ids.compactMap { roster.vectorEntry(of: $0) }.prefix(EventVector.limit)
    if !entries.isEmpty {
      actions.append(
        .send(.vector(EventVector(entries: Array(entries))), sequence: 0, to: .anyone))
    }
    return actions
  }

  /// Processes a participant's list of the events that it has.
  mutating func vectorReceived(
    _ vector: EventVector, from asker: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    guard vector.isPublic else { return answer(vector, to: asker, at: now) }
    for entry in vector.entries {
      guard let mine = roster.vectorEntry(of: entry.sender), mine.epoch == entry.epoch else {
        continue
      }
      if mine.next == entry.next {
        log.asked(about: entry.sender)
      } else if mine.next < entry.next {
        askForLastWords(of: entry.sender, at: now)
      } else {
        let dice = Double.random(in: 0...1, using: &random)
        log.answer(
          entry, at: now + RepairBackoff.wait(participants: participantCount, dice: dice))
      }
    }
    return []
  }

  private mutating func answer(
    _ vector: EventVector, to asker: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    var actions: [PartyAction] = []
    var originals: [[UInt8]] = []
    for entry in vector.entries {
      if entry.sender == configuration.id {
        guard entry.epoch == configuration.epoch, entry.next <= log.lastSequence else {
          continue
        }
        actions += asked(
          ResendRequest(from: entry.next, through: log.lastSequence), by: asker, at: now)
      } else {
        originals += log.originals(for: entry)
      }
    }
    return actions + pass(on: originals, to: .only(asker), for: asker, at: now)
  }

  /// Sends signed events in messages that fit a broker, as far as the asking participant's allowance lasts.
  private mutating func pass(
    on originals: [[UInt8]], to recipient: PartyAction.Recipient, for asker: Participant.ID?,
    at now: HostTime
  ) -> [PartyAction] {
    Originals.messages(of: originals).prefix(Self.answerLimit).compactMap { message in
      if let asker, !pays(asker, 10, at: now) { return nil }
      return .send(.originals(message), sequence: 0, to: recipient)
    }
  }

  // MARK: - Passed-on messages

  /// Processes a verified message to all that another participant passed on.
  mutating func passedOn(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction] {
    guard membership != .left, inbound.sender != configuration.id, rules.admits(inbound.sender)
    else { return [] }
    switch inbound.message {
    case .beacon(let beacon): return heardOf(inbound, beacon, at: now)
    case .event(let event):
      log.passedOn(of: inbound.sender, through: inbound.sequence)
      guard let peer = roster[inbound.sender], peer.epoch == inbound.epoch,
        peer.beacon?.joinedAt != nil
      else { return [] }
      return receive(event, in: inbound, at: now)
    case .direct, .loose, .lane: return refuse()
    }
  }

  /// Processes an event in its turn, whichever participant brought it.
  mutating func receive(
    _ event: EventMessage, in inbound: InboundMessage, at now: HostTime
  ) -> [PartyAction] {
    let patience = patience()
    guard
      let delivered = roster.eventReceived(
        event, sequence: inbound.sequence, size: inbound.size, from: inbound.sender,
        patience: patience, at: now)
    else {
      misconduct.rejections.stale += 1
      return []
    }
    log.received(inbound)
    return delivered.flatMap { deliver($0, from: inbound.sender, at: now) }
  }

  // MARK: - Participants that left

  /// Schedules a question about the last events of a participant that left unannounced. Some participants may
  /// have received them, others not.
  mutating func askForLastWords(of id: Participant.ID, at now: HostTime) {
    guard let peer = roster[id], peer.streams.inbound != nil, !peer.isPresent else { return }
    let dice = Double.random(in: 0...1, using: &random)
    log.ask(
      about: id, at: now + RepairBackoff.wait(participants: participantCount, dice: dice))
  }

  mutating func performRepairs(at now: HostTime) -> [PartyAction] {
    var actions: [PartyAction] = []
    let questions = log.takeDueQuestions(at: now).compactMap { roster.vectorEntry(of: $0) }
    if !questions.isEmpty {
      actions.append(
        .send(
          .vector(EventVector(entries: questions, isPublic: true)), sequence: 0,
          to: .everyone))
    }
    for originals in log.takeDueAnswers(at: now) {
      actions += pass(on: originals, to: .everyone, for: nil, at: now)
    }
    return actions
  }
}
