import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A guest's evening, second by second: the drift of its clock and its sound card, its network, and the real clock and
/// controller, which get only the information that they would have in practice.
private struct Evening {
  var random: RandomSource
  /// The drift of this machine's clock against the reference's, and of the sound card's against this machine's.
  let crystal: Double
  let soundCard: Double
  let delay: ClosedRange<Double>

  private let timing = PartyTiming()
  private var clock = PartyClock()
  private var controller = DriftController()
  /// The reference's clock, in seconds.
  private var now = 0.0
  private var nextExchange = 0.0
  private var interval: Double
  private var exchanges = 0
  /// The player's position, in media seconds; the group plays from 0 at 0.
  private var position: Double
  private var nudges: [(at: Double, factor: Double)] = []

  private(set) var worst = 0.0
  private(set) var seeks = 0
  private(set) var largestNudge = 0.0

  static let step = 0.25
  static let responseTime = 0.3

  init(seed: UInt64, crystal: Double, soundCard: Double, delay: ClosedRange<Double>) {
    random = .seeded(seed)
    self.crystal = crystal
    self.soundCard = soundCard
    self.delay = delay
    interval = timing.clockIntervals.lowerBound.inSeconds
    position = 0.003
  }

  private func host(_ time: Double) -> HostTime {
    HostTime(nanoseconds: Int64((5000 + time * (1 + crystal)) * 1e9))
  }

  private mutating func exchange() {
    let up = Double.random(in: delay, using: &random)
    let down = Double.random(in: delay, using: &random)
    let group = GroupTime(nanoseconds: Int64((now + up) * 1e9))
    let back = host(now + up + down)
    clock.addExchange(
      sent: host(now), received: group, answered: group, returned: back,
      responderUncertainty: .zero, at: back)
    exchanges += 1
    if exchanges < timing.clockBurst {
      nextExchange = now + timing.clockBurstInterval.inSeconds
      return
    }
    if exchanges == timing.clockBurst { clock.settle() }
    nextExchange = now + interval
    interval = min(
      interval * timing.clockIntervalGrowth,
      RosterPolicy(participants: 3).longestClockInterval.inSeconds)
  }

  /// Runs the evening.
  ///
  /// - Parameter calm: the time from which results count.
  mutating func run(for seconds: Double, calm: Double) {
    while now < seconds {
      while nextExchange <= now { exchange() }
      if let reading = clock.reading(at: host(now)) {
        // The guest's own estimate: the error against its estimate of the group's time.
        let line = Double(reading.groupTime(at: host(now)).nanoseconds) / 1e9
        let noise = Double.random(in: -50e-6...50e-6, using: &random)
        switch controller.measured(
          .seconds(position - line + noise), uncertainty: .microseconds(100),
          clockRate: reading.rate(at: host(now)), responseTime: .seconds(Self.responseTime),
          at: host(now))
        {
        case .nudge(let factor):
          if nudges.last?.factor != factor { nudges.append((now, factor)) }
          if now > calm { largestNudge = max(largestNudge, abs(factor - 1)) }
        case .seek:
          seeks += 1
          position = line
          nudges = []
          controller.interrupted()
        }
      }
      if nudges.count > 64 { nudges.removeFirst(32) }
      let heard = now - Self.responseTime
      let factor = nudges.last { $0.at <= heard }?.factor ?? 1
      position += Self.step * (1 + crystal) * (1 + soundCard) * factor
      now += Self.step
      if now > calm { worst = max(worst, abs(position - now)) }
    }
  }
}

@Suite("Eight hours")
struct EightHoursTests {
  @Test("With crystals 100 ppm off either way no participant is ever 5 ms off, and none seeks")
  func withoutFaults() async {
    let cases = [(100e-6, 100e-6), (-100e-6, 100e-6), (100e-6, -100e-6), (-100e-6, -100e-6)]
    await withTaskGroup(of: Evening.self) { group in
      for (index, (crystal, soundCard)) in cases.enumerated() {
        group.addTask {
          var evening = Evening(
            seed: UInt64(index + 1), crystal: crystal, soundCard: soundCard,
            delay: index < 2 ? 0.0001...0.0006 : 0.015...0.025)
          evening.run(for: 8 * 3600, calm: 5)
          return evening
        }
      }
      for await evening in group {
        #expect(evening.worst < 0.005, "crystals \(evening.crystal), \(evening.soundCard)")
        #expect(evening.seeks == 0)
        #expect(evening.largestNudge <= 0.005)
      }
    }
  }
}
