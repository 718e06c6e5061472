/// The session layer's intervals, and what a participant may cost the others. What depends on the number of
/// participants grows with it, so that a participant's traffic stays constant (RFC 3550 §6.2).
struct PartyTiming: Hashable, Sendable {
  /// The least time between two beacons of one participant, on average.
  var beaconInterval = Duration.seconds(1)
  /// What all beacons together may bring to one participant, in bytes a second.
  var presenceBudget = 1150.0
  /// The part of it that is the reference's; and of the rest, that of those who are active, while they are fewer
  /// than that part of all.
  var activeShare = 0.25
  /// Somebody who said something to everybody is active for so long.
  var activity = Duration.seconds(60)
  /// Nobody is taken for gone before this many intervals without a sign of life.
  var silentIntervals = 4.5
  /// No silence lasts longer, whatever interval somebody says it has.
  var longestSilence = Duration.seconds(7200)
  /// In a party of up to so many everybody challenges everybody; in a larger one a newcomer has to show one
  /// of them that it is alive, and the others go by what is signed and recent.
  var meshLimit = 16
  /// How old a signed beacon may be that is taken for fresh.
  var freshness = Duration.seconds(10)
  /// How many of the others are in the roster: of a larger party it is a sample. Whoever is active comes first.
  var rosterLimit = 256
  /// In a party of more, news wait a moment for those of others.
  var hurryLimit = 64
  /// Between two unanswered challenges.
  var challengeInterval = Duration.milliseconds(400)
  var challengeLimit = 8
  /// Between two attempts to find somebody who knows the party, and how many there are.
  var arrivalInterval = Duration.milliseconds(300)
  var arrivalLimit = 3
  /// The clock exchanges right after joining…
  var clockBurst = 16
  var clockBurstInterval = Duration.milliseconds(25)
  /// …and those afterwards: from the shorter to the longer interval, each longer than the last.
  var clockIntervals = Duration.milliseconds(100)...Duration.seconds(1)
  var clockIntervalGrowth = 1.25
  /// Among many the burst is shorter, and the intervals are long from the beginning: the reference's beacons do
  /// the rest.
  var crowdedClockBurst = 6
  /// In a party so large that everybody's longest interval would ask more of the reference, it is longer; the
  /// reference's beacons tell the time meanwhile.
  var clockExchangesPerSecond = 2.0
  /// How long a newcomer waits for the members that it was told of.
  var introductionLimit = Duration.milliseconds(1500)
  /// How long an unanswered probe is remembered.
  var probeLifetime = Duration.seconds(5)
  /// What was said within this time before a connection was lost may have been lost with it.
  var doubtfulTime = Duration.seconds(5)

  func longestClockInterval(participants: Int) -> Duration {
    max(clockIntervals.upperBound, .seconds(Double(participants - 1) / clockExchangesPerSecond))
  }

  /// A burst asks more, since few are new at once; of many it asks less.
  func clockBurstInterval(participants: Int) -> Duration {
    max(clockBurstInterval, .seconds(Double(participants) / (clockExchangesPerSecond * 200)))
  }
}
