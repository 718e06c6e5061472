#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An instant of this machine's `CLOCK_MONOTONIC`, the clock that libmpv uses too.
///
/// Never the wall clock, which steps, nor `ContinuousClock`, which is `CLOCK_BOOTTIME` on Linux and
/// goes on while the machine sleeps. Means nothing on another machine: only ``GroupTime`` travels.
public struct HostTime: Hashable, Sendable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Reads the clock: `clock_gettime(2)`.
  public static func now() -> HostTime {
    var time = timespec()
    let status = clock_gettime(CLOCK_MONOTONIC, &time)
    precondition(status == 0, "CLOCK_MONOTONIC can't be read: errno \(errno)")
    return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

extension HostTime: InstantProtocol {
  public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }

  public func advanced(by distance: Duration) -> HostTime {
    HostTime(nanoseconds: nanoseconds.addingClamped(distance.inNanoseconds))
  }

  public func duration(to other: HostTime) -> Duration {
    .nanoseconds(other.nanoseconds.subtractingClamped(nanoseconds))
  }

  public static func + (instant: HostTime, distance: Duration) -> HostTime {
    instant.advanced(by: distance)
  }

  public static func - (instant: HostTime, distance: Duration) -> HostTime {
    instant.advanced(by: .zero - distance)
  }

  public static func - (a: HostTime, b: HostTime) -> Duration { b.duration(to: a) }
}
