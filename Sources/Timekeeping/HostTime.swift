#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An instant of this machine's `CLOCK_MONOTONIC`, the clock that libmpv uses too.
///
/// Never the wall clock, which steps, nor `ContinuousClock`, which is `CLOCK_BOOTTIME` on Linux and continues while the
/// machine sleeps. It has no meaning on another machine: only ``GroupTime`` is sent.
public struct HostTime: Hashable, Sendable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: Int64

  /// Creates an instant from nanoseconds since the clock's start.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Reads the clock: `clock_gettime(2)`.
  public static func now() -> HostTime {
    var time = timespec()
    let status = clock_gettime(CLOCK_MONOTONIC, &time)
    precondition(status == 0, "CLOCK_MONOTONIC can't be read: errno \(errno)")
    return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Returns the time that this machine has slept (suspended) since the clock's start: the lead of `CLOCK_BOOTTIME`,
  /// which continues during sleep, over `CLOCK_MONOTONIC`.
  public static func slept() -> Duration {
    var time = timespec()
    // The two clocks are read one after the other: the nearest pair of three is within microseconds.
    var least = Duration.seconds(Int64.max / 1_000_000_000)
    for _ in 0..<3 {
      let before = now()
      guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return .zero }
      let boot = HostTime(
        nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
      least = min(least, boot - before)
    }
    return least
  }

  /// The shortest sleep. A smaller difference is the time between two readings.
  public static let leastSleep = Duration.milliseconds(50)
}

extension HostTime: InstantProtocol {
  public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Returns the instant at a distance from this one, clamped to the range of 64 bits.
  public func advanced(by distance: Duration) -> HostTime {
    HostTime(nanoseconds: nanoseconds.addingClamped(distance.inNanoseconds))
  }

  /// Returns the time until another instant: below zero if the other one is earlier. Clamped, never overflowing.
  public func duration(to other: HostTime) -> Duration {
    .nanoseconds(other.nanoseconds.subtractingClamped(nanoseconds))
  }

  /// Returns a later instant, clamped like ``advanced(by:)``.
  public static func + (instant: HostTime, distance: Duration) -> HostTime {
    instant.advanced(by: distance)
  }

  /// Returns an earlier instant, clamped like ``advanced(by:)``.
  public static func - (instant: HostTime, distance: Duration) -> HostTime {
    instant.advanced(by: .zero - distance)
  }

  /// Returns the time from `b` to `a`, clamped like ``duration(to:)``.
  public static func - (a: HostTime, b: HostTime) -> Duration { b.duration(to: a) }
}
