import Foundation
import Timekeeping

/// Present and silent participants, and this participant's own beacons.
extension PartyMachine {
  /// The behavior that depends on the number of participants.
  var rosterPolicy: RosterPolicy {
    let count: RosterPolicy.Count =
      if joinedAt == nil {
        .welcome(ownArrival.question?.count ?? 0)
      } else if let reference = keeper.known, !isReference {
        .reference(roster[reference]?.beacon?.count ?? 0)
      } else {
        .own
      }
    return RosterPolicy(count, presence, timing: configuration.timing)
  }

  /// The number of participants in the party, this one included.
  var participantCount: Int { rosterPolicy.participants }

  // MARK: - Activity

  /// Returns whether a participant is the reference, active, or quiet: ``Roster/standing(of:reference:timing:at:)``.
  func standing(of peer: PeerRecord, at now: HostTime) -> PresenceSchedule.Standing {
    roster.standing(of: peer, reference: keeper.known, timing: configuration.timing, at: now)
  }

  func standing(at now: HostTime) -> PresenceSchedule.Standing {
    guard !isReference else { return .reference }
    return isCreator || presence.isActive(at: now, timing: configuration.timing) ? .active : .quiet
  }

  /// The number of active participants besides the reference.
  private func activeCount(at now: HostTime) -> Int {
    roster.activeCount(reference: keeper.known, timing: configuration.timing, at: now)
      + (standing(at: now) == .active ? 1 : 0)
  }

  private func interval(for standing: PresenceSchedule.Standing, at now: HostTime) -> Duration {
    rosterPolicy.beaconInterval(
      for: standing, active: activeCount(at: now), size: presence.schedule.averageSize)
  }

  private func interval(at now: HostTime) -> Duration {
    interval(for: standing(at: now), at: now)
  }

  func silenceLimits(at now: HostTime) -> SilenceLimits {
    SilenceLimits(presence, rosterPolicy, active: activeCount(at: now))
  }

  mutating func noticeSilence(at now: HostTime) -> [PartyAction] {
    guard presence.searchesForSilent(at: now) else { return [] }
    let silent = roster.silent(
      reference: keeper.known, limits: silenceLimits(at: now), at: now)
    let actions = silent.ids.flatMap { depart($0, announced: false, at: now) }
    presence.silenceSearched(next: silent.next, at: now, timing: configuration.timing)
    return actions
  }

  mutating func depart(
    _ id: Participant.ID, announced: Bool, keepsRelay: Bool = false, at now: HostTime
  ) -> [PartyAction] {
    guard let peer = roster.left(id, announced: announced, keepsRelay: keepsRelay, at: now)
    else { return [] }
    presence.population.left(id)
    standby.changed()
    if !announced { standby.doubts.fellSilent(id, at: now) }
    if case .arriving(var mentioned, let since) = membership {
      mentioned.remove(id)
      membership = .arriving(mentioned: mentioned, since: since)
    }
    guard peer.isPresent else { return [] }
    rosterChanged()
    updateReference(at: now)
    guard joinedAt != nil else { return [] }
    presence.schedule.participantsFell(to: participantCount, at: now)
    if !announced { askForLastWords(of: id, at: now) }
    var actions: [PartyAction] = [
      .report(.participantLeft(participant(peer), announced: announced)),
      .report(.sessionMembersChanged), .report(.clockChanged),
    ]
    actions += endIfHostLeft(id)
    // All participants that notice the departure end the session. It doesn't matter whose stamp is the
    // newest.
    for session in sessions.current where session.endsWithInitiator && session.initiator == id {
      actions += changeSession(session.id, at: now) { $0.ended = true } ?? []
    }
    return actions
  }

  // MARK: - Beacons

  /// Sends news at once or, among many participants, as soon as the others' news allow it.
  mutating func tellNews(at now: HostTime) -> [PartyAction] {
    guard !rosterPolicy.sendsNewsAtOnce else { return sendBeacon(at: now) }
    presence.schedule.hurry(dice: Double.random(in: 0.5...1.5, using: &random), at: now)
    return []
  }

  mutating func sendBeaconIfDue(at now: HostTime) -> [PartyAction] {
    guard let due = presence.schedule.dueAt, now >= due else { return [] }
    let interval = interval(at: now)
    guard
      presence.schedule.expired(
        interval: interval, dice: Double.random(in: 0.5...1.5, using: &random),
        participants: participantCount, at: now, timing: configuration.timing)
    else { return [] }
    return sendBeacon(at: now)
  }

  mutating func sendBeacon(at now: HostTime) -> [PartyAction] {
    guard membership != .left else { return [] }
    latest = now
    numbers.beacon += 1
    // A count that the others can't hear changes nothing: all are to rank the relays alike.
    if isConnected { countReach(at: now) }
    let rosterPolicy = rosterPolicy
    let interval = interval(at: now)
    var beacon = beacon(at: now)
    beacon.standby = standby.dueReport
    presence.schedule.sent(
      size: Int(presence.schedule.averageSize), interval: interval,
      dice: Double.random(in: 0.5...1.5, using: &random), participants: rosterPolicy.participants,
      at: now)
    if !rosterPolicy.allAreKnown {
      let silence = self.interval(for: .quiet, at: now) * rosterPolicy.timing.silentIntervals
      presence.population.forget(silentSince: now - silence)
    }
    guard isConnected else { return [] }
    log.announced(at: now, keeping: rosterPolicy.timing.doubtfulTime)
    return [.send(.beacon(beacon), sequence: numbers.beacon, to: .everyone)]
  }

  func beacon(at now: HostTime) -> Beacon {
    let clock = clockReading(at: now)
    // A substitute of the creator as the reference reports the uncertainty of its time against the time that
    // it took over. Participants that return from the others' time, or change to it, need that.
    let inherited = isReference && !isCreator ? self.clock.uncertainty(at: now) : nil
    let interval = interval(at: now)
    let doubt = provenError(at: now)
    return Beacon(
      name: name, joinedAt: joinedAt, lastEvent: log.lastSequence,
      sessions: sessions.held,
      coordination: playback.full?.version ?? 0, coordinationDigest: playback.digest,
      policyLog: policyLog.digest,
      clockUncertainty: clock.map {
        (inherited ?? doubt ?? $0.uncertainty).inNanoseconds / 1000
      },
      clockRoundTrip: clock.map { $0.roundTrip.inNanoseconds / 1000 },
      sentAt: clock?.groupTime(at: now),
      interval: UInt64(max(0, interval.inNanoseconds / 1_000_000)),
      count: UInt64(participantCount),
      settled: presence.settledEvents(
        of: log.lastSequence, at: now, timing: configuration.timing),
      roster: rosterDigest,
      wallClock: doubt.flatMap { self.clock.wallClockClaim(doubt: $0, at: now) },
      otherCopy: playback.otherCopy, door: configuration.door)
  }
}
