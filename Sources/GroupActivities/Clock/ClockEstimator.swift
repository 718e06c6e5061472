import DequeModule
import Timekeeping

/// Estimates group time minus host time, and how fast that changes, from two-way exchanges.
///
/// An exchange is four times: sent (host), received and answered (group), back (host). Nothing arrives before
/// it was sent, so the way there says that the offset was at most `received - sent` when it was sent, and the
/// way back that it was at least `answered - returned` when it came back: two bounds that hold however
/// unequal the ways are (Cristian, 1989; RFC 5905 §8). All bounds together, each grown by what the clocks may
/// have drifted since, make the uncertainty.
///
/// Within it the estimate is the middle of the widest straight corridor between the upper and the lower
/// bounds (``ClockCorridor``): the quickest message of either way counts, not only those exchanges that were
/// quick in both, and the corridor's slope is the drift.
struct ClockEstimator: Hashable, Sendable {
  struct Estimate: Hashable, Sendable {
    /// Group time minus host time.
    var offset: Duration
    /// By how much the offset grows, in seconds a second.
    var drift: Double
    /// The true offset lies within ± this.
    var uncertainty: Duration
    /// By how much that grows until the next exchange, in seconds a second.
    var wander: Double
    /// What nine of ten round trips stay below; zero while there is none.
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

  /// What is known from before the exchanges.
  private struct Inheritance: Hashable {
    var offset: Duration
    var uncertainty: Duration
    var taken: HostTime

    func uncertainty(at now: HostTime) -> Duration {
      uncertainty + max(.zero, now - taken) * ClockEstimator.driftLimit
    }
  }

  /// How fast two clocks may drift apart: ±50 ppm each is what crystals are sold with, and four times that
  /// is what warm, old and virtual ones do.
  static let driftLimit = 400e-6
  private static let capacity = 128
  /// Bounds are kept of a quarter of an hour, one of each ten seconds; a minute of them shows a drift.
  private static let boundCapacity = 90
  private static let boundSpacing = 10.0
  private static let leastBounds = 6
  private static let leastExchanges = 4
  /// So many say what a round trip takes nowadays.
  private static let latest = 32
  /// What the drift of one clock may change by without a word: temperature, and others who discipline it.
  private static let wander = 5e-6
  /// How much of what was found out about the drift is worth nothing any more, a second.
  private static let wanderGrowth = 0.2e-6
  /// What is left of a corridor that becomes narrower by chance…
  private static let narrowing = 0.75
  /// …but not while it is new: in a burst, where two exchanges are nearer to each other than this.
  private static let pause = 0.15
  /// The greatest error of calculating in fractions of a second.
  private static let rounding = Duration.microseconds(1)
  /// Beyond this from ``base``, fractions of a microsecond would be lost.
  private static let farthest = Duration.seconds(4_000_000)
  /// Two exchanges nearer to each other than this say nothing about the drift.
  private static let baseline = 1.0

  private var origin = HostTime(nanoseconds: 0)
  private var base = Duration.zero
  private var exchanges = Deque<Exchange>()
  /// Lower bounds from what came unasked, one of a time: the nearest.
  private var bounds = Deque<ClockCorridor.Point>()
  private var inheritance: Inheritance?
  private var corridor: ClockCorridor?
  private var usualRoundTrip = 0.0
  /// Between which the drift certainly lies.
  private var drifts = -driftLimit...driftLimit

  /// How much went into the estimate.
  var count: Int { exchanges.count + (inheritance == nil ? 0 : 1) }

  /// - Parameters:
  ///   - sent, returned: when the probe left and its reply came.
  ///   - received, answered: when the responder got the one and sent the other.
  ///   - responderUncertainty: how far the responder's group time may be off.
  mutating func addExchange(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration
  ) {
    let roundTrip = (returned - sent) - (answered - received)
    // Times that contradict each other come from a clock that is not to be believed.
    guard roundTrip >= .zero, answered >= received, responderUncertainty >= .zero else { return }
    let there = received.nanoseconds.subtractingReportingOverflow(sent.nanoseconds)
    let back = answered.nanoseconds.subtractingReportingOverflow(returned.nanoseconds)
    guard !there.overflow, !back.overflow else { return }
    let (most, least) = (
      Duration.nanoseconds(there.partialValue), Duration.nanoseconds(back.partialValue)
    )
    guard most - least <= Self.farthest else { return }
    // Another time altogether than before.
    if !exchanges.isEmpty, max((most - base).magnitude, (least - base).magnitude) > Self.farthest {
      self = ClockEstimator()
    }
    if exchanges.isEmpty { (origin, base) = (sent, least) }
    let doubt = responderUncertainty.inSeconds
    let new = Exchange(
      sent: (sent - origin).inSeconds, returned: (returned - origin).inSeconds,
      upper: (most - base).inSeconds + doubt, lower: (least - base).inSeconds - doubt,
      roundTrip: roundTrip.inSeconds)
    // An answer that was overtaken is slower than the one that overtook it.
    if let last = exchanges.last, new.sent < last.sent { return }
    forgetWhatContradicts(new, at: returned)
    limitDrift(by: new)
    exchanges.append(new)
    let latest = exchanges.suffix(Self.latest).map(\.roundTrip).sorted()
    usualRoundTrip = latest[latest.count * 9 / 10]
    if exchanges.count > Self.capacity { exchanges.removeFirst() }
    fit()
  }

  /// Half an exchange: what the reference says to all at once tells each that it is later than that by now. Where
  /// exchanges are rare, many of these show how the clocks drift meanwhile.
  ///
  /// - Returns: whether it changes the estimate.
  mutating func addBound(sent: GroupTime, arrived: HostTime) -> Bool {
    guard !exchanges.isEmpty else { return false }
    let back = sent.nanoseconds.subtractingReportingOverflow(arrived.nanoseconds)
    guard !back.overflow else { return false }
    let least = Duration.nanoseconds(back.partialValue)
    guard (least - base).magnitude <= Self.farthest else { return false }
    let new = ClockCorridor.Point(
      time: (arrived - origin).inSeconds, value: (least - base).inSeconds)
    // What lies above all that is known to be possible is a lie, or a clock that has jumped: exchanges tell.
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

  /// Returns whether an exchange leaves nothing of what is known to be possible: then one of the clocks has jumped.
  func contradicts(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration
  ) -> Bool {
    guard let known = estimate(at: returned) else { return false }
    let there = received.nanoseconds.subtractingReportingOverflow(sent.nanoseconds)
    let back = answered.nanoseconds.subtractingReportingOverflow(returned.nanoseconds)
    // A message's way takes no less than no time: more than that is no time at all.
    guard !there.overflow, !back.overflow, responderUncertainty >= .zero else { return true }
    let doubt = known.uncertainty + responderUncertainty + Self.rounding
    return Duration.nanoseconds(there.partialValue) + doubt < known.offset
      || Duration.nanoseconds(back.partialValue) - doubt > known.offset
  }

  /// Keeps the present estimate as a bound of all later ones, if nothing bounds them yet.
  mutating func anchor(at now: HostTime) {
    guard inheritance == nil, let known = estimate(at: now) else { return }
    inheritance = Inheritance(offset: known.offset, uncertainty: known.uncertainty, taken: now)
  }

  /// No clock drifts so fast: one of the two has jumped, and the newest is right about now.
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

  /// Two exchanges bound the drift between them, as each bounds the offset.
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

  /// Where the corridor all at once becomes much narrower, the drift has changed, or the way has become much
  /// shorter: what is older says nothing about now.
  private mutating func fit() {
    let last = exchanges.suffix(2)
    let isBurst = last.last!.sent - last.first!.sent < Self.pause
    let before = isBurst ? 0 : corridor?.width ?? 0
    while true {
      corridor = ClockCorridor(
        uppers: fitting.map { ClockCorridor.Point(time: $0.sent, value: $0.upper) },
        lowers: lowers,
        noise: noise / Double(exchanges.count), slopes: slopes)
      guard let corridor, corridor.width < before * Self.narrowing, exchanges.count > 1 else {
        return
      }
      exchanges.removeFirst((exchanges.count + 1) / 2)
      bounds.removeAll()
      drifts = -Self.driftLimit...Self.driftLimit
    }
  }

  /// Which slopes the corridor may have. Bounds from one side only never say that the other clock isn't ahead
  /// after all, so where there are many of these their own line counts: the quickest of them are alike.
  private var slopes: ClosedRange<Double> {
    guard bounds.count >= Self.leastBounds, let slope = ClockCorridor.slope(below: Array(bounds))
    else { return drifts }
    let drift = min(max(slope, drifts.lowerBound), drifts.upperBound)
    return drift...drift
  }

  /// Those that the corridor goes by: where bounds show the drift, of their time only, since before it may have
  /// been another; but some there must be.
  private var fitting: Deque<Exchange> {
    guard bounds.count >= Self.leastBounds else { return exchanges }
    let first = exchanges.firstIndex { $0.sent >= bounds[0].time } ?? exchanges.endIndex
    return Deque(exchanges[min(first, max(0, exchanges.count - Self.leastExchanges))...])
  }

  /// In order of time.
  private var lowers: [ClockCorridor.Point] {
    let answers = fitting.map { ClockCorridor.Point(time: $0.returned, value: $0.lower) }
    return bounds.isEmpty ? answers : (answers + bounds).sorted { $0.time < $1.time }
  }

  /// How much longer round trips usually are than the shortest: twice what a quarter of them stays below, since
  /// those that a bad quarter of a minute delayed say nothing about the others.
  private var noise: Double {
    let sorted = exchanges.map(\.roundTrip).sorted()
    return (sorted[sorted.count / 4] - sorted[0]) * 2
  }

  // MARK: - What is known otherwise

  /// Takes a known relation for the beginning: the founder's, or a former reference's own.
  mutating func assume(offset: Duration, uncertainty: Duration, at now: HostTime) {
    self = ClockEstimator()
    inheritance = Inheritance(offset: offset, uncertainty: uncertainty, taken: now)
  }

  /// What was measured is right about another clock than the one that counts from now on, and that one
  /// may be off from it by so much.
  mutating func widen(by uncertainty: Duration, at now: HostTime) {
    guard let known = estimate(at: now) else { return }
    assume(offset: known.offset, uncertainty: known.uncertainty + uncertainty, at: now)
  }

  /// This machine slept, and its host clock with it.
  ///
  /// - Parameters:
  ///   - duration: for how long, by a clock that goes on.
  ///   - uncertainty: how far that may be wrong.
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
    if let inheritance {
      let offset = (inheritance.offset - base).inSeconds
      let doubt = inheritance.uncertainty(at: now).inSeconds
      low = max(low, offset - doubt)
      high = min(high, offset + doubt)
    }
    if low > high {
      (low, high) = corridor.bounds(at: time, slopes: -Self.driftLimit...Self.driftLimit)
    }
    let middle = min(max(corridor.middle(at: time), low), max(low, high))
    let uncertainty = max(high - middle, middle - low, 0)
    return Estimate(
      offset: base + Duration(clampingSeconds: middle),
      drift: corridor.slope, uncertainty: Duration(clampingSeconds: uncertainty),
      wander: max(drifts.upperBound - corridor.slope, corridor.slope - drifts.lowerBound),
      roundTrip: Duration(clampingSeconds: usualRoundTrip))
  }
}
