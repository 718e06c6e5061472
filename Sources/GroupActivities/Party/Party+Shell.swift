import Concurrency
import Foundation
import Timekeeping

/// Performs the machine's actions, and passes events to the machine.
extension Party {
  func handle(_ turn: InboundLanes.Turn) {
    noticeSleep()
    switch turn.item {
    case .message(let message): receive(message, waitingSince: turn.waitingSince)
    case .sealed(let message): perform(machine.received(message, at: .now()))
    case .refused(let error, let count):
      machine.misconduct.rejections.count(error, times: count)
      if case .unknownVersion(let version) = error, foreignPrograms.isFirst(version: version) {
        eventContinuation.yield(
          .warning(
            "Somebody in this party uses another version of the program, "
              + "so update both to the same one."))
      }
    case .event(let event): handle(event)
    }
  }

  private func handle(_ event: TransportEvent) {
    switch event {
    case .connected(let server):
      machine.noteWallClock(.now(), at: .now())
      perform(
        machine.isConnected ? machine.relayChanged(at: .now()) : machine.connected(at: .now()))
      noteRelay(server)
      linkChanged(isUp: true)
      eventContinuation.yield(.connected(server: server))
    case .disconnected(let reason):
      perform(machine.disconnected())
      relays.linkLost()
      schedule()
      linkChanged(isUp: false)
      eventContinuation.yield(.disconnected(reason: reason))
    case .received: break  // Sorted before: see ``MessageSorter``.
    case .warning(let text):
      eventContinuation.yield(.warning(text))
    case .closed(let error):
      perform(machine.disconnected())
      finish(.transport(error))
    }
  }

  private func receive(_ message: OpenedMessage, waitingSince: HostTime?) {
    guard !isClosed else { return }
    // Verifying a signature costs many times as much as decrypting: a message that would change nothing isn't verified.
    guard !machine.roster.hasHeard(message.heading) else {
      return machine.misconduct.rejections.count(.repeated)
    }
    let envelope: Envelope
    do {
      envelope = try sealer.verify(message.original, from: message.subject)
    } catch {
      machine.misconduct.rejections.count(error)
      return
    }
    do {
      let wire = try WireMessage(decoding: envelope.payload, as: envelope.delivery)
      perform(
        machine.received(
          InboundMessage(
            sender: envelope.sender, epoch: envelope.epoch, sequence: envelope.sequence,
            message: wire, receivedAt: message.receivedAt, original: envelope.original,
            size: message.size + Self.wireOverhead,
            isToAll: message.subject == keys.subjects.everyone, waitingSince: waitingSince),
          at: .now()), afterMessageFrom: envelope.sender)
    } catch {
      skip(envelope, error)
    }
  }

  /// The bytes that a broker's protocol adds to a payload, approximately: the subject, its length, the line ends.
  private static let wireOverhead = 60

  /// Verifies messages that a participant passed on from others. They count as if their authors had sent them.
  ///
  /// The participant has verified each of them too. The first that isn't authentic is therefore its offence, and the
  /// rest isn't verified.
  private func verify(_ originals: [[UInt8]], from id: Participant.ID) {
    for original in originals {
      guard let envelope = try? sealer.verify(original, from: keys.subjects.everyone) else {
        return perform(machine.receivedMalformed(from: id, at: .now()))
      }
      guard let wire = try? WireMessage(decoding: envelope.payload, as: envelope.delivery) else {
        continue
      }
      perform(
        machine.passedOn(
          InboundMessage(
            sender: envelope.sender, epoch: envelope.epoch, sequence: envelope.sequence,
            message: wire, receivedAt: .now(), original: original), at: .now()))
    }
  }

  /// Makes the keys that the machine holds available to sealing and opening.
  private func updateRing() {
    let keys = machine.policy.keys
    sealer.ring.update(to: keys.revision, keys.openable)
  }

  /// Opens a message that waited for its key.
  private func reopen(_ message: SealedMessage) {
    do {
      let original = try sealer.unseal(message.payload, from: message.subject)
      guard let (heading, _) = sealer.claims(of: original) else {
        return machine.misconduct.rejections.count(.garbage)
      }
      receive(
        OpenedMessage(
          heading: heading, lane: .ordinary, original: original, subject: message.subject,
          receivedAt: message.receivedAt, size: message.payload.count), waitingSince: nil)
    } catch {
      machine.misconduct.rejections.count(error)
    }
  }

  private func skip(_ envelope: Envelope, _ reason: WireError) {
    switch reason {
    case .malformed: perform(machine.receivedMalformed(from: envelope.sender, at: .now()))
    case .unknown(let part):
      machine.misconduct.rejections.unknown += 1
      // Each kind is reported once, and their number is limited: a flood of them would crowd out the chat.
      if foreignPrograms.isNew(part: part) {
        eventContinuation.yield(
          .warning("Skipped a message that this version of the program can't read (\(part))."))
      }
    }
    guard envelope.delivery == .event else { return }
    perform(
      machine.receivedUnreadable(
        from: envelope.sender, epoch: envelope.epoch, sequence: envelope.sequence, at: .now()))
  }

  /// - Parameter sender: the participant whose message led to the actions; nil if something else did.
  func perform(_ actions: [PartyAction], afterMessageFrom sender: Participant.ID? = nil) {
    // Actions that were requested before the end came too late.
    guard !isClosed else { return }
    updateRing()
    for action in actions {
      switch action {
      case .send(let message, let sequence, let recipient):
        send(message, sequence, to: recipient)
      case .report(let event):
        report(event)
      case .verify(let originals, let id):
        verify(originals, from: id)
      case .reopen(let messages):
        for message in messages { reopen(message) }
      }
    }
    clock.set(machine.clockReading(at: .now()), slept: slept)
    publishRelays()
    schedule(afterMessageFrom: sender)
  }

  func send(
    _ message: WireMessage, _ sequence: UInt64, to recipient: PartyAction.Recipient
  ) {
    let subject =
      switch recipient {
      case .everyone: keys.subjects.everyone
      case .only(let id): keys.subjects.only(id)
      case .anyone: keys.subjects.anyone
      case .subscribers(let topic): keys.subjects.topic(topic)
      }
    // Without the key of the epoch nothing is sent.
    guard let key = machine.key(toSend: message, sequence: sequence, to: recipient) else { return }
    let sealed = sealer.seal(
      Envelope(
        sender: localID, epoch: machine.configuration.epoch, delivery: message.delivery,
        sequence: sequence, payload: message.encoded()),
      for: subject, under: key)
    // A copy that is lost is repaired as any other message.
    try? relays.bridged?.publish(sealed, to: subject)
    do {
      try transport.publish(sealed, to: subject)
    } catch {
      // Events are repaired, beacons repeated, probes tried again: no single message is essential.
      switch error.kind {
      case .notConnected, .closed: break
      case .slow where message.delivery == .lane: break  // Its user then sends more slowly.
      case .unreachable, .untrusted, .refused, .payloadTooLarge, .slow, .invalidSubject:
        eventContinuation.yield(.warning("A message couldn't be sent: \(error)"))
      }
    }
  }

  func report(_ event: PartyMachineEvent) {
    switch event {
    case .joined(let me):
      stay = .joined
      currency?.set(self)
      eventContinuation.yield(.joined(me))
      milestones.joined.fulfil(true)
      answerForParty()
    case .participantJoined(let participant):
      eventContinuation.yield(.participantJoined(participant))
    case .participantLeft(let participant, let announced):
      eventContinuation.yield(.participantLeft(participant, announced: announced))
    case .renamed(let participant, let old):
      eventContinuation.yield(.renamed(participant, from: old))
      updateMembers()
    case .chat(let participant, let text):
      eventContinuation.yield(.chat(participant, text))
    case .sessionChanged(let register, let by):
      sessionChanged(register, by: by)
    case .sessionReplaced(let id, let by):
      endSession(id, .replaced(by: by))
    case .sessionDisplaced(let register, let by):
      endSession(register.id, .replaced(by: by))
      eventContinuation.yield(.sessionEnded(register.activityIdentifier, by: by))
    case .sessionMembersChanged:
      updateMembers()
      updateLanes()
    case .coordination(let sender, let report):
      coordinationHandlers[report.session]?.updated(update(report, from: sender))
    case .coordinationDigest(let sender, let session, let digest, let otherCopy):
      coordinationHandlers[session]?.updated(
        update(
          CoordinationReport(session: session, data: Data()), digest: digest,
          otherCopy: otherCopy, from: sender))
    case .app(let sender, let message): deliver(message, from: sender)
    case .lane(let sender, let packet): deliver(packet, from: sender)
    case .eventsMissing(let id, let count):
      eventContinuation.yield(.eventsMissing(from: id, count: count))
    case .leaveKnown: milestones.departure.fulfil(())
    case .misbehaved(let participant, let offence):
      eventContinuation.yield(.misbehaved(participant, offence))
    case .rulesChanged(let rules, let old, let by):
      eventContinuation.yield(.rulesChanged(rules, from: old, by: by))
      for handler in coordinationHandlers.values { handler.rulesChanged(rules) }
      updateMembers()
    case .removed(let by): end(.removed(by: by))
    case .notAdmitted:
      eventContinuation.yield(
        .warning("The party is closed to newcomers. Ask its host to open it."))
    case .hostLeft: end(.hostLeft)
    case .partyClosed(let by): end(.closed(by: by))
    case .clockChanged:
      break  // Published after each batch of actions.
    }
  }

  /// Subscribes to the questions of newcomers and of participants that missed something. One member of the party
  /// answers each of them.
  private func answerForParty() {
    let (transport, subject) = (transport, keys.subjects.anyone)
    // Bounded by the transport. If it fails, the other members answer.
    Task { try? await transport.subscribe(to: subject, group: PartySubjects.members) }
  }

  func schedule(afterMessageFrom sender: Participant.ID? = nil) {
    guard !isClosed else { return }
    alarm.perform(host.setAlarm(for: machine, afterMessageFrom: sender)) { [weak self] number in
      await self?.alarmRang(number)
    }
  }

  /// Corrects the clock after a sleep of this machine: the host clock stops during sleep, but the party continues.
  private func noticeSleep() {
    let total = HostTime.slept()
    let duration = total - slept
    guard duration > HostTime.leastSleep else { return }
    slept = total
    perform(machine.slept(for: duration, at: .now()))
  }

  private func alarmRang(_ number: Int) {
    noticeSleep()
    machine.noteWallClock(.now(), at: .now())
    guard let actions = host.alarmRang(number, for: &machine, at: .now()) else { return }
    perform(actions)
  }
}
