import Timekeeping

/// The distance of a client of Syncplay's protocol from the party, and the decision when it is moved along.
///
/// A client leaves a lead below 1.5 s alone, and catches up with no lag at all.
struct SyncplayDistance: Sendable {
  private var offSince: HostTime?
  private var leads: [Duration] = []
  private var nextRepair: HostTime?
  private var pause = Self.firstPause

  /// The lag from which on a client is moved along, and the time for which it is left alone with it.
  private static let lag = (limit: Duration.seconds(1.5), time: Duration.seconds(3))
  /// The same for a client that is paused elsewhere, in either direction. Nothing is heard of its jump.
  private static let offset = (limit: Duration.milliseconds(150), time: Duration.seconds(1))
  /// A smaller distance that stays, such as after a freeze of its player: as many reports of one side, which don't differ by
  /// more than a measurement's noise.
  private static let small = (
    limit: Duration.milliseconds(150), noise: Duration.milliseconds(100), reports: 5
  )
  /// The time until the next repair of a small distance that has no new cause. A jump is worse than the distance, so it
  /// doubles.
  private static let firstPause = Duration.seconds(30)

  /// The party or the client goes elsewhere, or the client was frozen: a small distance has a new cause.
  mutating func reset() { self = Self() }

  /// Takes a report of the client.
  ///
  /// - Parameters:
  ///   - isPaused: whether the client is paused, and `partyIsPaused` whether the party is.
  ///   - isSettled: false while the client's player opens a film, or thaws.
  /// - Returns: true if the client is to be moved to the party's position now.
  mutating func reported(
    _ lead: Duration, isPaused: Bool, partyIsPaused: Bool, isSettled: Bool, at now: HostTime
  ) -> Bool {
    let bothPaused = isPaused && partyIsPaused
    let patience = bothPaused ? Self.offset : Self.lag
    let isOff =
      isPaused != partyIsPaused || lead < .zero - patience.limit
      || bothPaused && lead > patience.limit
    offSince = isOff ? offSince ?? now : nil
    leads = isOff || isPaused || !isSettled ? [] : leads.suffix(Self.small.reports - 1) + [lead]
    if let offSince, now - offSince >= (isSettled ? patience : Self.offset).time {
      reset()
      return true
    }
    guard leads.count == Self.small.reports, let least = leads.min(), let most = leads.max(),
      least > Self.small.limit || most < .zero - Self.small.limit,
      most - least < Self.small.noise, now >= nextRepair ?? now
    else { return false }
    nextRepair = now + pause
    pause = pause * 2.0
    leads = []
    return true
  }
}
