import Foundation
import OrderedCollections
import Timekeeping

/// What is lost, who is silent, and what time it is.
extension PartyMachine {
  /// Events that overtake each other are given a moment; the randomness keeps many who lost the same
  /// event from asking at once.
  mutating func patience() -> Duration {
    .microseconds(Int64.random(in: 5_000...30_000, using: &random))
  }

  mutating func requestMissing(from id: Participant.ID, at now: HostTime) -> [PartyAction] {
    guard peers[id]?.standing == .admitted, let due = peers[id]?.inbound?.requestAt, now >= due,
      let outcome = peers[id]?.inbound?.request(at: now)
    else { return [] }
    return carryOut(outcome, from: id, at: now)
  }

  mutating func carryOut(
    _ request: InboundSequence.Request, from id: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    switch request {
    case .none: return []
    case .ask(let request):
      return [.send(.resendRequest(request), .direct, sequence: 0, to: .only(id))]
    case .giveUp(let missing, let delivered):
      return [.report(.eventsMissing(from: id, count: missing))]
        + delivered.flatMap { deliver($0, from: id, at: now) }
    }
  }

  // MARK: - Presence

  var participantCount: Int { peers.values.count(where: \.isPresent) + 1 }

  var silenceLimit: Duration {
    configuration.timing.silenceLimit(participants: participantCount)
  }

  mutating func noticeSilence(at now: HostTime) -> [PartyAction] {
    let limit = silenceLimit
    var actions: [PartyAction] = []
    for peer in peers.values where peer.standing == .admitted && now - peer.lastHeard >= limit {
      actions += depart(peer.id, announced: false, at: now)
    }
    return actions
  }

  mutating func depart(_ id: Participant.ID, announced: Bool, at now: HostTime) -> [PartyAction] {
    guard let peer = peers[id] else { return [] }
    peers[id]?.standing = .absent
    if case .arriving(var toldOf, let since) = membership {
      toldOf.remove(id)
      membership = .arriving(toldOf: toldOf, since: since)
    }
    guard peer.isPresent else { return [] }
    nameGeneration += 1
    updateReference(at: now)
    guard joinedAt != nil else { return [] }
    var actions: [PartyAction] = [
      .report(.participantLeft(participant(peer), announced: announced)),
      .report(.sessionMembersChanged), .report(.clockChanged),
    ]
    actions += endIfHostLeft(id)
    // Everybody who sees it go ends the session; whose word is the newest doesn't matter.
    if let session, session.endsWithInitiator, session.initiator == id {
      actions += changeSession(session.id, at: now) { $0.ended = true } ?? []
    }
    return actions
  }

  mutating func sendBeacon(at now: HostTime) -> [PartyAction] {
    guard membership != .left else { return [] }
    beaconSequence += 1
    let interval = configuration.timing.beaconInterval(participants: participantCount)
    beaconAt = now + interval * Double.random(in: 0.75...1.25, using: &random)
    guard isConnected else { return [] }
    return [.send(.beacon(beacon(at: now)), .beacon, sequence: beaconSequence, to: .everyone)]
  }

  func beacon(at now: HostTime) -> Beacon {
    let clock = clockReading(at: now)
    // Whoever stands in for the creator as the reference says how far its time may be off from what it took
    // over: those who come back from the others' time, or go there, have to know.
    let inherited = isReference && !isCreator ? self.clock.uncertainty(at: now) : nil
    return Beacon(
      name: name, joinedAt: joinedAt, lastEvent: outbound.lastSequence,
      sessionStamp: session?.stamp, joinedSession: joinedSession, coordination: coordination,
      charter: charter.digest,
      clockUncertainty: clock.map { (inherited ?? $0.uncertainty).inNanoseconds / 1000 },
      clockRoundTrip: clock.map { $0.roundTrip.inNanoseconds / 1000 })
  }
}
