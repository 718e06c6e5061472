import Concurrency
import Foundation
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// The shells around the machines: the work of ``Party`` and ``DelegatingPlaybackCoordinator``.
extension Simulation {
  // MARK: - The party's machine

  func act(
    _ participant: SimulatedParticipant,
    _ body: (inout PartyMachine, HostTime) -> [PartyAction]
  ) {
    perform(body(&participant.party, participant.hostTime(at: now)), by: participant)
    setPartyAlarm(participant)
  }

  private func perform(_ actions: [PartyAction], by participant: SimulatedParticipant) {
    for action in actions {
      for mutated in mutation.partyAction(action, participant) { perform(mutated, by: participant) }
    }
  }

  private func perform(_ action: PartyAction, by participant: SimulatedParticipant) {
    switch action {
    case .send(let message, let sequence, let recipient):
      seal(message, sequence, from: participant, to: recipient)
    case .report(let event):
      handle(event, at: participant)
    case .verify(let originals, _):
      for original in originals {
        guard let inbound = signed[original] else { continue }
        act(participant) { $0.passedOn(inbound, at: $1) }
      }
    case .reopen(let messages):
      for message in messages {
        guard let delivery = seals.take(message) else { continue }
        open(delivery, receivedAt: message.receivedAt, by: participant)
      }
    }
  }

  private func handle(_ event: PartyMachineEvent, at participant: SimulatedParticipant) {
    guard participant.isRunning else { return }
    switch event {
    case .joined:
      takeReading(participant)
      note(.arrived, at: participant)
    case .participantJoined(let other):
      note(.met(other.id), at: participant)
    case .participantLeft(let other, _):
      note(.lost(other.id), at: participant)
      witness(.somebodyLeft, participant)
    case .chat(let sender, let text):
      guard let number = Int(text) else { break }
      note(.chatHeard(from: sender.id, number: number), at: participant)
    case .eventsMissing(let sender, let count):
      note(.eventsMissing(from: sender, count: count), at: participant)
    case .clockChanged: takeReading(participant)
    case .sessionChanged(let register, _):
      note(.sessionTaken(register.stamp), at: participant)
      if register.activityIdentifier == "watch", participant.program == nil {
        sessionChanged(register, at: participant)
      }
    case .sessionMembersChanged:
      guard let session = participant.session else { break }
      let members = Set(participant.party.members(of: session).map(\.id)).subtracting([
        participant.id
      ])
      coordinate(participant, .membership) { $0.membersChanged(members, at: $1) }
    case .coordination(let sender, let report):
      receive(report, from: sender, at: participant)
    case .coordinationDigest(let sender, let session, let data, let otherCopy):
      guard participant.session == session, let digest = try? ReportDigest(binary: data) else {
        return
      }
      participant.coordinator.received(digest, otherCopy: otherCopy, from: sender)
    case .rulesChanged(let rules, _, _):
      note(.rulesChanged(rules), at: participant)
      rulesChanged(rules, at: participant)
    case .removed, .hostLeft, .partyClosed:
      guard participant.program == nil else { break }
      // The party is over for it. A whole program leaves it by itself.
      act(participant) { machine, _ in machine.leave() }
      stop(participant)
    case .sessionReplaced, .sessionDisplaced, .renamed, .app, .lane, .leaveKnown, .notAdmitted,
      .misbehaved:
      break
    }
    if participant.program != nil { programReported(event, at: participant) }
  }

  private func rulesChanged(_ rules: PartyRules, at participant: SimulatedParticipant) {
    guard participant.session != nil else { return }
    coordinate(participant, .rules) { $0.setControllers(rules.controllers, at: $1) }
  }

  private func takeReading(_ participant: SimulatedParticipant) {
    // Without a session, a coordinator uses its host's time.
    guard participant.session != nil else { return }
    let host = participant.hostTime(at: now)
    if var reading = participant.inParty({ $0.clockReading(at: host) }) {
      if !reading.isReference { mutation.reading(&reading) }
      participant.reading = reading
    }
  }

  private func setPartyAlarm(
    _ participant: SimulatedParticipant, afterMessageFrom sender: Participant.ID? = nil
  ) {
    let change = participant.inParty {
      participant.partyHost.setAlarm(for: $0, afterMessageFrom: sender)
    }
    switch change {
    case nil, .cancel: break  // An alarm that was cancelled rings without effect.
    case .set(let due, let number):
      schedule(
        .partyTimer(participant.index, alarm: number), at: max(now, participant.trueTime(due)))
    }
  }

  /// Returns whether a participant's wall clock and most of the others' are right.
  func mayTrustWallClocks(_ participant: SimulatedParticipant) -> Bool {
    guard participant.wallClock?.isWrong(at: now) != true else { return false }
    let others = running.filter { $0.id != participant.id }.compactMap(\.wallClock)
    let wrong = others.count { $0.isWrong(at: now) }
    return wrong == 0 || wrong <= (others.count - 1) / 2
  }

  func noteWallClock(_ participant: SimulatedParticipant) {
    var reading = participant.wallClockReading(at: now)
    mutation.wallClock(&reading)
    participant.party.noteWallClock(reading, at: participant.hostTime(at: now))
  }

  func partyAlarmRang(_ number: Int, at participant: SimulatedParticipant) {
    let host = participant.hostTime(at: now)
    noteWallClock(participant)
    guard
      let actions = participant.partyHost.alarmRang(
        number, for: &participant.party, at: host)
    else { return }
    perform(actions, by: participant)
    setPartyAlarm(participant)
    if participant.inParty({ $0.joinedAt }) != nil { takeReading(participant) }
  }

  // MARK: - The network

  func send(
    _ message: WireMessage, _ sequence: UInt64, from sender: SimulatedParticipant,
    to recipient: PartyAction.Recipient, under key: ContentKeyID
  ) {
    messageCount += 1
    let message = codec.transported(message)
    let original = sign(message, sequence, by: sender)
    let answering = recipient == .anyone ? anyone(besides: sender) : nil
    for receiver in participants where receiver.isRunning && receiver !== sender {
      if case .only(let id) = recipient, receiver.id != id { continue }
      if recipient == .anyone, receiver !== answering { continue }
      guard receiver.party.isConnected, sharesRelay(sender, receiver) else { continue }
      let (first, second) = network.arrivals(from: sender.index, to: receiver.index, at: now)
      for arrival in [first, second] {
        guard let arrival else { continue }
        guard let said = forged(message, by: sender, to: receiver) else { continue }
        for mutated in mutation.message(said, sender, receiver) {
          let delivery = Delivery(
            from: sender.index, to: receiver.index, connection: receiver.connection,
            sequence: sequence, message: mutated, original: original, key: key,
            isToAll: recipient == .everyone)
          schedule(.deliver(delivery), at: arrival)
        }
      }
    }
  }

  /// Returns the party member that a broker picks.
  private func anyone(besides sender: SimulatedParticipant) -> SimulatedParticipant? {
    let members = participants.filter {
      $0.isRunning && $0 !== sender && $0.party.isConnected && $0.party.joinedAt != nil
        && sharesRelay(sender, $0)
    }
    return members.isEmpty ? nil : members[messageCount % members.count]
  }

  /// A substitute for signatures: the number of the message that was sent to all.
  private func sign(
    _ message: WireMessage, _ sequence: UInt64, by sender: SimulatedParticipant
  ) -> [UInt8] {
    let delivery = message.delivery
    guard delivery == .event || delivery == .beacon else { return [] }
    let original = UInt64(messageCount).bigEndianBytes
    // Only large parties pass beacons on, and there are many beacons.
    guard delivery == .event || participants.count > RosterPolicy.meshLimit else { return [] }
    signed[original] = InboundMessage(
      sender: sender.id, epoch: sender.party.configuration.epoch, sequence: sequence,
      message: message, receivedAt: HostTime(nanoseconds: 0))
    return original
  }

  func deliver(_ delivery: Delivery) {
    let receiver = participants[delivery.to]
    guard receiver.party.isConnected, receiver.connection == delivery.connection else { return }
    let host = receiver.hostTime(at: now)
    guard receiver.party.policy.keys.holds(delivery.key) else {
      return hold(delivery, receivedAt: host, by: receiver)
    }
    open(delivery, receivedAt: host, by: receiver)
  }

  /// Lets a participant read a message whose key it holds.
  private func open(
    _ delivery: Delivery, receivedAt: HostTime, by receiver: SimulatedParticipant
  ) {
    let host = receiver.hostTime(at: now)
    let sender = participants[delivery.from]
    var inbound = InboundMessage(
      sender: sender.id, epoch: sender.party.configuration.epoch, sequence: delivery.sequence,
      message: delivery.message, receivedAt: receivedAt, original: delivery.original)
    inbound.isToAll = delivery.isToAll
    perform(receiver.party.received(inbound, at: host), by: receiver)
    if mutation.believesClaims { believe(sender, at: receiver) }
    setPartyAlarm(receiver, afterMessageFrom: sender.id)
  }

  // MARK: - Sessions

  private func sessionChanged(_ register: SessionRegister, at participant: SimulatedParticipant) {
    let item = String(decoding: register.activity, as: UTF8.self)
    if participant.session == register.id {
      if register.ended { leaveSession(participant) }
      if participant.coordinator.currentItem != item, !register.ended {
        open(item, at: participant)
      }
      return
    }
    if participant.session != nil { leaveSession(participant) }
    guard !register.ended, participant.isRunning else { return }
    act(participant) { $0.joinSession(register.id, at: $1) }
    join(register.id, participant)
    if participant.coordinator.currentItem != item { open(item, at: participant) }
    witness(.sessionChanged, participant)
  }

  func leaveSession(_ participant: SimulatedParticipant) {
    participant.session = nil
    let shift = Duration.zero - participant.reading.offset
    participant.reading = .alone
    coordinate(participant, .membership) { $0.leaveGroup(shift: shift, at: $1) }
  }

  func join(_ session: GroupSessionID, _ participant: SimulatedParticipant) {
    let host = participant.hostTime(at: now)
    guard let reading = participant.party.clockReading(at: host) else {
      preconditionFailure("\(participant.label) is in a session without the time")
    }
    participant.session = session
    participant.reading = reading
    var reports: [Participant.ID: ParticipantReport] = [:]
    for peer in participant.party.roster.values where peer.isPresent {
      if let report = peer.coordination, report.session == session {
        reports[peer.id] = proven(codec.report(report.data), in: session)
      }
    }
    let id = participant.id
    let controllers = participant.party.rules.controllers
    let isLinkUp = participant.party.isConnected
    coordinate(participant, .membership) {
      $0.join(
        as: id, shift: reading.offset, controllers: controllers, reports: reports,
        isLinkUp: isLinkUp, at: $1)
    }
  }

  private func receive(
    _ coordination: CoordinationReport, from sender: Participant.ID,
    at participant: SimulatedParticipant
  ) {
    guard participant.session == coordination.session else { return }
    let report = proven(codec.report(coordination.data), in: coordination.session)
    if !mutation.checksNumbers, let state = report.state { participant.coordinator.remember(state) }
    let (roundTrip, reference) = participant.inParty {
      ($0.peerClock(sender)?.roundTrip, $0.keeper.known)
    }
    participant.coordinator.distances.roundTrips[sender] = roundTrip
    participant.coordinator.distances.roundTrips[participant.id] = participant.reading.roundTrip
    participant.coordinator.distances.reference = reference
    if let known = participant.coordinator.others[sender], known.revision >= report.revision {
      // A beacon's repetition: the machine ignores it, so no checker needs to look.
      let actions = participant.coordinator.received(
        report, from: sender, at: participant.groupTime(at: now))
      precondition(actions.isEmpty, "\(participant.label) acts on what it knows: \(actions)")
      return
    }
    coordinate(participant, .heard(from: sender)) { $0.received(report, from: sender, at: $1) }
  }

  // MARK: - The coordinator's machine

  func coordinate(
    _ participant: SimulatedParticipant, _ cause: Cause,
    _ body: (inout CoordinatorMachine, GroupTime) -> [CoordinatorAction]
  ) {
    let before = Standing(participant.coordinator)
    let machine = mutation.machine.map { _ in participant.coordinator }
    let actions = body(&participant.coordinator, participant.groupTime(at: now))
    if let machine { mutation.machine?(machine, &participant.coordinator) }
    perform(actions, by: participant, cause, before: before)
  }

  private func perform(
    _ actions: [CoordinatorAction], by participant: SimulatedParticipant, _ cause: Cause,
    before: Standing
  ) {
    for action in actions {
      for mutated in mutation.coordinatorAction(action, participant) {
        perform(mutated, by: participant, cause, before: before)
      }
    }
    note(.coordinated(cause, before: before), at: participant)
    setCoordinatorAlarm(participant)
  }

  private func perform(
    _ action: CoordinatorAction, by participant: SimulatedParticipant, _ cause: Cause,
    before: Standing
  ) {
    if case .report(let event) = action, participant.program != nil {
      programCoordinated(event, at: participant)
    }
    switch action {
    case .issue(let directive):
      note(.issued(directive, cause, before: before), at: participant)
      issue(directive, to: participant, before: before)
    case .cancelCommand: break  // The player already has another item, so there is nothing to do.
    case .publish(let report, let urgency):
      note(.published(report), at: participant)
      guard let session = participant.session else { return }
      sign(report, in: session, by: participant)
      let data = codec.data(report)
      act(participant) { machine, _ in
        let actions =
          urgency == .digest
          ? []
          : machine.setCoordination(data, session: session, isCommand: urgency == .command)
        machine.setCoordinationDigest(
          Data(ReportDigest(report).binary), otherCopy: report.otherCopy, session: session)
        return actions
      }
    case .report(.changed(let change)):
      note(.changed(change), at: participant)
      if change.kind == .pause { witness(.pauseHeard, participant) }
      if change.kind == .play { witness(.startProposed, participant) }
    case .report(.waiting(let waiting)):
      note(.waiting(waiting), at: participant)
    case .report(.suspensionsChanged): witness(.suspended, participant)
    case .report(.settled), .report(.participantsChanged), .report(.replayEnded),
      .report(.waitsAtOwnEnd):
      break
    }
  }

  private func setCoordinatorAlarm(_ participant: SimulatedParticipant) {
    switch participant.coordinatorHost.setAlarm(
      for: participant.coordinator, participant.hostTime)
    {
    case nil, .cancel: break
    case .set(let due, let number):
      schedule(
        .coordinatorTimer(participant.index, alarm: number),
        at: max(now + 1, participant.trueTime(due)))
    }
  }

  func coordinatorAlarmRang(_ number: Int, at participant: SimulatedParticipant) {
    let before = Standing(participant.coordinator)
    let machine = mutation.machine.map { _ in participant.coordinator }
    let group = participant.groupTime(at: now)
    guard
      let actions = participant.coordinatorHost.alarmRang(
        number, for: &participant.coordinator, at: group)
    else { return }
    if let machine { mutation.machine?(machine, &participant.coordinator) }
    perform(actions, by: participant, .timer, before: before)
  }
}
