import Concurrency
import Timekeeping

/// The presence in the party: how many others are there, when the first of them may have been silent for too long, when
/// this participant's next beacon is due, and whether its roster differs from the reference's.
///
/// The records of the others are the ``Roster``'s. The caller reports what happened.
struct Presence: Sendable {
  /// The number of the others in the party.
  private(set) var presentCount = 0
  private var schedule = PresenceSchedule()
  /// The participants that were heard recently, in a party of which no roster contains all.
  private var population: PopulationEstimate
  private var watch = RosterWatch()
  private var doubt = RosterDoubt()
  /// The time of the next search for silent participants: the first one may then have been silent for too long.
  private var silenceAt: HostTime?
  /// The time that the last message waited until this participant processed it. Other participants may seem silent for
  /// that long without being silent.
  private(set) var backlog = Duration.zero
  /// The time of this participant's last event for all.
  private var actedAt: HostTime?
  /// The number of events before this participant became active.
  private var settledEvents: UInt64 = 0

  /// - Parameter salt: a random number, so that others can't predict which identities are counted.
  init(salt: UInt64) { population = PopulationEstimate(salt: salt) }

  // MARK: - The others

  /// The number of participants that this one heard recently, itself included. It hears some of them each second,
  /// however many there are.
  var noticed: Int { max(presentCount, population.count) + 1 }

  /// The number of participants, itself included, that a participant knows that hears all of them.
  ///
  /// - Parameter limit: the size of a party of which a roster no longer contains all.
  func heardCount(withRosterLimit limit: Int) -> Int {
    let present = presentCount + 1
    return present >= limit ? max(present, population.count + 1) : present
  }

  /// A participant joined, left or changed its name.
  mutating func rosterChanged(toPresent count: Int, at now: HostTime) {
    presentCount = count
    silenceAt = now
  }

  /// A participant was admitted to the roster, and may be silent from now on.
  mutating func admitted(at now: HostTime) { silenceAt = now }

  mutating func heard(_ id: Participant.ID, at now: HostTime) { population.heard(id, at: now) }

  mutating func left(_ id: Participant.ID) { population.left(id) }

  /// Stops counting the participants that were silent for longer.
  mutating func forget(silentSince limit: HostTime) { population.forget(silentSince: limit) }

  mutating func beaconReceived(size: Int, at now: HostTime, timing: PartyTiming) {
    schedule.heard(size: size, at: now, timing: timing)
  }

  /// A message is processed that waited since an instant.
  mutating func messageReceived(waitingSince instant: HostTime, at now: HostTime) {
    backlog = max(.zero, now - instant)
  }

  // MARK: - The link

  /// The others weren't silent while the link was down: this participant couldn't hear them.
  mutating func linkReturned(at now: HostTime) {
    watch.began(at: now)
    silenceAt = now
  }

  mutating func linkLost(at now: HostTime) { watch.ended(at: now) }

  mutating func slept(for duration: Duration, at now: HostTime) {
    watch.slept(for: duration, at: now)
  }

  /// The last instant at which every present participant was known.
  ///
  /// - Parameter time: that instant if nothing was missed.
  func lastSure(before time: HostTime) -> HostTime { watch.lastSure(before: time) }

  // MARK: - Silence

  func searchesForSilent(at now: HostTime) -> Bool { silenceAt.map { now >= $0 } ?? false }

  /// The silent participants are out.
  ///
  /// - Parameter next: the time at which the next one may have been silent for too long; nil without others.
  mutating func silenceSearched(next: HostTime?, at now: HostTime, timing: PartyTiming) {
    // Intervals also become shorter, as others leave.
    silenceAt = next.map { min($0, now + timing.beaconInterval * 2) }
    // If nothing more arrives, there is no backlog.
    backlog = .zero
  }

  // MARK: - This participant

  /// This participant did something for the whole group.
  ///
  /// - Parameter events: the number of its events before.
  /// - Returns: true if it becomes active by that.
  mutating func acted(after events: UInt64, at now: HostTime, timing: PartyTiming) -> Bool {
    let wasActive = isActive(at: now, timing: timing)
    actedAt = now
    if !wasActive { settledEvents = events }
    return !wasActive
  }

  /// Returns whether this participant has recently acted for the whole group.
  func isActive(at now: HostTime, timing: PartyTiming) -> Bool {
    actedAt.map { now - $0 < timing.activity } ?? false
  }

  /// Returns the number of this participant's events that a newcomer needn't ask for.
  func settledEvents(of events: UInt64, at now: HostTime, timing: PartyTiming) -> UInt64 {
    isActive(at: now, timing: timing) ? settledEvents : events
  }

  // MARK: - Beacons

  /// The time of this participant's last beacon.
  var sentAt: HostTime? { schedule.sentAt }
  /// The time at which the next beacon is due, unless more participants have come by then.
  var dueAt: HostTime? { schedule.dueAt }

  func interval(
    of audience: PresenceSchedule.Audience, for standing: PresenceSchedule.Standing,
    timing: PartyTiming
  ) -> Duration {
    schedule.interval(of: audience, for: standing, timing: timing)
  }

  /// Schedules news: the next beacon is sent within a second, or when the storm is over.
  mutating func hurry(dice: Double, at now: HostTime) { schedule.hurry(dice: dice, at: now) }

  /// Shortens the interval after participants left.
  mutating func participantsFell(to count: Int, at now: HostTime) {
    schedule.participantsFell(to: count, at: now)
  }

  /// Decides whether to send a beacon now that ``dueAt`` has passed.
  mutating func expired(
    interval: Duration, dice: Double, participants: Int, at now: HostTime, timing: PartyTiming
  ) -> Bool {
    schedule.expired(
      interval: interval, dice: dice, participants: participants, at: now, timing: timing)
  }

  /// A beacon is sent. The next one is due after a part of `interval`.
  mutating func beaconSent(
    interval: Duration, dice: Double, participants: Int, at now: HostTime
  ) {
    schedule.sent(
      size: Int(schedule.averageSize), interval: interval, dice: dice, participants: participants,
      at: now)
  }

  // MARK: - The reference's roster

  mutating func rosterAgrees() { doubt.settle() }

  /// - Parameters:
  ///   - pause: the shortest time between two questions.
  ///   - wait: the delay of the question, so that not all participants ask at once.
  mutating func rosterDiffers(at now: HostTime, pause: Duration, wait: Duration) {
    doubt.doubt(at: now, pause: pause, wait: wait)
  }

  /// - Returns: true if the question about the roster is due now.
  mutating func asksAboutRoster(at now: HostTime) -> Bool { doubt.questionDue(at: now) }

  mutating func rosterAsked(at now: HostTime) { doubt.noteAsked(at: now) }

  /// Returns whether this participant recently asked for the roster.
  func awaitsRoster(at now: HostTime) -> Bool { doubt.awaitsAnswer(at: now) }

  // MARK: - Deadlines

  /// The next time at which something has to be done.
  var nextDeadline: HostTime? {
    var next = schedule.dueAt
    next.bringForward(to: silenceAt)
    next.bringForward(to: doubt.askAt)
    return next
  }
}
