import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A player as its controller sees it: a nudge is audible a little later, the output has a crystal of its own, and
/// measurements aren't exact.
private struct Plant {
  var random: RandomSource
  /// The drift of the player's output against the machine's clock.
  var drift = 0.0
  var responseTime = Duration.milliseconds(300)
  /// The largest measurement error in either direction.
  var noise = Duration.microseconds(50)
  var interval = Duration.milliseconds(250)
  var clockRate = 0.0

  var now = HostTime(nanoseconds: 7_000_000_000)
  /// The distance ahead of the line, in seconds.
  var error = 0.0
  var nudges: [(at: HostTime, offset: Double)] = []
  var controller = DriftController()
  var seeks = 0
  var largest = 0.0
  var errors: [Double] = []

  init(seed: Int = 1) { random = .seeded(UInt64(seed)) }

  mutating func run(for seconds: Double) {
    let end = now + .seconds(seconds)
    while now < end {
      let measured = error + Double.random(in: -1...1, using: &random) * noise.inSeconds
      switch controller.measured(
        .seconds(measured), uncertainty: noise, clockRate: clockRate, responseTime: responseTime,
        at: now)
      {
      case .nudge(let factor):
        if nudges.last?.offset != factor - 1 { nudges.append((now, factor - 1)) }
        largest = max(largest, abs(factor - 1))
      case .seek:
        seeks += 1
        error = 0.002
        nudges = []
        controller.interrupted()
      }
      for _ in 0..<10 {
        let offset = nudges.last { $0.at + responseTime <= now }?.offset ?? 0
        error += (offset + drift - clockRate) * interval.inSeconds / 10
        now = now + interval / 10
        errors.append(error)
      }
      if nudges.count > 40 { nudges.removeFirst(20) }
    }
  }

  /// Runs, and discards the results so far.
  mutating func settle(for seconds: Double) {
    run(for: seconds)
    (errors, largest, seeks) = ([], 0, 0)
  }

  var worst: Double { errors.reduce(0) { max($0, abs($1)) } }
}

@Suite("Drift")
struct DriftControllerTests {
  @Test(
    "No error remains, whichever way the player is off, and whatever its crystal's rate",
    arguments: [-0.03, -0.009, -0.002, 0.0011, 0.004, 0.02, 0.04], [-200e-6, 0, 100e-6])
  func residue(error: Double, drift: Double) {
    var plant = Plant()
    plant.error = error
    plant.drift = drift
    plant.run(for: 20)
    #expect(plant.seeks == 0)
    // Never beyond the line by more than the error that would not be corrected.
    let overshoot = plant.errors.map { $0 * (error < 0 ? 1 : -1) }.max()!
    #expect(overshoot < 0.0008)
    #expect(plant.largest <= max(abs(error) / 2 * 1.2, 0.001) + 250e-6)
    plant.settle(for: 45)
    #expect(plant.worst < 0.0008)
    #expect(plant.largest <= 0.0005)
  }

  @Test("An error of 10 ms is corrected with no more than three tenths of a per cent")
  func inaudible() {
    for error in [-0.0095, 0.0095] {
      var plant = Plant()
      plant.error = error
      plant.run(for: 20)
      #expect(plant.largest <= 0.00301 && plant.worst < 0.0098)
      #expect(abs(plant.error) < 0.0005)
    }
  }

  @Test("An error of 40 ms is corrected in ten seconds, with nine tenths of a per cent at most")
  func fast() {
    var plant = Plant()
    plant.error = -0.04
    plant.run(for: 10)
    #expect(abs(plant.error) < 0.001 && plant.largest <= 0.00901 && plant.seeks == 0)
  }

  @Test(
    "Within a second after a correction no two neighbouring half seconds differ by half a millisecond"
  )
  func smooth() {
    var plant = Plant()
    plant.error = 0.0009
    plant.drift = 40e-6
    plant.run(for: 30)
    let halves = stride(from: 0, to: plant.errors.count, by: 20).map { plant.errors[$0] }
    let steps = zip(halves, halves.dropFirst()).map { abs($0 - $1) }
    #expect(steps.max()! < 0.0005)
  }

  @Test("An error beyond the limit of speed changes causes one seek, and only one")
  func seek() {
    for error in [-40, -0.3, 0.3, 7.0] {
      var plant = Plant()
      plant.error = error
      plant.run(for: 30)
      #expect(plant.seeks == 1 && abs(plant.error) < 0.0008)
    }
  }

  @Test("One wrong measurement has no effect")
  func outlier() {
    for wrong in [Duration.milliseconds(15), .milliseconds(-120), .seconds(3)] {
      var plant = Plant()
      plant.settle(for: 30)
      let before = plant.controller.nudge
      let correction = plant.controller.measured(
        wrong, uncertainty: .milliseconds(0.05), clockRate: 0, responseTime: plant.responseTime,
        at: plant.now)
      #expect(correction == .nudge(before))
      plant.run(for: 10)
      #expect(plant.worst < 0.0008 && plant.seeks == 0)
    }
  }

  @Test("Twenty stalls in a row leave no lasting error")
  func stalls() {
    var plant = Plant()
    plant.drift = 80e-6
    plant.settle(for: 20)
    for _ in 0..<20 {
      plant.controller.interrupted()
      plant.nudges = []
      plant.error += Double.random(in: -0.006...0.006, using: &plant.random)
      plant.run(for: 3)
    }
    plant.settle(for: 5)
    plant.run(for: 5)
    #expect(plant.worst < 0.0012 && plant.seeks == 0)
  }

  @Test(
    "The speed never oscillates, however late a change is heard",
    arguments: [0, 100, 300, 600, 1000])
  func swing(milliseconds: Int) {
    for noise in [0.02, 0.2, 1.0] {
      var plant = Plant()
      plant.responseTime = .milliseconds(milliseconds)
      plant.noise = .milliseconds(noise)
      plant.error = 0.02
      plant.drift = -60e-6
      plant.settle(for: 30)
      plant.run(for: 120)
      var turns = 0
      for (a, b) in zip(plant.errors, plant.errors.dropFirst()) where (a < 0) != (b < 0) {
        turns += 1
      }
      #expect(plant.worst < max(0.0008, noise * 2e-3), "noise \(noise) ms")
      #expect(turns < 60, "noise \(noise) ms")
    }
  }

  @Test("A wrongly estimated response time doesn't cause oscillation")
  func misjudged() {
    for actual in [0.0, 700.0] {
      var plant = Plant()
      plant.error = 0.02
      var end = 0
      while end < 400 {
        // The controller gets 300 ms, whatever the actual response time is.
        let factor = plant.controller.measured(
          .seconds(plant.error), uncertainty: .zero, clockRate: 0,
          responseTime: .milliseconds(300), at: plant.now)
        if case .nudge(let factor) = factor, plant.nudges.last?.offset != factor - 1 {
          plant.nudges.append((plant.now, factor - 1))
        }
        let heard = plant.now - .milliseconds(actual)
        let offset = plant.nudges.last { $0.at <= heard }?.offset ?? 0
        plant.error += offset * 0.25
        plant.now = plant.now + .milliseconds(250)
        end += 1
        if end > 100 { plant.errors.append(plant.error) }
      }
      #expect(plant.worst < 0.001)
    }
  }

  @Test("A change of the group clock's rate is followed without an error first")
  func clockRate() {
    var plant = Plant()
    plant.settle(for: 20)
    // The rate of the group's clock while it is corrected after a change of the reference.
    plant.clockRate = 1e-3
    plant.run(for: 10)
    plant.clockRate = 0
    plant.run(for: 20)
    #expect(plant.worst < 0.0012)
  }

  @Test("With measurements by frames, the controller accepts errors below their precision")
  func frames() {
    var plant = Plant()
    plant.noise = .milliseconds(2)
    plant.responseTime = .zero
    plant.error = 0.015
    plant.drift = 50e-6
    plant.settle(for: 30)
    plant.run(for: 120)
    #expect(plant.worst < 0.004 && plant.seeks == 0)
    #expect(plant.largest < 0.005)
  }
}
