import Timekeeping

/// Schedules this participant's beacons so that its traffic stays constant for any number of participants:
/// the transmission interval of RTCP (RFC 3550 §6.2, §6.3), with timer reconsideration for participants that
/// arrive at once and reverse reconsideration for those that leave.
struct PresenceSchedule: Hashable, Sendable {
  /// A participant's class of beacon frequency.
  enum Standing: Hashable, Sendable {
    /// The participant whose clock is the group's: its beacons carry the time and the number of participants.
    case reference
    /// The participant has recently sent something to all.
    case active
    case quiet
  }

  /// The size of a beacon on the wire, in bytes: a running mean over those received and sent.
  private(set) var averageSize = 300.0
  /// The time of this participant's last beacon.
  private(set) var sentAt: HostTime?
  /// The time at which the next beacon is due, unless more participants have come by then.
  private(set) var dueAt: HostTime?
  /// The number of participants when ``dueAt`` was chosen.
  private var participants = 1
  /// The bytes of all recent beacons, minus the budget since then.
  private var load = 0.0
  private var loadAt: HostTime?
  /// A Boolean value that indicates whether ``dueAt`` was brought forward to send news.
  private(set) var isHurried = false

  /// The load that doesn't count as a storm, in bytes.
  private static let burst = 8000.0
  /// The factor by which a draw's mean is shorter than the interval, since reconsideration only ever
  /// lengthens it (RFC 3550 §6.3.1: e − 3/2).
  private static let compensation = 1.21828

  /// Records a received beacon.
  mutating func heard(size: Int, at now: HostTime, timing: PartyTiming) {
    averageSize += (Double(size) - averageSize) / 16
    drain(at: now, timing)
    load += Double(size)
  }

  /// Records a sent beacon and schedules the next one after a part of `interval`.
  ///
  /// - Parameter dice: a random number from 0.5 to 1.5.
  mutating func sent(
    size: Int, interval: Duration, dice: Double, participants: Int, at now: HostTime
  ) {
    averageSize += (Double(size) - averageSize) / 16
    sentAt = now
    isHurried = false
    self.participants = participants
    dueAt = now + interval * (dice / Self.compensation)
  }

  /// Decides whether to send a beacon now that ``dueAt`` has passed.
  ///
  /// - Returns: false if more participants have come since ``dueAt`` was chosen, or if there is news to send
  ///   during a storm of news.
  mutating func expired(
    interval: Duration, dice: Double, participants: Int, at now: HostTime, timing: PartyTiming
  ) -> Bool {
    self.participants = participants
    if isHurried {
      drain(at: now, timing)
      guard load > Self.burst else { return true }
      dueAt = now + .seconds(load / timing.presenceBudget * dice)
      return false
    }
    let due = (sentAt ?? now) + interval * (dice / Self.compensation)
    guard due > now else { return true }
    dueAt = due
    return false
  }

  /// Schedules news: the next beacon is sent within a second, or when the storm is over.
  mutating func hurry(dice: Double, at now: HostTime) {
    let due = now + .seconds(1) * (dice - 0.5)
    guard dueAt.map({ due < $0 }) ?? true else { return }
    dueAt = due
    isHurried = true
  }

  /// Shortens the interval after participants left (RFC 3550 §6.3.4).
  mutating func participantsFell(to count: Int, at now: HostTime) {
    guard count < participants, let dueAt, let sentAt, !isHurried else { return }
    let part = Double(count) / Double(participants)
    self.dueAt = now + (dueAt - now) * part
    self.sentAt = now - (now - sentAt) * part
    participants = count
  }

  private mutating func drain(at now: HostTime, _ timing: PartyTiming) {
    if let loadAt { load = max(0, load - (now - loadAt).inSeconds * timing.presenceBudget) }
    loadAt = now
  }
}
