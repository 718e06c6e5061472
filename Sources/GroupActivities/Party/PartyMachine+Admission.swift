import Foundation
import Timekeeping

/// The admission of participants. Only those that answer a fresh challenge are admitted, so replayed traffic admits
/// none.
extension PartyMachine {
  /// Makes a record of a new or returning participant, and challenges it.
  mutating func meet(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction] {
    switch roster.messageArrived(from: inbound.sender, epoch: inbound.epoch) {
    case .current: return []
    case .absent: break
    case .unknown:
      guard allowances.meetings.spend(at: now),
        roster.met(
          inbound.sender, epoch: inbound.epoch, baseline: log.lastSequence, at: now)
      else {
        misconduct.rejections.excess += 1
        return []
      }
    }
    return challenge(inbound.sender, attempts: 0, at: now)
  }

  /// Processes a message from another process of a known participant.
  ///
  /// A challenge is to the key, and its answer proves which of the key's processes is alive. Replayed messages of an
  /// earlier process therefore can't keep the present one out.
  mutating func heardOtherEpoch(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction] {
    guard let peer = roster[inbound.sender], case .challenged = peer.standing else {
      misconduct.rejections.stale += 1
      return []
    }
    if case .direct(.probeReply(let reply)) = inbound.message,
      asked.probes.contains(reply.nonce, to: inbound.sender), reply.introduction != nil
    {
      misconduct.rejections.stale += roster.otherProcessAnswered(
        of: inbound.sender, epoch: inbound.epoch, at: now)
      return answered(reply, from: inbound, at: now)
    }
    misconduct.rejections.stale += 1
    // The challenge may have been sent before this process listened.
    guard peer.process.candidate != inbound.epoch, allowances.meetings.spend(at: now) else {
      return []
    }
    roster.otherProcessHeard(of: inbound.sender, epoch: inbound.epoch)
    return probe(inbound.sender, introduction: true, at: now)
  }

  mutating func challenge(
    _ id: Participant.ID, attempts: Int, at now: HostTime
  ) -> [PartyAction] {
    let interval = configuration.timing.challengeInterval
    roster.challenged(id, attempts: attempts + 1, nextAt: now + interval)
    return probe(id, introduction: true, at: now)
  }

  mutating func probe(
    _ id: Participant.ID, introduction: Bool, at now: HostTime
  ) -> [PartyAction] {
    let nonce = random.next()
    asked.probes.add(nonce, to: id, at: now)
    return [
      .send(
        .probe(Probe(nonce: nonce, introduction: introduction)), sequence: 0, to: .only(id)
      )
    ]
  }

  mutating func answer(
    _ probe: Probe, from inbound: InboundMessage, at now: HostTime
  ) -> [PartyAction] {
    guard
      probe.introduction
        ? affordsIntroduction(to: inbound.sender, at: now) : allowances.clock.spend(at: now)
    else {
      misconduct.rejections.excess += 1
      return []
    }
    var reply = ProbeReply(
      nonce: probe.nonce, times: times(of: inbound, at: now),
      baseline: roster[inbound.sender]?.baseline ?? 0)
    if probe.introduction {
      reply.introduction = ProbeReply.Introduction(
        beacon: beacon(at: now), beaconSequence: numbers.beacon,
        members: others.prefix(Self.memberListLimit).map(\.id), coordination: playback.full,
        seniors: seniors, exchangeKey: policy.keys.publicKey)
    }
    return [.send(.probeReply(reply), sequence: 0, to: .only(inbound.sender))]
  }

  /// Charges an introduction, which is longer than the question, to a participant in the roster. Those outside have an
  /// allowance together.
  private mutating func affordsIntroduction(to id: Participant.ID, at now: HostTime) -> Bool {
    guard roster[id] != nil else { return true }
    let bytes =
      16 * min(presence.presentCount, Self.memberListLimit) + (playback.full?.data.count ?? 0)
    return roster.spend(forAnswer: 1 + bytes / 1024, to: id, at: now)
  }

  /// Returns the group times of a message's arrival and of its answer's departure.
  func times(of inbound: InboundMessage, at now: HostTime) -> ProbeReply.Times? {
    clockReading(at: now).map { clock in
      ProbeReply.Times(
        received: clock.groupTime(at: inbound.receivedAt), sent: clock.groupTime(at: now),
        uncertainty: (provenError(at: now) ?? clock.uncertainty).inNanoseconds)
    }
  }

  mutating func answered(
    _ reply: ProbeReply, from inbound: InboundMessage, at now: HostTime
  ) -> [PartyAction] {
    guard let sentAt = asked.probes.answered(reply.nonce, by: inbound.sender) else {
      misconduct.rejections.stale += 1
      return []
    }
    return introduced(reply, by: inbound, sent: sentAt, at: now)
  }

  /// Processes the answer to a fresh question, which proves that its sender is alive.
  mutating func introduced(
    _ reply: ProbeReply, by inbound: InboundMessage, sent: HostTime, at now: HostTime
  ) -> [PartyAction] {
    guard let peer = roster[inbound.sender] else { return [] }
    var actions: [PartyAction] = []
    var held: [InboundMessage] = []
    if let introduction = reply.introduction, peer.standing != .admitted {
      held = roster.introduced(
        inbound.sender, exchangeKey: introduction.exchangeKey, baseline: reply.baseline, at: now)
      presence.admitted(at: now)
      actions += beaconReceived(
        introduction.beacon, sequence: introduction.beaconSequence, from: inbound.sender, at: now,
        isIntroduction: true)
      hear(introduction, from: inbound.sender, at: now)
      if let report = introduction.coordination {
        actions += coordinationReceived(report, from: inbound.sender)
      }
      if case .arriving(var mentioned, let since) = membership {
        mentioned.formUnion(introduction.members.prefix(Self.memberListLimit))
        mentioned.remove(configuration.id)
        membership = .arriving(mentioned: mentioned, since: since)
      }
    } else {
      roster.heard(inbound.sender, at: now)
    }
    if let times = reply.times {
      actions += exchanged(
        times, with: inbound.sender, sent: sent, returned: inbound.receivedAt, at: now)
    }
    for message in held { actions += process(message, at: now) }
    return actions + finishArriving(at: now)
  }

  mutating func ageProbes(at now: HostTime) -> [PartyAction] {
    asked.probes.forget(olderThan: configuration.timing.probeLifetime, at: now)
    var actions: [PartyAction] = []
    for (id, attempts) in roster.overdueChallenges(at: now) {
      if attempts < configuration.timing.challengeLimit {
        actions += challenge(id, attempts: attempts, at: now)
      } else {
        misconduct.rejections.stale += roster.challengesFailed(of: id)
      }
    }
    return actions
  }

  /// Completes a newcomer's arrival, once it knows the time and all members that were mentioned to it, or has waited
  /// for them long enough.
  mutating func finishArriving(at now: HostTime) -> [PartyAction] {
    guard case .arriving(let mentioned, let since?) = membership else { return [] }
    let isComplete = mentioned.allSatisfy { roster[$0]?.standing == .admitted }
    let timing = configuration.timing
    let waited = now - since
    guard clock.count >= min(3, timing.clockBurst) || waited >= timing.introductionLimit,
      isComplete || waited >= timing.introductionLimit, let reading = clockReading(at: now)
    else { return [] }
    ownArrival.testimonies.predecessors = mentioned
    name = roster.uniqueName(for: wantedName)
    roster.ownNameChanged()
    rosterChanged()
    membership = .joined(at: reading.groupTime(at: now))
    // From here on it counts for itself: a member that claimed thousands doesn't slow its clock any more.
    exchanges.bringForward(to: now + rosterPolicy.clockBurstInterval)
    judgeArrivals(at: now)
    updateReference(at: now)
    for session in ownArrival.offeredSessions { _ = sessionReceived(session, at: now) }
    ownArrival.offeredSessions = []
    var actions: [PartyAction] = [.report(.joined(me))]
    actions += others.map { .report(.participantJoined($0)) }
    actions += sessions.all.map { .report(.sessionChanged($0, by: $0.stamp.participant)) }
    return actions + processHeld(at: now) + tellNews(at: now)
  }
}
