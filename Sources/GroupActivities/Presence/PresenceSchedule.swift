import Timekeeping

/// When to say again that one is here, so that a participant's traffic stays constant however many there are:
/// the transmission interval of RTCP (RFC 3550 §6.2, §6.3), with timer reconsideration for those who come all
/// at once and reverse reconsideration for those who go.
struct PresenceSchedule: Hashable, Sendable {
  /// How many there are, and how many of them, besides the reference, are active.
  struct Audience: Hashable, Sendable {
    /// This participant included.
    var participants: Int
    var active: Int
  }

  /// How often somebody is to be heard of.
  enum Standing: Hashable, Sendable {
    /// Whose clock is everybody's: its beacons tell the time, and how many there are.
    case reference
    /// Has just done something for everybody.
    case active
    case quiet
  }

  /// What a beacon takes on the wire, in bytes: a running mean over those heard and sent.
  private(set) var averageSize = 300.0
  /// When this participant's last beacon left.
  private(set) var sentAt: HostTime?
  /// When the next one is due, unless more have come by then.
  private(set) var dueAt: HostTime?
  /// How many there were when ``dueAt`` was chosen.
  private var participants = 1
  /// The bytes of all beacons of late, less what the budget allows for since.
  private var load = 0.0
  private var loadAt: HostTime?
  /// Whether ``dueAt`` was brought forward, to tell news.
  private(set) var isHurried = false

  /// So much at once doesn't count as a storm, in bytes.
  private static let burst = 8000.0
  /// A draw's mean is shorter by this than the interval, since reconsideration only ever lengthens it
  /// (RFC 3550 §6.3.1: e − 3/2).
  private static let compensation = 1.21828

  /// The time between two beacons of one participant, on average: `T_d` of RFC 3550 §6.3.1. A quarter of the
  /// budget is the reference's; of the rest a quarter belongs to those who are active, while they are few, so
  /// that they are heard often.
  func interval(of audience: Audience, for standing: Standing, timing: PartyTiming) -> Duration {
    var share = timing.activeShare
    var sharers = 1
    if standing != .reference {
      share = 1 - timing.activeShare
      sharers = max(1, audience.participants - 1)
      if audience.active > 0, Double(audience.active) < Double(sharers) * timing.activeShare {
        share *= standing == .active ? timing.activeShare : 1 - timing.activeShare
        sharers = standing == .active ? audience.active : sharers - audience.active
      }
    }
    let seconds = Double(sharers) * averageSize / (timing.presenceBudget * share)
    return max(timing.beaconInterval, .seconds(seconds))
  }

  /// A beacon came.
  mutating func heard(size: Int, at now: HostTime, timing: PartyTiming) {
    averageSize += (Double(size) - averageSize) / 16
    drain(at: now, timing)
    load += Double(size)
  }

  /// A beacon leaves, and the next one is due after a part of `interval`.
  ///
  /// - Parameter dice: 0.5 to 1.5.
  mutating func sent(
    size: Int, interval: Duration, dice: Double, participants: Int, at now: HostTime
  ) {
    averageSize += (Double(size) - averageSize) / 16
    sentAt = now
    isHurried = false
    self.participants = participants
    dueAt = now + interval * (dice / Self.compensation)
  }

  /// The time has come, by what was known when it was chosen.
  ///
  /// - Returns: whether to send now: not if more are there meanwhile, or if there is news to tell but
  ///   everybody tells some.
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

  /// There is news: the next beacon leaves within a second, or when the storm is over.
  mutating func hurry(dice: Double, at now: HostTime) {
    let due = now + .seconds(1) * (dice - 0.5)
    guard dueAt.map({ due < $0 }) ?? true else { return }
    dueAt = due
    isHurried = true
  }

  /// Some went: who is left talks sooner (RFC 3550 §6.3.4).
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
