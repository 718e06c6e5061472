import Timekeeping

/// The behavior that depends on the number of participants, so that each one's traffic stays constant (RFC 3550 §6.2).
///
/// In a small party all participants challenge each other, exchange introductions and send news at once. In a large one
/// a recent signed beacon admits its sender, rosters are compared with the reference's, and news wait for those of the
/// others. Above ``PartyTiming/rosterLimit`` a roster is a sample. No other type compares the number with a limit.
struct RosterPolicy: Sendable {
  /// The number of participants, this one included.
  let participants: Int
  let timing: PartyTiming

  /// The largest party in which all participants challenge each other. In a larger one a newcomer proves to one of them
  /// that it is alive, and the others rely on recent signed messages.
  static let meshLimit = 16
  /// The largest party in which each asks the sender of a missing event individually, at once.
  private static let quietLimit = 20
  /// The largest party in which a leaving participant waits for confirmations: they come all at once.
  private static let confirmationLimit = 32
  /// The largest party in which news and questions about keys go to all at once.
  private static let hurryLimit = 64
  /// The longest interval of clock exchanges that need no help.
  private static let frequentExchanges = Duration.seconds(4)
  /// The largest number of participants that is accepted from another participant's report.
  static let countLimit = 20_000
  /// The largest ratio of the reference's reported count to ``Presence/noticed``. Beacons, clock and silence depend on
  /// the count, and the reference may lie.
  static let believedShare = 2

  init(participants: Int, timing: PartyTiming = PartyTiming()) {
    self.participants = participants
    self.timing = timing
  }

  // MARK: - The number of participants

  /// The source of the number. In a large party no participant knows all of them.
  enum Count {
    /// The report of the participant that welcomed this newcomer.
    case welcome(Int)
    /// The participants that this one hears, as the reference.
    case own
    /// The report of the reference, which sends often.
    case reference(UInt64)
  }

  init(_ count: Count, _ presence: borrowing Presence, timing: PartyTiming) {
    let present = presence.presentCount + 1
    self.timing = timing
    switch count {
    case .welcome(let told): participants = max(present, told)
    case .own:
      participants =
        present >= timing.rosterLimit ? max(present, presence.population.count + 1) : present
    case .reference(let told):
      let limit = min(Self.countLimit, Self.believedShare * presence.noticed)
      let believed = Int(min(told, UInt64(limit)))
      participants = believed > Self.meshLimit ? max(present, believed) : present
    }
  }

  // MARK: - Rosters

  /// A Boolean value that indicates whether all participants challenge each other and exchange introductions. Otherwise
  /// a recent signed beacon admits its sender.
  var allMeet: Bool { participants <= Self.meshLimit }

  /// A Boolean value that indicates whether every roster contains all participants. Otherwise it is a sample.
  var allAreKnown: Bool { participants <= timing.rosterLimit }

  /// A Boolean value that indicates whether participants can know all others but don't meet each.
  var comparesRosters: Bool { !allMeet && allAreKnown }

  /// Returns whether the reports of a participant matter to the others.
  func reportMatters(of standing: PresenceSchedule.Standing) -> Bool {
    allMeet || standing != .quiet
  }

  /// Returns the time within which a participant notices an arrival; nil if it can't be a witness. In a large party it
  /// takes long to hear of all participants, and with a sample no participant can say that another was absent.
  ///
  /// - Parameters:
  ///   - stay: the time since the participant's own arrival.
  ///   - silence: the longest silence of a quiet participant.
  func noticing(after stay: Duration, silence: Duration) -> Duration? {
    guard !allMeet else { return timing.freshness }
    let noticing = max(timing.freshness, silence)
    return allAreKnown && stay > noticing + timing.freshness ? noticing : nil
  }

  // MARK: - News and answers

  /// A Boolean value that indicates whether news are sent at once. Otherwise they wait for the news of others, and
  /// questions about keys go to one participant at first.
  var sendsNewsAtOnce: Bool { participants <= Self.hurryLimit }

  /// A Boolean value that indicates whether the others confirm a departure.
  var confirmsDepartures: Bool { participants <= Self.confirmationLimit }

  /// A Boolean value that indicates whether the sender of a missing event is asked individually, at once. Otherwise the
  /// question and its answer go to all.
  var asksIndividually: Bool { participants <= Self.quietLimit }

  // MARK: - Beacons

  /// Returns the mean time between two beacons of one participant: `T_d` of RFC 3550 §6.3.1. The reference
  /// has a quarter of the budget. While the active participants are few, they have a quarter of the rest, so
  /// that they are heard often.
  ///
  /// - Parameters:
  ///   - active: the number of active participants besides the reference.
  ///   - size: the mean size of a beacon, in bytes.
  func beaconInterval(
    for standing: PresenceSchedule.Standing, active: Int,
    size: Double = PresenceSchedule().averageSize
  ) -> Duration {
    var share = timing.activeShare
    var sharers = 1
    if standing != .reference {
      share = 1 - timing.activeShare
      sharers = max(1, participants - 1)
      if active > 0, Double(active) < Double(sharers) * timing.activeShare {
        share *= standing == .active ? timing.activeShare : 1 - timing.activeShare
        sharers = standing == .active ? active : sharers - active
      }
    }
    let seconds = Double(sharers) * size / (timing.presenceBudget * share)
    return max(timing.beaconInterval, .seconds(seconds))
  }

  // MARK: - The clock

  /// The number of clock exchanges in a burst.
  var clockBurst: Int { allMeet ? timing.clockBurst : timing.crowdedClockBurst }

  /// The interval in a burst. A burst may exceed the limit, since few participants are new at once; it is slower in a
  /// large party.
  var clockBurstInterval: Duration {
    max(
      timing.clockBurstInterval,
      .seconds(Double(participants) / (timing.clockExchangesPerSecond * 200)))
  }

  /// The first interval after a burst.
  var firstClockInterval: Duration {
    allMeet
      ? timing.clockIntervals.lowerBound : min(timing.crowdedClockInterval, longestClockInterval)
  }

  /// Returns the interval after another one.
  ///
  /// - Parameter useful: the interval that improves the estimate soon, while round trips differ; for a small party. The
  ///   reference answers all participants together as often as one, at most 40 times a second.
  func clockInterval(after interval: Duration, useful: Duration?) -> Duration {
    let longest = longestClockInterval
    guard allMeet else { return min(interval * timing.crowdedClockIntervalGrowth, longest) }
    let limit =
      useful.map { max($0, timing.leastClockInterval * max(1, participants - 1)) } ?? longest
    return min(interval * timing.clockIntervalGrowth, limit, longest)
  }

  var longestClockInterval: Duration {
    max(
      timing.clockIntervals.upperBound,
      .seconds(Double(participants - 1) / timing.clockExchangesPerSecond))
  }

  /// A Boolean value that indicates whether exchanges are so rare that the reference's beacons supply the time.
  var needsTimeOfBeacons: Bool { longestClockInterval > Self.frequentExchanges }
}
