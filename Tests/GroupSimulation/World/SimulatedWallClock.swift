import Timekeeping

/// A machine's wall clock: kept by a time service for every second participant, with an error within the stated bound.
/// One in ten is set at some time, to a wrong time, and the service doesn't know.
struct SimulatedWallClock {
  /// The wall clock minus true time.
  private let error: Nanoseconds
  private let bound: Nanoseconds
  private let stepsAt: Nanoseconds?
  private let step: Nanoseconds

  init?(seed: UInt64, person: Person) {
    var dice = Dice(seed: seed, 9, UInt64(person.number))
    guard dice.fraction() < 0.5 else { return nil }
    bound = dice.number(.milliseconds(1)...(.milliseconds(15)))
    error = dice.number(-bound...bound)
    stepsAt = dice.fraction() < 0.1 ? dice.number(.seconds(2)...(.seconds(30))) : nil
    step = dice.number(.milliseconds(5)...(.milliseconds(400)))
  }

  /// Returns whether the clock was set to a wrong time before, beyond its bound.
  func isWrong(at now: Nanoseconds) -> Bool {
    stepsAt.map { now >= $0 && (error + step).magnitude > bound } ?? false
  }

  func reading(at now: Nanoseconds, hostTime: HostTime) -> WallClockReading {
    let jump = stepsAt.map { now >= $0 ? step : 0 } ?? 0
    return WallClockReading(
      offset: .nanoseconds(now + error + jump) - .nanoseconds(hostTime.nanoseconds),
      uncertainty: .nanoseconds(bound))
  }
}
