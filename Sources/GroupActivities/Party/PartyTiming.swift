/// The session layer's intervals. A small party's; those that depend on the number of participants
/// grow with it, so that a participant's traffic stays constant (RFC 3550 §6.2).
struct PartyTiming: Hashable, Sendable {
  /// Between two beacons of one participant, in a party of up to ``smallParty``.
  var beaconInterval = Duration.seconds(1)
  var smallParty = 8
  /// Nobody is taken for gone before this many intervals without a sign of life.
  var silentIntervals = 4.5
  /// Between two unanswered challenges.
  var challengeInterval = Duration.milliseconds(400)
  var challengeLimit = 8
  /// The clock exchanges right after joining…
  var clockBurst = 16
  var clockBurstInterval = Duration.milliseconds(25)
  /// …and those afterwards: from the shorter to the longer interval, each longer than the last.
  var clockIntervals = Duration.milliseconds(100)...Duration.seconds(1)
  var clockIntervalGrowth = 1.25
  /// In a party so large that everybody's longest interval would ask more of the reference, it is longer.
  var clockExchangesPerSecond = 50.0
  /// How long a newcomer waits for the members that it was told of.
  var introductionLimit = Duration.milliseconds(1500)
  /// How long an unanswered probe is remembered.
  var probeLifetime = Duration.seconds(5)

  func beaconInterval(participants: Int) -> Duration {
    beaconInterval * max(1, Double(participants) / Double(smallParty))
  }

  func longestClockInterval(participants: Int) -> Duration {
    max(clockIntervals.upperBound, .seconds(Double(participants) / clockExchangesPerSecond))
  }

  /// A burst asks ten times as much, since few are new at once.
  func clockBurstInterval(participants: Int) -> Duration {
    max(clockBurstInterval, .seconds(Double(participants) / (clockExchangesPerSecond * 10)))
  }

  func silenceLimit(participants: Int) -> Duration {
    beaconInterval(participants: participants) * silentIntervals
  }
}
