import Testing
import Timekeeping

@testable import GroupActivities

/// Two clocks with a path between them, and the result of an estimator for exchanges over the path.
private struct Path {
  /// Group time minus host time at host time zero.
  static let offset = Duration.seconds(1234)

  /// The shortest time that a message takes there, in seconds.
  var there = 0.0001
  var back = 0.0001
  /// The time that is added to it, in seconds.
  var delay: @Sendable (inout RandomSource) -> Double = { _ in 0 }
  var loss = 0.0
  /// The rate by which group time runs faster, as a function of host seconds.
  var drift: @Sendable (Double) -> Double = { _ in 0 }

  static func uniform(_ most: Double) -> @Sendable (inout RandomSource) -> Double {
    { Double.random(in: 0...most, using: &$0) }
  }

  /// Returns random delays, a few of which are much longer.
  static func bursty(_ mean: Double) -> @Sendable (inout RandomSource) -> Double {
    { random in
      let usual = -mean * Double.log(Double.random(in: 1e-9...1, using: &random))
      return Int.random(in: 0..<20, using: &random) == 0 ? usual + 0.2 : usual
    }
  }
}

extension Double {
  /// The natural logarithm, by its series around one after halving; exact enough for random
  /// numbers.
  fileprivate static func log(_ value: Double) -> Double {
    let x = value.significand
    let y = (x - 1) / (x + 1)
    let series = stride(from: 1, through: 21, by: 2).reduce(0.0) { sum, n in
      sum + (0..<n).reduce(1.0) { product, _ in product * y } / Double(n)
    }
    return 2 * series + Double(value.exponent) * 0.693147180559945
  }
}

/// One machine with an estimator, over some time.
private struct Trial {
  var path: Path
  var random: RandomSource
  var clock = ClockEstimator()
  /// Host seconds, and the drift of the offset so far.
  var time = 5.0
  var drifted = 0.0
  var samples: [(error: Double, uncertainty: Double, drift: Double)] = []

  init(_ path: Path, seed: Int) {
    self.path = path
    random = .seeded(UInt64(seed))
  }

  static func host(_ seconds: Double) -> HostTime {
    HostTime(nanoseconds: Int64(seconds * 1e9))
  }

  mutating func advance(by seconds: Double) {
    var left = seconds
    while left > 0 {
      let step = min(left, 0.1)
      drifted += path.drift(time) * step
      time += step
      left -= step
    }
  }

  mutating func exchange() {
    let sent = time
    let (up, down) = (path.there + path.delay(&random), path.back + path.delay(&random))
    let isLost = Double.random(in: 0..<1, using: &random) < path.loss
    advance(by: up)
    let group = GroupTime(
      nanoseconds: Int64((time + drifted) * 1e9) + Path.offset.inNanoseconds)
    advance(by: down)
    guard !isLost else { return }
    clock.addExchange(
      sent: Self.host(sent), received: group, answered: group, returned: Self.host(time),
      responderUncertainty: .zero)
  }

  /// Runs the estimator with a party's timing.
  mutating func run(for seconds: Double, measuringFrom begin: Double = 0) {
    let timing = PartyTiming()
    let (start, end) = (time, time + seconds)
    var exchanges = 0
    var interval = timing.clockIntervals.lowerBound
    while time < end {
      exchange()
      exchanges += 1
      if exchanges < timing.clockBurst {
        advance(by: timing.clockBurstInterval.inSeconds)
      } else {
        advance(by: interval.inSeconds)
        interval = RosterPolicy(participants: 3).clockInterval(
          after: interval, useful: clock.usefulInterval)
      }
      if time - start >= begin { measure() }
    }
  }

  mutating func measure() {
    guard let estimate = clock.estimate(at: Self.host(time)) else { return }
    samples.append(
      (
        (estimate.offset - Path.offset).inSeconds - drifted, estimate.uncertainty.inSeconds,
        estimate.drift - path.drift(time)
      ))
  }
}

@Suite("The group's clock")
struct ClockEstimatorTests {
  private static let paths: [(name: String, path: Path)] = [
    ("loopback", Path(delay: Path.bursty(0.0001))),
    ("even", Path(there: 0.025, back: 0.025, delay: Path.uniform(0.03))),
    ("uneven", Path(there: 0.005, back: 0.08, delay: Path.uniform(0.03), drift: { _ in 80e-6 })),
    ("uneven the other way", Path(there: 0.12, back: 0.01, delay: Path.bursty(0.02))),
    (
      "fast crystal", Path(there: 0.04, back: 0.04, delay: Path.uniform(0.02), drift: { _ in 2e-4 })
    ),
    (
      "slow crystal, lossy",
      Path(
        there: 0.04, back: 0.04, delay: Path.uniform(0.02), loss: 0.2, drift: { _ in -100e-6 })
    ),
    ("warming up", Path(there: 0.01, back: 0.01, delay: Path.bursty(0.01), drift: { $0 * 2e-7 })),
    (
      "another crystal after a minute",
      Path(delay: Path.bursty(0.0002), drift: { $0 < 65 ? 50e-6 : -60e-6 })
    ),
  ]

  @Test("The true offset lies within the uncertainty", arguments: paths.indices)
  func honesty(index: Int) {
    var (within, count) = (0, 0)
    for seed in 0..<25 {
      var trial = Trial(Self.paths[index].path, seed: seed)
      trial.run(for: 150)
      within += trial.samples.count { abs($0.error) <= $0.uncertainty + 1e-9 }
      count += trial.samples.count
    }
    #expect(
      count > 3000 && Double(within) >= 0.99 * Double(count),
      "\(Self.paths[index].name): \(within) of \(count)")
  }

  /// Returns the sorted errors in milliseconds.
  private func errors(
    _ path: Path, from begin: Double, to end: Double = 120, seeds: Int = 25
  ) -> [Double] {
    (0..<seeds).flatMap { seed in
      var trial = Trial(path, seed: seed)
      trial.run(for: end, measuringFrom: begin)
      return trial.samples.map { abs($0.error) * 1e3 }
    }
    .sorted()
  }

  @Test("On one machine the estimate is within a tenth of a millisecond, with and without drift")
  func loopback() {
    for drift in [0, 100e-6] {
      let found = errors(Path(delay: Path.bursty(0.0001), drift: { _ in drift }), from: 10)
      #expect(found[found.count / 2] < 0.03)
      #expect(found[found.count * 99 / 100] < 0.15)
    }
  }

  @Test(
    "With 40 ± 15 ms each way the estimate is within half a millisecond, early on within three",
    arguments: [(edge: 0.0, later: 0.2, most: 0.8), (edge: 0.001, later: 0.3, most: 1)])
  func farAway(_ link: (edge: Double, later: Double, most: Double)) {
    for drift in [0, 40e-6] {
      // A link doesn't deliver on the microsecond: few messages are as quick as the quickest.
      let delay = Path.uniform(0.03)
      let late = Path.uniform(link.edge)
      let path = Path(
        there: 0.025, back: 0.025, delay: { delay(&$0) + late(&$0) }, drift: { _ in drift })
      let early = errors(path, from: 1, to: 5)
      #expect(
        early[early.count / 2] < 0.6 && early[early.count * 95 / 100] < 2.5,
        "\(early[early.count / 2]), \(early[early.count * 95 / 100]) ms")
      let later = errors(path, from: 15)
      #expect(
        later[later.count / 2] < link.later && later[later.count * 95 / 100] < link.most,
        "\(later[later.count / 2]), \(later[later.count * 95 / 100]) ms")
    }
  }

  @Test("A slow exchange right after a change of the reference doesn't replace the known time")
  func slowAfterChange() {
    var trial = Trial(Path(there: 0.03, back: 0.03, delay: Path.uniform(0.001)), seed: 3)
    trial.run(for: 20)
    trial.clock.widen(by: .milliseconds(20), at: Trial.host(trial.time))
    trial.path.there = 0.4
    trial.exchange()
    trial.measure()
    #expect(abs(trial.samples.last!.error) < 0.002)
    trial.path.there = 0.03
    trial.exchange()
    trial.measure()
    #expect(abs(trial.samples.last!.error) < 0.002)
  }

  @Test("The estimator finds the drift")
  func drift() {
    for (drift, isFar) in [(100e-6, false), (-150e-6, false), (100e-6, true)] {
      var path = Path(delay: Path.bursty(0.0001), drift: { _ in drift })
      if isFar { (path.there, path.back, path.delay) = (0.04, 0.04, Path.uniform(0.02)) }
      var misses: [Double] = []
      for seed in 0..<10 {
        var trial = Trial(path, seed: seed)
        trial.run(for: 180, measuringFrom: 120)
        misses += trial.samples.map { abs($0.drift) * 1e6 }
      }
      misses.sort()
      #expect(misses[misses.count / 2] < (isFar ? 25 : 2), "parts per million")
    }
  }

  @Test("A process that is stopped in the middle of an exchange doesn't spoil the estimate")
  func stopped() {
    var trial = Trial(Path(delay: Path.bursty(0.0001), drift: { _ in 50e-6 }), seed: 1)
    trial.run(for: 30)
    trial.path.back = 5
    trial.exchange()
    trial.path.back = 0.0001
    trial.measure()
    let (error, uncertainty, _) = trial.samples.last!
    #expect(abs(error) < 0.0005 && abs(error) <= uncertainty && uncertainty < 0.003)
    trial.exchange()
    trial.measure()
    #expect(abs(trial.samples.last!.error) < 0.0002)
  }

  @Test("When one of the two clocks has jumped, the newest exchange decides")
  func jump() {
    var trial = Trial(Path(delay: Path.uniform(0.001)), seed: 1)
    trial.run(for: 30)
    trial.drifted += 60
    trial.exchange()
    trial.measure()
    #expect(abs(trial.samples.last!.error) < 0.001)
    #expect(trial.samples.last!.uncertainty < 0.002)
  }

  @Test("A sleep of this machine moves the offset by the duration of the sleep")
  func sleep() {
    var trial = Trial(Path(delay: Path.uniform(0.001)), seed: 1)
    trial.run(for: 30)
    let now = Trial.host(trial.time)
    let before = trial.clock.estimate(at: now)!
    trial.clock.slept(for: .seconds(3600), uncertainty: .milliseconds(20), at: now)
    let after = trial.clock.estimate(at: now)!
    #expect(after.offset == before.offset + .seconds(3600))
    #expect(after.uncertainty >= .seconds(1.4))
    trial.drifted += 3600
    trial.exchange()
    trial.measure()
    #expect(abs(trial.samples.last!.error) < 0.001)
  }

  @Test("An inherited estimate counts until a better one is known, and bounds it")
  func inherited() {
    let now = HostTime(nanoseconds: 5_000_000_000)
    var clock = ClockEstimator()
    clock.assume(offset: Path.offset, uncertainty: .milliseconds(2), at: now)
    #expect(clock.estimate(at: now)?.offset == Path.offset)
    // An exchange with very unequal ways: alone it would give 50 ms more.
    let received = GroupTime(nanoseconds: (now + .milliseconds(110) + Path.offset).nanoseconds)
    clock.addExchange(
      sent: now, received: received, answered: received, returned: now + .milliseconds(120),
      responderUncertainty: .zero)
    let estimate = clock.estimate(at: now + .milliseconds(120))!
    let error = (estimate.offset - Path.offset).inMilliseconds
    #expect(abs(error) <= 2.1 && estimate.uncertainty.inMilliseconds < 4.5)
  }

  @Test("Times that contradict each other are discarded")
  func nonsense() {
    var clock = ClockEstimator()
    clock.addExchange(
      sent: HostTime(nanoseconds: 100), received: GroupTime(nanoseconds: 50),
      answered: GroupTime(nanoseconds: 10), returned: HostTime(nanoseconds: 200),
      responderUncertainty: .zero)
    clock.addExchange(
      sent: HostTime(nanoseconds: 100), received: GroupTime(nanoseconds: .max),
      answered: GroupTime(nanoseconds: .max), returned: HostTime(nanoseconds: 50),
      responderUncertainty: .zero)
    #expect(clock.estimate(at: HostTime(nanoseconds: 300)) == nil)
  }

  @Test("However many participants there are, they ask the reference twice a second in total")
  func manyParticipants() {
    for participants in [2, 8, 50, 1000, 10_000] {
      let interval = RosterPolicy(participants: participants).longestClockInterval
      #expect(Double(participants - 1) / interval.inSeconds <= 2.001)
      #expect(interval <= .seconds(max(1, Double(participants) / 2)))
    }
  }

  @Test("If exchanges are rare, times that the reference sends unasked keep the estimate accurate")
  func oneWay() throws {
    var sum = (with: Duration.zero, without: Duration.zero)
    for (drift, seed) in [(-60e-6, UInt64(11)), (45e-6, 12), (0, 13), (150e-6, 14)] {
      let (with, without) = try errors(drift: drift, seed: seed)
      #expect(with.max()! < .milliseconds(6), "\(drift)")
      sum.with += with.reduce(.zero, +)
      sum.without += without.reduce(.zero, +)
    }
    #expect(sum.with < sum.without * 0.85, "\(sum)")
  }

  /// Simulates two clocks that drift apart, with exchanges more and more seldom, at last once in
  /// ten minutes, and the reference's time sent unasked once a second between them. Each way takes
  /// 40 to 55 ms.
  ///
  /// - Returns: the error of every second after the first minute, with the unasked times and
  ///   without them.
  private func errors(
    drift: Double, seed: UInt64
  ) throws -> (with: [Duration], without: [Duration]) {
    var dice = RandomSource.seeded(seed)
    var (told, untold) = (ClockEstimator(), ClockEstimator())
    func host(_ time: Double) -> HostTime { HostTime(nanoseconds: Int64(time * 1e9)) }
    func group(_ time: Double) -> GroupTime {
      // The crystal becomes warm after half an hour.
      let later = max(0, time - 1800) * 3e-6
      return GroupTime(nanoseconds: Int64((time * (1 + drift) + later + 500) * 1e9))
    }
    func way() -> Double { 0.040 + Double.random(in: 0...0.015, using: &dice) }
    func error(_ clock: ClockEstimator, at time: Double) throws -> Duration {
      let estimate = try #require(clock.estimate(at: host(time)))
      let truth = Duration.nanoseconds(group(time).nanoseconds - host(time).nanoseconds)
      let off = (estimate.offset - truth).magnitude
      #expect(off <= estimate.uncertainty + .milliseconds(1), "after \(time) s")
      return off
    }
    var errors: (with: [Duration], without: [Duration]) = ([], [])
    var (next, interval) = (0.0, 0.1)
    for time in stride(from: 0.0, to: 7200, by: 1) {
      if time >= next {
        next = time + interval
        interval = min(interval * 1.25, 600)
        let (there, back) = (way(), way())
        func ask(_ clock: inout ClockEstimator) {
          clock.addExchange(
            sent: host(time), received: group(time + there), answered: group(time + there),
            returned: host(time + there + back), responderUncertainty: .zero)
        }
        ask(&told)
        ask(&untold)
      } else {
        _ = told.addBound(sent: group(time), arrived: host(time + way()))
      }
      guard time > 60 else { continue }
      errors.with.append(try error(told, at: time))
      errors.without.append(try error(untold, at: time))
    }
    return errors
  }
}

@Suite("A clock that doesn't jump")
struct ClockSteeringTests {
  private func estimate(_ offset: Duration, drift: Double = 0) -> ClockEstimator.Estimate {
    ClockEstimator.Estimate(
      offset: offset, drift: drift, uncertainty: .milliseconds(1), wander: 0,
      roundTrip: .milliseconds(2))
  }

  private let now = HostTime(nanoseconds: 1_000_000_000)

  @Test("The clock moves to a better estimate slowly, without a jump, and by the announced time")
  func slowly() throws {
    for off in [Duration.milliseconds(-40), .microseconds(300), .milliseconds(7)] {
      var steering = ClockSteering()
      steering.steer(to: estimate(.seconds(5)), isFree: true, at: now)
      steering.steer(to: estimate(.seconds(5) + off), isFree: false, at: now)
      let reading = try #require(steering.current)
      var last = reading.groupTime(at: now)
      #expect(last - GroupTime(nanoseconds: now.nanoseconds) == .seconds(5))
      var time = now
      while time < now + .seconds(10) {
        time = time + .milliseconds(10)
        let group = reading.groupTime(at: time)
        #expect(abs((group - last).inMilliseconds - 10) <= 0.1001)
        let error = (group - GroupTime(nanoseconds: time.nanoseconds)) - .seconds(5) - off
        #expect(abs(error.inSeconds) <= reading.rebased(at: time).uncertainty.inSeconds)
        last = group
      }
      #expect(reading.offset(at: time) == .seconds(5) + off)
    }
  }

  @Test("A new estimate during the change continues from the clock's current time")
  func onTheWay() throws {
    var steering = ClockSteering()
    steering.steer(to: estimate(.zero), isFree: true, at: now)
    var last = Duration.zero
    for step in 0..<100 {
      let time = now + .milliseconds(100) * step
      steering.steer(
        to: estimate(.milliseconds(step.isMultiple(of: 2) ? 3 : -3)), isFree: false, at: time)
      let offset = try #require(steering.current).offset(at: time)
      #expect(abs((offset - last).inMilliseconds) <= 1.001)
      last = offset
    }
  }

  @Test("An estimate that is the first one, or of a wholly different time, is taken at once")
  func atOnce() {
    var steering = ClockSteering()
    steering.steer(to: estimate(.zero), isFree: false, at: now)
    steering.steer(to: estimate(.milliseconds(20)), isFree: true, at: now)
    #expect(steering.current?.offset(at: now) == .milliseconds(20))
    steering.steer(to: estimate(.seconds(9)), isFree: false, at: now)
    #expect(steering.current?.offset(at: now) == .seconds(9))
  }

  @Test(
    "Conversions between group time and host time are inverse, with drift and steering or without")
  func inverse() throws {
    var steering = ClockSteering()
    steering.steer(to: estimate(.seconds(70), drift: 1e-4), isFree: true, at: now)
    steering.steer(to: estimate(.seconds(70.03), drift: -1e-4), isFree: false, at: now)
    let reading = try #require(steering.current)
    for milliseconds in stride(from: -2000, through: 60_000, by: 77) {
      let host = now + .milliseconds(milliseconds)
      let back = reading.hostTime(at: reading.groupTime(at: host))
      #expect(abs((back - host).inNanoseconds) <= 3)
    }
  }
}
