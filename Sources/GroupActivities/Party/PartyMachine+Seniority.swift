import Timekeeping

/// The order of seniority, which decides names and the clock's reference.
///
/// A participant's own claim of its arrival might be a lie. The order follows from what the members
/// witnessed: an arrival can't precede the moment at which the present participants noticed it. A newcomer
/// uses the reports of the participants that it meets: a host's report alone if there is one, else the median
/// of all.
extension PartyMachine {
  var mySeniority: Seniority? {
    joinedAt.map { Seniority($0, configuration.id, creator: configuration.party) }
  }

  /// Returns a participant's place in the order in which participants become the clock's reference: one whose time
  /// jumped comes last, and hosts precede guests, since they may move the group anyway.
  func precedence(of seniority: Seniority, isDeposed: Bool = false) -> Seniority {
    var precedence = seniority
    if seniority.rank > 0 {
      precedence.rank =
        switch rules.role(of: seniority.id) {
        case .host: 1
        case .coHost: 2
        case .guest: 3
        }
    }
    if isDeposed { precedence.rank += 4 }
    return precedence
  }

  func precedence(of peer: PeerRecord) -> Seniority? {
    roster.seniority(of: peer).map { precedence(of: $0, isDeposed: peer.clock.isDeposed) }
  }

  /// The first of the others in precedence.
  var firstOther: Seniority? { roster.present.compactMap { precedence(of: $0) }.min() }

  /// The participant whose host clock is the group's: the creator, else a host, else the longest present. Nil
  /// before any participant has joined.
  var reference: Participant.ID? {
    let mine = mySeniority.map { precedence(of: $0, isDeposed: keeper.hasJumped) }
    return [mine, firstOther].compactMap { $0 }.min()?.id
  }

  // MARK: - Arrivals

  /// Returns the arrival of a participant that is heard of for the first time.
  ///
  /// - Parameter claimed: the arrival that it claims.
  func witnessed(
    _ claimed: GroupTime, by id: Participant.ID, at now: HostTime
  ) -> PeerRecord.Arrival {
    func reported(_ time: GroupTime?) -> PeerRecord.Arrival {
      PeerRecord.Arrival(time: time ?? claimed, isWitnessed: false)
    }
    guard let joinedAt else { return reported(testified(claimed, of: id)) }
    if ownArrival.testimonies.speak(of: id), let time = testified(claimed, of: id) {
      return reported(time)
    }
    guard let reading = clockReading(at: now) else { return reported(nil) }
    guard
      let noticing = rosterPolicy.noticing(
        after: reading.groupTime(at: now) - joinedAt,
        silence: silenceLimits(at: now).limit(of: .quiet, after: nil))
    else { return reported(testified(claimed, of: id)) }
    let noticed = reading.groupTime(at: presence.lastSure(before: now - noticing))
    return PeerRecord.Arrival(time: max(claimed, noticed), isWitnessed: true)
  }

  /// The participants with the earliest arrivals, as reported to a newcomer.
  var seniors: [ProbeReply.Senior]? {
    guard joinedAt != nil else { return nil }
    let ranks = roster.lastingRanks + [mySeniority].compactMap { $0 }
    return ranks.sorted().prefix(ArrivalTestimonies.limit)
      .map { ProbeReply.Senior(id: $0.id, arrivedAt: $0.arrivedAt) }
  }

  /// Notes the arrivals of the others, as a participant that was here before reports them.
  mutating func hear(
    _ introduction: ProbeReply.Introduction, from sender: Participant.ID, at now: HostTime
  ) {
    // Later participants can't report any that came before this one.
    guard joinedAt == nil || ownArrival.testimonies.predecessors.contains(sender) else { return }
    if let seniors = introduction.seniors { ownArrival.testimonies.add(seniors, of: sender) }
    judgeArrivals(at: now)
    updateReference(at: now)
  }

  /// Decides the arrivals of participants that came before this one, or with it.
  mutating func judgeArrivals(at now: HostTime) {
    for (id, claimed) in roster.unwitnessed {
      var time = testified(claimed, of: id)
      if time == nil, let joinedAt, rosterPolicy.allMeet,
        ownArrival.testimonies.hasWitness(besides: id)
      {
        // No participant that was here before mentions it.
        time = max(claimed, joinedAt - configuration.timing.freshness)
      }
      guard let time else { continue }
      roster.arrivalDecided(PeerRecord.Arrival(time: time, isWitnessed: false), of: id)
    }
  }

  /// - Returns: nil if the reports don't mention it.
  private func testified(_ claimed: GroupTime, of id: Participant.ID) -> GroupTime? {
    let hosts = ownArrival.testimonies.witnesses.filter {
      rules.role(of: $0) != .guest || $0 == configuration.party
    }
    let first = hosts.map {
      precedence(of: Seniority(claimed, $0, creator: configuration.party))
    }.min()
    return ownArrival.testimonies.arrival(of: id, claiming: claimed, by: first?.id).map {
      max(claimed, $0)
    }
  }

  // MARK: - Jumps

  /// The distance from which a reference that all others contradict takes its own clock for the wrong one.
  private static let jump = Duration.milliseconds(500)

  /// Returns whether a reference may change the time by more than its clock can drift. Hosts may move the
  /// group anyway, and the others follow a host whose machine was stopped for a while.
  private func mayJump(_ id: Participant.ID) -> Bool {
    id == configuration.party || rules.role(of: id) != .guest
  }

  /// Checks an answer of the reference.
  ///
  /// - Returns: nil if it can be true. Otherwise the answer is ignored, and after several such answers the
  ///   next participant is the reference.
  mutating func contradicted(
    by times: ProbeReply.Times, of sender: Participant.ID, sent: HostTime, returned: HostTime,
    at now: HostTime
  ) -> [PartyAction]? {
    guard joinedAt != nil, !isReference, !mayJump(sender), clock.isSettled else { return nil }
    clock.anchor(at: now)
    guard
      clock.contradicts(
        sent: sent, received: times.received, answered: times.sent, returned: returned,
        responderUncertainty: .nanoseconds(times.uncertainty))
    else {
      _ = roster.timeAnswered(by: sender, isContradiction: false)
      return nil
    }
    misconduct.rejections.invalid += 1
    guard roster.timeAnswered(by: sender, isContradiction: true) else { return [] }
    updateReference(at: now)
    return [.report(.clockChanged)]
  }

  /// Returns the greatest distance of a participant's time from the time that it took over.
  func doubt(of peer: PeerRecord, at now: HostTime) -> Duration {
    peer.doubt(mayJump: mayJump(peer.id), at: now)
  }

  /// Compares the time, as a guest that is the reference. If all others have another time, this machine was
  /// stopped unnoticed.
  mutating func compareTime(of beacon: Beacon, in inbound: InboundMessage, at now: HostTime) {
    guard isReference, rosterPolicy.allMeet, !mayJump(configuration.id), let sentAt = beacon.sentAt,
      let reading = clockReading(at: now)
    else { return }
    let apart = reading.groupTime(at: inbound.receivedAt) - sentAt
    // A beacon with a long delay shows nothing.
    roster.timeCompared(
      of: inbound.sender,
      isApart: apart < .zero - Self.jump || apart > configuration.timing.freshness)
    guard roster.present.allSatisfy({ $0.clock.isApart }) else {
      keeper.apartSince = nil
      return
    }
    // Waits until the others have noticed as well and have another reference.
    let longest = rosterPolicy.longestClockInterval
    let since = keeper.apartSince ?? now
    keeper.apartSince = since
    guard now - since > longest * (PeerClock.contradictionLimit + 2) else { return }
    keeper.hasJumped = true
    clock.slept(for: .zero, uncertainty: .seconds(86_400), at: now)
    updateReference(at: now)
  }
}
