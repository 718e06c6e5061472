/// The session layer's intervals, and the limits of a participant's load on the others. Values that depend on
/// the number of participants grow with it, so that a participant's traffic stays constant (RFC 3550 §6.2).
struct PartyTiming: Hashable, Sendable {
  /// The shortest mean time between two beacons of one participant.
  var beaconInterval = Duration.seconds(1)
  /// The traffic of all beacons together to one participant, in bytes per second.
  var presenceBudget = 1150.0
  /// The reference's share of the budget; and of the rest, the share of the active participants while their
  /// share of all participants is smaller than this.
  var activeShare = 0.25
  /// The time for which a participant counts as active after an event of its user.
  var activity = Duration.seconds(60)
  /// The number of intervals without a sign of life before a participant counts as absent.
  var silentIntervals = 4.5
  /// The longest interval that a participant is believed to have, in intervals of a party of this size.
  var believedIntervals = 2.0
  /// The longest silence, however large the party is.
  var longestSilence = Duration.seconds(7200)
  /// The age up to which a signed beacon counts as fresh.
  var freshness = Duration.seconds(10)
  /// The number of other participants in the roster, which is a sample of a larger party. Active participants
  /// come first.
  var rosterLimit = 256
  /// The interval between two unanswered challenges.
  var challengeInterval = Duration.milliseconds(400)
  var challengeLimit = 8
  /// The interval between two attempts to find a participant of the party.
  var arrivalInterval = Duration.milliseconds(300)
  /// The clock exchanges right after joining…
  var clockBurst = 16
  var clockBurstInterval = Duration.milliseconds(25)
  /// …and those afterwards: from the shorter to the longer interval, each longer than the last.
  var clockIntervals = Duration.milliseconds(100)...Duration.seconds(1)
  var clockIntervalGrowth = 1.25
  /// The shortest interval in a party of two after the burst, while round trips differ.
  var leastClockInterval = Duration.milliseconds(25)
  /// The number of exchanges in a burst in a large party, and the intervals afterwards, of which the first ones show
  /// the drift. The reference's beacons supply the rest.
  var crowdedClockBurst = 6
  let crowdedClockInterval = Duration.seconds(2)
  let crowdedClockIntervalGrowth = 2.0
  /// The limit of the reference's exchanges with all participants, per second. In a party that would exceed
  /// it, the longest interval grows, and the reference's beacons supply the time meanwhile.
  var clockExchangesPerSecond = 2.0
  /// The time for which a newcomer waits for the participants that it has learned of.
  var introductionLimit = Duration.milliseconds(1500)
  /// The lifetime of an unanswered probe.
  var probeLifetime = Duration.seconds(5)
  /// The time before the loss of a connection in which sent messages may have been lost with it.
  var doubtfulTime = Duration.seconds(5)
}
