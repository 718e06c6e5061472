import Timekeeping

/// The party's time: whose clock it is, and how the others learn it.
extension PartyMachine {
  var isReference: Bool { knownReference == configuration.id }

  func clockReading(at now: HostTime) -> GroupClockReading? {
    guard var reading = clock.reading(at: now) else { return nil }
    reading.isReference = isReference
    if isReference {
      reading.uncertainty = referenceDoubt
      reading.roundTrip = .zero
    }
    return reading
  }

  mutating func beginClockBurst(at now: HostTime) {
    burstLeft = clockBurst
    clockExchangeAt = now
  }

  private var clockBurst: Int {
    isLarge ? configuration.timing.crowdedClockBurst : configuration.timing.clockBurst
  }

  mutating func exchangeClock(at now: HostTime) -> [PartyAction] {
    guard let due = clockExchangeAt, now >= due else { return [] }
    let timing = configuration.timing
    let longest = timing.longestClockInterval(participants: participantCount)
    if burstLeft > 0 {
      burstLeft -= 1
      clockInterval = isLarge ? longest : timing.clockIntervals.lowerBound
      clockExchangeAt = now + timing.clockBurstInterval(participants: participantCount)
    } else {
      // Who came together doesn't ask together.
      let dice = isLarge ? Double.random(in: 0.75...1.25, using: &random) : 1
      clockExchangeAt = now + clockInterval * dice
      clockInterval = min(clockInterval * timing.clockIntervalGrowth, longest)
    }
    guard let timekeeper else { return [] }
    return probe(timekeeper, introduction: false, at: now)
  }

  /// Whom to ask what time it is: the reference, and nobody if that is oneself, unless one has slept; then
  /// those know it who were awake.
  private var timekeeper: Participant.ID? {
    guard isReference else { return knownReference }
    guard referenceDoubt > Self.greatestDoubt else { return nil }
    return peers.values.filter(\.isPresent).compactMap { precedence(of: $0) }.min()?.id
  }

  /// What the reference may be off before it asks another.
  private static let greatestDoubt = Duration.milliseconds(5)

  /// An exchange is complete. Nobody's clock counts but that of whom one asks: what others make of the time
  /// could be wrong, or a lie.
  mutating func exchanged(
    _ times: ProbeReply.Times, with sender: Participant.ID, sent: HostTime, returned: HostTime,
    at now: HostTime
  ) -> [PartyAction] {
    guard sender == timekeeper else { return [] }
    if let actions = contradicted(
      by: times, of: sender, sent: sent, returned: returned, at: now)
    {
      return actions
    }
    clock.addExchange(
      sent: sent, received: times.received, answered: times.sent, returned: returned,
      responderUncertainty: .nanoseconds(times.uncertainty), at: now)
    if isReference, let doubt = clock.uncertainty(at: now) {
      // Its own time again as soon as it has that from another.
      referenceDoubt = min(referenceDoubt, doubt)
      if referenceDoubt <= Self.greatestDoubt || burstLeft == 0 { clock.hold(at: now) }
    } else if joinedAt != nil, clock.count >= clockBurst {
      clock.settle()
    }
    return [.report(.clockChanged)]
  }

  /// Where the reference is asked seldom, its beacons tell how time goes on: none of them arrives before it was
  /// sent.
  mutating func noteTime(of beacon: Beacon, in inbound: InboundMessage, at now: HostTime) {
    guard inbound.sender == knownReference, joinedAt != nil, let sentAt = beacon.sentAt,
      configuration.timing.longestClockInterval(participants: participantCount)
        > Self.frequentExchanges
    else { return }
    clock.addBound(sent: sentAt, arrived: inbound.receivedAt, at: now)
  }

  /// Exchanges no further apart than this need no help.
  private static let frequentExchanges = Duration.seconds(4)

  /// On becoming the reference, group time goes on from our estimate without a jump, and is exact
  /// from then on by definition. Whatever is known stays known with its uncertainty, so that who was
  /// apart from the reference and comes back changes its time for a better measurement only. But a
  /// newcomer to a small party that was told the time before it knew the reference starts over; to a large one,
  /// where the reference may have too much to do, it is what it goes by until it hears better.
  mutating func updateReference(at now: HostTime) {
    let reference = reference
    guard reference != knownReference else { return }
    let former = knownReference
    let isOvertaken = former.map { peers[$0]?.isPresent == true } ?? false
    knownReference = reference
    referenceDoubt = .zero
    // The two clocks are apart by what either didn't know of the time when last it went by another's.
    let apart = [former, reference].compactMap { $0 }.compactMap { peers[$0] }
    clock.widen(by: apart.reduce(.zero) { $0 + doubt(of: $1, at: now) }, at: now)
    if isReference { return clock.hold(at: now) }
    if joinedAt == nil, isOvertaken, !isLarge { clock = PartyClock() }
    beginClockBurst(at: now)
  }

  /// This machine slept, and its host clock with it.
  ///
  /// - Parameter duration: by a clock that goes on meanwhile. Where that is the battery's it counts whole
  ///   seconds.
  mutating func slept(for duration: Duration, at now: HostTime) -> [PartyAction] {
    watch.slept(for: duration, at: now)
    clock.slept(for: duration, uncertainty: .seconds(1), at: now)
    // The founder of a party of one has nobody to ask, and nobody to be off from.
    if isReference, participantCount > 1 {
      referenceDoubt = clock.uncertainty(at: now) ?? .zero
    }
    beginClockBurst(at: now)
    return [.report(.clockChanged)]
  }
}
