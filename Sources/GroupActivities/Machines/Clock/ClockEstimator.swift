import DequeModule
import Timekeeping

/// Estimates group time minus host time, and its rate of change, from two-way exchanges.
///
/// An exchange is four times: sent (host), received and answered (group), returned (host). No message arrives
/// before it was sent. The request therefore shows that the offset was at most `received - sent` when it was
/// sent, and the reply shows that the offset was at least `answered - returned` when it arrived. Both bounds
/// hold however unequal the two directions are (Cristian, 1989; RFC 5905 §8). All bounds together, each
/// widened by the clocks' possible drift since, give the uncertainty.
///
/// Within the uncertainty the estimate is the middle of the widest straight corridor between the upper and
/// the lower bounds (``ClockCorridor``). The quickest message of each direction counts, not only exchanges
/// that were quick in both. The corridor's slope is the drift.
struct ClockEstimator: Hashable, Sendable {
  struct Estimate: Hashable, Sendable {
    /// Group time minus host time.
    var offset: Duration
    /// The growth of the offset, in seconds per second.
    var drift: Double
    /// The bound of the error: the true offset lies within ± this.
    var uncertainty: Duration
    /// The growth of the uncertainty until the next exchange, in seconds per second.
    var wander: Double
    /// The 90th percentile of the latest round trips; zero while there are none.
    var roundTrip: Duration
  }

  private struct Exchange: Hashable {
    /// Host times, in seconds since ``origin``.
    var sent: Double
    var returned: Double
    /// Bounds of the offset beyond ``base``, in seconds.
    var upper: Double
    var lower: Double
    var roundTrip: Double
  }

  /// An estimate from before the exchanges.
  private struct Inheritance: Hashable {
    var offset: Duration
    var uncertainty: Duration
    var taken: HostTime

    func uncertainty(at now: HostTime) -> Duration {
      uncertainty + max(.zero, now - taken) * ClockEstimator.driftLimit
    }
  }

  /// The limit of the drift between two clocks. Crystals are specified with ±50 ppm each; warm, old and
  /// virtual ones drift up to four times as fast.
  static let driftLimit = 400e-6
  private static let capacity = 512
  /// The least and the oldest exchanges that are kept when newer ones come: drifts change within minutes.
  private static let leastCapacity = 128
  private static let longestMemory = 250.0
  /// The exchanges that show more than others: as many in each doubling of the time that they span.
  private static let density = 200.0
  /// The excess of round trips, in seconds, from which on many exchanges are needed.
  private static let scatter = 2e-3
  /// The usual excess as a part of the shortest round trip, until enough of them show it.
  private static let usualNoise = 0.1
  /// Bounds cover a quarter of an hour, one for each ten seconds; a minute of them shows a drift.
  private static let boundCapacity = 90
  private static let boundSpacing = 10.0
  private static let leastBounds = 6
  private static let leastExchanges = 4
  /// The number of latest exchanges that determine the usual round trip.
  private static let latest = 32
  /// The change of one clock's drift that occurs unnoticed, through temperature or a time service's
  /// corrections.
  private static let wander = 5e-6
  /// The growth of the uncertainty of the drift, per second.
  private static let wanderGrowth = 0.2e-6
  /// The factor by which a corridor may become narrower by chance. Below it, the older exchanges are dropped…
  private static let narrowing = 0.75
  /// …but not in a burst, in which two exchanges are nearer to each other than this, in seconds, and the
  /// corridor is new.
  private static let pause = 0.15
  /// The largest error of a calculation in fractions of a second.
  private static let rounding = Duration.microseconds(1)
  /// The limit of the distance from ``base``. Beyond it, fractions of a microsecond would be lost.
  private static let farthest = Duration.seconds(4_000_000)
  /// The shortest time between two exchanges that show the drift, in seconds.
  private static let baseline = 1.0

  private var origin = HostTime(nanoseconds: 0)
  private var base = Duration.zero
  private var exchanges = Deque<Exchange>()
  /// Lower bounds from unsolicited messages, the nearest of each interval of ``boundSpacing``.
  private var bounds = Deque<ClockCorridor.Point>()
  private var inheritance: Inheritance?
  private var corridor: ClockCorridor?
  private var usualRoundTrip = 0.0
  private var shortestRoundTrip = 0.0
  /// The usual excess of round trips over the shortest: twice the lower quartile's excess, since round trips
  /// that a bad quarter of a minute delayed show nothing about the others.
  private var noise = 0.0
  /// The certain bounds of the drift.
  private var drifts = -driftLimit...driftLimit

  /// The number of measurements in the estimate.
  var count: Int { exchanges.count + (inheritance == nil ? 0 : 1) }

  /// - Parameters:
  ///   - sent, returned: the host times at which the probe left and its reply arrived.
  ///   - received, answered: the group times at which the responder received the probe and sent the reply.
  ///   - responderUncertainty: the uncertainty of the responder's group time.
  mutating func addExchange(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration
  ) {
    let roundTrip = (returned - sent) - (answered - received)
    // Contradictory times come from a clock that can't be trusted.
    guard roundTrip >= .zero, answered >= received, responderUncertainty >= .zero else { return }
    let there = received.nanoseconds.subtractingReportingOverflow(sent.nanoseconds)
    let back = answered.nanoseconds.subtractingReportingOverflow(returned.nanoseconds)
    guard !there.overflow, !back.overflow else { return }
    let (most, least) = (
      Duration.nanoseconds(there.partialValue), Duration.nanoseconds(back.partialValue)
    )
    guard most - least <= Self.farthest else { return }
    // The group time is unrelated to the one before, so the estimate begins again.
    if !exchanges.isEmpty, max((most - base).magnitude, (least - base).magnitude) > Self.farthest {
      self = ClockEstimator()
    }
    if exchanges.isEmpty { (origin, base) = (sent, least) }
    let doubt = responderUncertainty.inSeconds
    let new = Exchange(
      sent: (sent - origin).inSeconds, returned: (returned - origin).inSeconds,
      upper: (most - base).inSeconds + doubt, lower: (least - base).inSeconds - doubt,
      roundTrip: roundTrip.inSeconds)
    // A reply that a later one overtook is slower than that one.
    if let last = exchanges.last, new.sent < last.sent { return }
    forgetWhatContradicts(new, at: returned)
    limitDrift(by: new)
    exchanges.append(new)
    let latest = exchanges.suffix(Self.latest).map { $0.roundTrip }.sorted()
    usualRoundTrip = latest[latest.count * 9 / 10]
    while exchanges.count > Self.leastCapacity,
      exchanges.count > Self.capacity || new.sent - exchanges[0].sent > Self.longestMemory
    {
      exchanges.removeFirst()
    }
    compareRoundTrips()
    fit()
  }

  private mutating func compareRoundTrips() {
    let sorted = exchanges.map { $0.roundTrip }.sorted()
    shortestRoundTrip = sorted[0]
    noise = (sorted[sorted.count / 4] - sorted[0]) * 2
  }

  /// Adds half an exchange: a broadcast of the reference shows each participant that the group time is later
  /// than the broadcast's by now. Where exchanges are rare, many of these show the clocks' drift in between.
  ///
  /// - Returns: whether the estimate changes.
  mutating func addBound(sent: GroupTime, arrived: HostTime) -> Bool {
    guard !exchanges.isEmpty else { return false }
    let back = sent.nanoseconds.subtractingReportingOverflow(arrived.nanoseconds)
    guard !back.overflow else { return false }
    let least = Duration.nanoseconds(back.partialValue)
    guard (least - base).magnitude <= Self.farthest else { return false }
    let new = ClockCorridor.Point(
      time: (arrived - origin).inSeconds, value: (least - base).inSeconds)
    // A bound above all possible offsets is a lie, or comes from a clock that has jumped. Exchanges decide
    // that.
    guard let estimate = estimate(at: arrived),
      least <= estimate.offset + estimate.uncertainty
    else { return false }
    if let last = bounds.last, new.time - last.time < Self.boundSpacing {
      guard new.time >= last.time else { return false }
      let slope = corridor?.slope ?? 0
      guard new.value > last.value + slope * (new.time - last.time) else { return false }
      bounds.removeLast()
    }
    bounds.append(new)
    if bounds.count > Self.boundCapacity { bounds.removeFirst() }
    fit()
    return true
  }

  /// Returns whether an exchange excludes every offset that is known to be possible. Then one of the clocks
  /// has jumped.
  func contradicts(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration
  ) -> Bool {
    guard let known = estimate(at: returned) else { return false }
    let there = received.nanoseconds.subtractingReportingOverflow(sent.nanoseconds)
    let back = answered.nanoseconds.subtractingReportingOverflow(returned.nanoseconds)
    // Times whose difference overflows are impossible.
    guard !there.overflow, !back.overflow, responderUncertainty >= .zero else { return true }
    let doubt = known.uncertainty + responderUncertainty + Self.rounding
    return Duration.nanoseconds(there.partialValue) + doubt < known.offset
      || Duration.nanoseconds(back.partialValue) - doubt > known.offset
  }

  /// Keeps the present estimate as a bound of all later ones, unless such a bound exists.
  mutating func anchor(at now: HostTime) {
    guard inheritance == nil, let known = estimate(at: now) else { return }
    inheritance = Inheritance(offset: known.offset, uncertainty: known.uncertainty, taken: now)
  }

  /// Removes measurements that contradict a new exchange. No clock drifts so fast, so one of the two has
  /// jumped, and the newest exchange is right about the present.
  private mutating func forgetWhatContradicts(_ new: Exchange, at now: HostTime) {
    let limit = Self.driftLimit
    exchanges.removeAll { old in
      old.upper + limit * (new.returned - old.sent) < new.lower
        || old.lower - limit * (new.sent - old.returned) > new.upper
    }
    bounds.removeAll { old in old.value - limit * (new.sent - old.time) > new.upper }
    if exchanges.isEmpty { drifts = -limit...limit }
    if let inheritance {
      let offset = (inheritance.offset - base).inSeconds
      let doubt = inheritance.uncertainty(at: now).inSeconds
      if offset + doubt < new.lower || offset - doubt > new.upper { self.inheritance = nil }
    }
  }

  /// Limits the drift. Two exchanges bound the drift between them, since each bounds the offset.
  private mutating func limitDrift(by new: Exchange) {
    guard let last = exchanges.last else { return }
    let limit = Self.driftLimit
    let growth = Self.wanderGrowth * max(0, new.sent - last.sent)
    var low = max(-limit, drifts.lowerBound - growth)
    var high = min(limit, drifts.upperBound + growth)
    for old in exchanges where new.sent - old.returned >= Self.baseline {
      high = min(high, (new.upper - old.lower) / (new.sent - old.returned) + Self.wander)
      low = max(low, (new.lower - old.upper) / (new.returned - old.sent) - Self.wander)
    }
    drifts = low <= high ? low...high : -limit...limit
  }

  /// Computes the corridor. If it suddenly becomes much narrower, the drift has changed or the path has
  /// become much shorter, so older measurements no longer apply.
  private mutating func fit() {
    let last = exchanges.suffix(2)
    let isBurst = last.last!.sent - last.first!.sent < Self.pause
    let before = isBurst ? 0 : corridor?.width ?? 0
    while true {
      corridor = ClockCorridor(
        uppers: fitting.map { ClockCorridor.Point(time: $0.sent, value: $0.upper) },
        lowers: lowers,
        noise: chance, slopes: slopes)
      guard let corridor, corridor.width < before * Self.narrowing, exchanges.count > 1 else {
        return
      }
      exchanges.removeFirst((exchanges.count + 1) / 2)
      compareRoundTrips()
      bounds.removeAll()
      drifts = -Self.driftLimit...Self.driftLimit
    }
  }

  /// The possible slopes of the corridor. One-sided bounds never exclude that the other clock is ahead. With
  /// many of them their own line therefore counts: the quickest of them are alike.
  private var slopes: ClosedRange<Double> {
    guard bounds.count >= Self.leastBounds, let slope = ClockCorridor.slope(below: Array(bounds))
    else { return drifts }
    let drift = min(max(slope, drifts.lowerBound), drifts.upperBound)
    return drift...drift
  }

  /// The exchanges that determine the corridor. If bounds show the drift, these are only the exchanges since
  /// the first bound, since the drift may have differed before; but at least ``leastExchanges``.
  private var fitting: Deque<Exchange> {
    guard bounds.count >= Self.leastBounds else { return exchanges }
    let first = exchanges.firstIndex { $0.sent >= bounds[0].time } ?? exchanges.endIndex
    return Deque(exchanges[min(first, max(0, exchanges.count - Self.leastExchanges))...])
  }

  /// The lower bounds, in order of time.
  private var lowers: [ClockCorridor.Point] {
    let answers = fitting.map { ClockCorridor.Point(time: $0.returned, value: $0.lower) }
    return bounds.isEmpty ? answers : (answers + bounds).sorted { $0.time < $1.time }
  }

  /// The interval of exchanges that improve the estimate soon; nil if round trips hardly differ.
  ///
  /// Where they do, the quickest of both directions may not have come yet. The interval grows with the time in which the
  /// offset and the drift have been measured. It isn't shorter than the excess of round trips: connections keep the
  /// order, so a slow message delays the next one.
  var usefulInterval: Duration? {
    guard let first = exchanges.first, let last = exchanges.last else { return nil }
    guard noise > Self.scatter else { return nil }
    return .seconds(max((last.sent - first.sent) / Self.density, noise))
  }

  /// The part of the corridor's width that few exchanges contribute by chance. The first ones don't show how much they
  /// differ.
  private var chance: Double {
    let count = Double(exchanges.count)
    return noise / count + shortestRoundTrip * Self.usualNoise / (count * count)
  }

  // MARK: - Other sources

  /// Starts with a known relation: the founder's, or a former reference's own.
  mutating func assume(offset: Duration, uncertainty: Duration, at now: HostTime) {
    self = ClockEstimator()
    inheritance = Inheritance(offset: offset, uncertainty: uncertainty, taken: now)
  }

  /// Widens the estimate when another clock becomes the reference, which may differ by this much from the
  /// measured one.
  mutating func widen(by uncertainty: Duration, at now: HostTime) {
    guard let known = estimate(at: now) else { return }
    assume(offset: known.offset, uncertainty: known.uncertainty + uncertainty, at: now)
  }

  /// Corrects the estimate after this machine slept, and its host clock with it.
  ///
  /// - Parameters:
  ///   - duration: the time asleep, by a clock that continued.
  ///   - uncertainty: the possible error of the duration.
  mutating func slept(for duration: Duration, uncertainty: Duration, at now: HostTime) {
    guard let known = estimate(at: now) else { return }
    assume(
      offset: known.offset + duration,
      uncertainty: known.uncertainty + duration * Self.driftLimit + uncertainty, at: now)
  }

  // MARK: - The estimate

  /// - Returns: nil before the first exchange.
  func estimate(at now: HostTime) -> Estimate? {
    guard let corridor else {
      return inheritance.map {
        Estimate(
          offset: $0.offset, drift: 0, uncertainty: $0.uncertainty(at: now),
          wander: Self.driftLimit, roundTrip: .zero)
      }
    }
    let time = (now - origin).inSeconds
    var (low, high) = corridor.bounds(at: time, slopes: drifts)
    var middle = corridor.middle(at: time)
    var drift = corridor.slope
    if let inheritance {
      let offset = (inheritance.offset - base).inSeconds
      let doubt = inheritance.uncertainty(at: now).inSeconds
      // The first exchanges after a change of the reference may be much slower than those that led to the estimate.
      if high - low > 2 * doubt { (middle, drift) = (offset, 0) }
      low = max(low, offset - doubt)
      high = min(high, offset + doubt)
    }
    if low > high {
      (low, high) = corridor.bounds(at: time, slopes: -Self.driftLimit...Self.driftLimit)
    }
    middle = min(max(middle, low), max(low, high))
    let uncertainty = max(high - middle, middle - low, 0)
    return Estimate(
      offset: base + Duration(clampingSeconds: middle),
      drift: drift, uncertainty: Duration(clampingSeconds: uncertainty),
      wander: max(drifts.upperBound - drift, drift - drifts.lowerBound),
      roundTrip: Duration(clampingSeconds: usualRoundTrip))
  }
}

/// The uncertainty of a clock at a time. It grows afterwards with the possible drift.
struct ClockBound: Hashable, Sendable {
  var uncertainty: Duration
  var taken: HostTime

  func uncertainty(at now: HostTime) -> Duration {
    uncertainty + max(.zero, now - taken) * ClockEstimator.driftLimit
  }
}
