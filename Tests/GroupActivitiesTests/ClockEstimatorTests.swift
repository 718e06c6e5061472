import Testing
import Timekeeping

@testable import GroupActivities

@Suite("The group's clock")
struct ClockEstimatorTests {
  static let offset = Duration.seconds(1234)

  /// One exchange with a reference whose clock is ``offset`` ahead.
  func exchange(
    _ clock: inout ClockEstimator, at time: HostTime, there: Duration, back: Duration
  ) {
    let received = GroupTime(nanoseconds: (time + there + Self.offset).nanoseconds)
    clock.addExchange(
      sent: time, received: received, answered: received, returned: time + there + back,
      responderUncertainty: .zero)
  }

  @Test(
    "Equal ways give the exact offset; unequal ones stay within the uncertainty", arguments: 0..<50)
  func honesty(seed: Int) {
    var random = RandomSource.seeded(UInt64(seed))
    var clock = ClockEstimator()
    var time = HostTime(nanoseconds: 5_000_000_000)
    for _ in 0..<10 {
      exchange(
        &clock, at: time, there: .microseconds(Int64.random(in: 100...50_000, using: &random)),
        back: .microseconds(Int64.random(in: 100...50_000, using: &random)))
      time = time + .milliseconds(200)
      let estimate = clock.estimate(at: time)!
      let error = (estimate.offset - Self.offset).inSeconds
      #expect(abs(error) <= estimate.uncertainty.inSeconds, "seed \(seed)")
    }
  }

  @Test("The exchange with the smallest round trip is believed")
  func smallest() {
    var clock = ClockEstimator()
    let time = HostTime(nanoseconds: 0)
    exchange(&clock, at: time, there: .milliseconds(80), back: .milliseconds(2))
    exchange(&clock, at: time, there: .milliseconds(1), back: .milliseconds(1))
    exchange(&clock, at: time, there: .milliseconds(2), back: .milliseconds(90))
    #expect(clock.estimate(at: time + .milliseconds(100))!.offset == Self.offset)
  }

  @Test("Times that contradict each other are thrown away")
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
}
