import Timekeeping

/// The party's time: the choice of the reference, and the clock exchanges with it.
extension PartyMachine {
  var isReference: Bool { keeper.known == configuration.id }

  func clockReading(at now: HostTime) -> GroupClockReading? {
    guard var reading = clock.reading(at: now) else { return nil }
    reading.isReference = isReference
    if isReference {
      reading.uncertainty = keeper.doubt
      reading.roundTrip = .zero
    } else {
      reading.wallClocks = clock.witnessCount(at: now)
    }
    return reading
  }

  /// The greatest possible error of ``clockReading(at:)`` by the exchanges alone. This is the error that others count
  /// with: what wall clocks show isn't proven.
  func provenError(at now: HostTime) -> Duration? {
    isReference ? keeper.doubt : clock.provenError(at: now)
  }

  // MARK: - Wall clocks

  /// Notes this machine's wall clock.
  ///
  /// - Parameter reading: nil if no time service keeps the wall clock.
  mutating func noteWallClock(_ reading: WallClockReading?, at now: HostTime) {
    clock.noteWallClock(reading, at: now)
  }

  /// Narrows the uncertainty by the wall clocks of the others.
  private mutating func compareWallClocks(at now: HostTime) {
    guard !isReference else { return }
    clock.compareWallClocks(
      roster.present.compactMap { $0.clock.wallClock.reading(at: now) }, at: now)
  }

  mutating func beginClockBurst(at now: HostTime) {
    exchanges.beginBurst(rosterPolicy.clockBurst, at: now)
  }

  mutating func exchangeClock(at now: HostTime) -> [PartyAction] {
    guard exchanges.isDue(at: now) else { return [] }
    let rosterPolicy = rosterPolicy
    let isExact = rosterPolicy.allMeet || exchanges.isInBurst
    let dice = isExact ? 1 : Double.random(in: 0.75...1.25, using: &random)
    exchanges.scheduleNext(now, rosterPolicy, useful: clock.usefulInterval, dice: dice)
    guard let timekeeper else { return [] }
    return probe(timekeeper, introduction: false, at: now)
  }

  /// The participant to ask for the time: the reference. The reference itself asks only if it has slept: then
  /// it asks the next in precedence, which was awake.
  private var timekeeper: Participant.ID? {
    guard isReference else { return keeper.known }
    guard keeper.doubt > Self.greatestDoubt else { return nil }
    return firstOther?.id
  }

  /// The uncertainty from which on the reference asks another participant.
  private static let greatestDoubt = Duration.milliseconds(5)

  /// Processes a complete exchange. Only the asked participant's clock counts: the time of others may be
  /// wrong or a lie.
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
      // The reference has its own time again as soon as another participant has confirmed it.
      keeper.doubt = min(keeper.doubt, doubt)
      if keeper.doubt <= Self.greatestDoubt || !exchanges.isInBurst { clock.hold(at: now) }
    } else if joinedAt != nil, clock.count >= rosterPolicy.clockBurst {
      clock.settle()
    }
    compareWallClocks(at: now)
    return [.report(.clockChanged)]
  }

  /// Uses the reference's beacons as bounds of the time if exchanges with it are rare: no beacon arrives
  /// before it was sent.
  mutating func noteTime(of beacon: Beacon, in inbound: InboundMessage, at now: HostTime) {
    guard inbound.sender == keeper.known, joinedAt != nil, let sentAt = beacon.sentAt,
      rosterPolicy.needsTimeOfBeacons
    else { return }
    clock.addBound(sent: sentAt, arrived: inbound.receivedAt, at: now)
  }

  /// Updates the reference. When this participant becomes the reference, group time continues from its
  /// estimate without a jump, and is exact from then on by definition. All earlier estimates stay, with their
  /// uncertainty, so that a participant that was apart from the reference and returns changes its time only
  /// for a better measurement. A newcomer to a small party that learned the time before it knew the reference
  /// starts over. In a large party, whose reference may be too busy, it keeps that time until it gets a
  /// better one.
  mutating func updateReference(at now: HostTime) {
    let reference = reference
    guard reference != keeper.known else { return }
    let former = keeper.known
    let isOvertaken = former.map { roster[$0]?.isPresent == true } ?? false
    keeper.known = reference
    keeper.doubt = .zero
    // The two clocks may differ by the uncertainty that each had when it last followed another clock.
    roster.referenceChanged()
    let apart = [former, reference].compactMap { $0 }.compactMap { roster[$0] }
    clock.widen(by: apart.reduce(.zero) { $0 + doubt(of: $1, at: now) }, at: now)
    if isReference { return clock.hold(at: now) }
    if joinedAt == nil, isOvertaken, rosterPolicy.allMeet { clock = PartyClock() }
    beginClockBurst(at: now)
  }

  /// Corrects the clock after this machine slept, and its host clock with it.
  ///
  /// - Parameter duration: the time asleep, by a clock that continued. A battery-backed clock counts whole
  ///   seconds.
  mutating func slept(for duration: Duration, at now: HostTime) -> [PartyAction] {
    presence.slept(for: duration, at: now)
    clock.slept(for: duration, uncertainty: .seconds(1), at: now)
    // The only participant of a party has no other to ask, and none to differ from.
    if isReference, participantCount > 1 {
      keeper.doubt = clock.uncertainty(at: now) ?? .zero
    }
    beginClockBurst(at: now)
    return [.report(.clockChanged)]
  }
}
