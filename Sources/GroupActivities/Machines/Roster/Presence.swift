import Concurrency
import Timekeeping

/// The presence in the party: how many others are there, when the first of them may have been silent for too long, when
/// this participant's next beacon is due, and whether its roster differs from the reference's.
///
/// The records of the others are the ``Roster``'s. The caller reports what happened.
struct Presence: Sendable {
  /// The number of the others in the party.
  private(set) var presentCount = 0
  /// This participant's beacons.
  var schedule = PresenceSchedule()
  /// The participants that were heard recently, in a party of which no roster contains all.
  var population: PopulationEstimate
  /// The last time in which this participant couldn't notice arrivals.
  private var gap: (from: HostTime, to: HostTime)?
  private var lostAt: HostTime?
  /// The difference between this participant's roster and the reference's.
  var rosterDoubt = RosterDoubt()
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

  /// A participant joined, left or changed its name.
  mutating func rosterChanged(toPresent count: Int, at now: HostTime) {
    presentCount = count
    silenceAt = now
  }

  /// A participant was admitted to the roster, and may be silent from now on.
  mutating func admitted(at now: HostTime) { silenceAt = now }

  /// A message is processed that waited since an instant.
  mutating func messageReceived(waitingSince instant: HostTime, at now: HostTime) {
    backlog = max(.zero, now - instant)
  }

  // MARK: - The link

  /// The others weren't silent while the link was down: this participant couldn't hear them.
  mutating func linkReturned(at now: HostTime) {
    if let lostAt { gap = (lostAt, now) }
    lostAt = nil
    silenceAt = now
  }

  mutating func linkLost(at now: HostTime) { lostAt = lostAt ?? now }

  /// The machine slept until now, and its host clock with it.
  mutating func slept(for duration: Duration, at now: HostTime) { gap = (now - duration, now) }

  /// Returns the last instant at which every present participant was known.
  ///
  /// - Parameter time: that instant if nothing was missed.
  func lastSure(before time: HostTime) -> HostTime {
    guard let gap, gap.to > time else { return time }
    return min(gap.from, time)
  }

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

  // MARK: - Deadlines

  /// The next time at which something has to be done.
  var nextDeadline: HostTime? {
    var next = schedule.dueAt
    next.bringForward(to: silenceAt)
    next.bringForward(to: rosterDoubt.askAt)
    return next
  }
}
