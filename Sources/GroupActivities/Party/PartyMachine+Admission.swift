import Foundation
import OrderedCollections
import Timekeeping

/// The admission of participants. Only those that answer a fresh challenge are admitted, so replayed traffic admits
/// none.
extension PartyMachine {
  /// Makes a record of a new or returning participant, and challenges it.
  mutating func meet(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction] {
    if let known = peers[inbound.sender] {
      guard known.standing == .absent else { return [] }
      guard known.epoch == inbound.epoch else {
        // The same key in another process: no state of the old one applies.
        peers[inbound.sender] = nil
        return meet(inbound, at: now)
      }
      return challenge(inbound.sender, attempts: 0, at: now)
    }
    guard allowances.meetings.spend(at: now) else {
      misconduct.rejections.excess += 1
      return []
    }
    if peers.count >= Self.peerLimit {
      guard let forgettable = peers.values.first(where: { $0.standing != .admitted }) else {
        misconduct.rejections.excess += 1
        return []
      }
      peers[forgettable.id] = nil
    }
    peers[inbound.sender] = PeerRecord(
      id: inbound.sender, epoch: inbound.epoch, standing: .absent,
      baseline: log.lastSequence, lastHeard: now, allowance: .inbound(at: now))
    return challenge(inbound.sender, attempts: 0, at: now)
  }

  /// Returns whether a message with this heading was heard before: it would change nothing even if it is authentic.
  func hasHeard(_ heading: Envelope.Heading) -> Bool {
    guard let peer = peers[heading.sender], peer.epoch == heading.epoch else { return false }
    switch heading.delivery {
    case .event: return peer.streams.inbound.map { heading.sequence < $0.next } ?? false
    case .beacon: return peer.beacon != nil && heading.sequence <= peer.beaconSource.sequence
    case .direct: return false
    case .loose: return peer.streams.loose.contains(heading.sequence)
    case .lane: return peer.streams.lane.contains(heading.sequence)
    }
  }

  /// Processes a message from another process of a known participant.
  ///
  /// A challenge is to the key, and its answer proves which of the key's processes is alive. Replayed messages of an
  /// earlier process therefore can't keep the present one out.
  mutating func heardOtherEpoch(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction] {
    guard let peer = peers[inbound.sender], case .challenged = peer.standing else {
      misconduct.rejections.stale += 1
      return []
    }
    if case .direct(.probeReply(let reply)) = inbound.message,
      asked.probes.contains(reply.nonce, to: inbound.sender), reply.introduction != nil
    {
      var present = PeerRecord(
        id: inbound.sender, epoch: inbound.epoch, standing: peer.standing,
        baseline: peer.baseline, lastHeard: now, allowance: peer.allowance)
      present.sideAllowances.lane = peer.sideAllowances.lane
      misconduct.rejections.stale += peer.held.count
      peers[inbound.sender] = present
      return answered(reply, from: inbound, at: now)
    }
    misconduct.rejections.stale += 1
    // The challenge may have been sent before this process listened.
    guard peer.process.candidate != inbound.epoch, allowances.meetings.spend(at: now) else {
      return []
    }
    peers[inbound.sender]?.process.candidate = inbound.epoch
    return probe(inbound.sender, introduction: true, at: now)
  }

  mutating func challenge(
    _ id: Participant.ID, attempts: Int, at now: HostTime
  ) -> [PartyAction] {
    let interval = configuration.timing.challengeInterval
    peers[id]?.standing = .challenged(attempts: attempts + 1, nextAt: now + interval)
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
    let peer = peers[inbound.sender]
    guard probe.introduction || allowances.clock.spend(at: now) else {
      misconduct.rejections.excess += 1
      return []
    }
    var reply = ProbeReply(
      nonce: probe.nonce, times: times(of: inbound, at: now), baseline: peer?.baseline ?? 0)
    if probe.introduction {
      reply.introduction = ProbeReply.Introduction(
        beacon: beacon(at: now), beaconSequence: numbers.beacon,
        members: others.prefix(Self.memberListLimit).map(\.id), coordination: playback.full,
        seniors: seniors, exchangeKey: policy.keys.publicKey)
    }
    return inbound.path != nil
      ? [.sendOnPath(.direct(.probeReply(reply)), to: inbound.sender)]
      : [.send(.probeReply(reply), sequence: 0, to: .only(inbound.sender))]
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
    if inbound.path != nil { paths.answered(by: inbound.sender) }
    return introduced(reply, by: inbound, sent: sentAt, at: now)
  }

  /// Processes the answer to a fresh question, which proves that its sender is alive.
  mutating func introduced(
    _ reply: ProbeReply, by inbound: InboundMessage, sent: HostTime, at now: HostTime
  ) -> [PartyAction] {
    guard var peer = peers[inbound.sender] else { return [] }
    peer.lastHeard = now
    var actions: [PartyAction] = []
    var held: [InboundMessage] = []
    if let introduction = reply.introduction, peer.standing != .admitted {
      peer.standing = .admitted
      if let key = introduction.exchangeKey { peer.process.exchangeKey = key }
      if peer.streams.inbound == nil {
        peer.streams.inbound = InboundSequence(baseline: reply.baseline)
      }
      // Events that were requested while it couldn't be reached are requested again.
      peer.streams.inbound?.linkReturned(at: now)
      presence.admitted(at: now)
      held = peer.held
      peer.held = []
      peers[inbound.sender] = peer
      actions += take(
        introduction.beacon, sequence: introduction.beaconSequence, from: inbound.sender, at: now,
        isIntroduction: true)
      hear(introduction, from: inbound.sender, at: now)
      if let report = introduction.coordination {
        actions += take(report, from: inbound.sender)
      }
      if case .arriving(var toldOf, let since) = membership {
        toldOf.formUnion(introduction.members.prefix(Self.memberListLimit))
        toldOf.remove(configuration.id)
        membership = .arriving(toldOf: toldOf, since: since)
      }
    } else {
      peers[inbound.sender] = peer
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
    for peer in peers.values {
      guard case .challenged(let attempts, let nextAt) = peer.standing, now >= nextAt else {
        continue
      }
      if attempts < configuration.timing.challengeLimit {
        actions += challenge(peer.id, attempts: attempts, at: now)
      } else if peer.streams.inbound == nil {
        // It never proved that it is alive: most likely an echo of old traffic.
        misconduct.rejections.stale += peer.held.count
        peers[peer.id] = nil
      } else {
        misconduct.rejections.stale += peer.held.count
        peers[peer.id]?.held = []
        peers[peer.id]?.standing = .absent
      }
    }
    return actions
  }

  /// Completes a newcomer's arrival, once it knows the time and all members that were mentioned to it, or has waited
  /// for them long enough.
  mutating func finishArriving(at now: HostTime) -> [PartyAction] {
    guard case .arriving(let toldOf, let since?) = membership else { return [] }
    let isComplete = toldOf.allSatisfy { peers[$0]?.standing == .admitted }
    let timing = configuration.timing
    let waited = now - since
    guard clock.count >= min(3, timing.clockBurst) || waited >= timing.introductionLimit,
      isComplete || waited >= timing.introductionLimit, let reading = clockReading(at: now)
    else { return [] }
    ownArrival.testimonies.predecessors = toldOf
    name = uniqueName
    rosterChanged()
    membership = .joined(at: reading.groupTime(at: now))
    // From here on it counts for itself: a member that claimed thousands doesn't slow its clock any more.
    let next = now + timing.clockBurstInterval(participants: participantCount)
    exchanges.bringForward(to: next)
    judgeArrivals(at: now)
    updateReference(at: now)
    for session in ownArrival.offeredSessions { _ = take(session, at: now) }
    ownArrival.offeredSessions = []
    var actions: [PartyAction] = [.report(.joined(me))]
    actions += others.map { .report(.participantJoined($0)) }
    actions += sessions.all.map { .report(.sessionChanged($0, by: $0.stamp.participant)) }
    return actions + takeHeld(at: now) + tellNews(at: now)
  }
}
