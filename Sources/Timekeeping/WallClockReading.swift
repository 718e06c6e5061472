import CTimex

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A wall clock that a time service keeps, as the kernel knows it: its relation to the host clock, and a bound of its
/// error.
///
/// The service adjusts `CLOCK_REALTIME` and `CLOCK_MONOTONIC` together. Their difference therefore changes only when
/// the wall clock is set.
public struct WallClockReading: Hashable, Sendable {
  /// Wall time (UTC, since 1970) minus host time.
  public var offset: Duration
  /// The bound of the wall clock's error: the true time lies within ± this.
  public var uncertainty: Duration

  /// - Parameters:
  ///   - offset: wall time minus host time.
  ///   - uncertainty: the bound of the wall clock's error; not negative.
  public init(offset: Duration, uncertainty: Duration) {
    self.offset = offset
    self.uncertainty = uncertainty
  }

  /// Reads the wall clock: `clock_gettime(2)`, `adjtimex(2)`.
  ///
  /// - Returns: nil if no time service synchronizes the wall clock, or if the service doesn't state its errors.
  public static func now() -> WallClockReading? {
    var state = timex()
    let status = adjtimex(&state)
    guard status >= 0 else { return nil }
    let isSynchronized = status != TIME_ERROR && state.status & STA_UNSYNC == 0
    let unit = state.status & STA_NANO != 0 ? Duration.nanoseconds(1) : .microseconds(1)
    guard
      let doubt = uncertainty(
        isSynchronized: isSynchronized, largest: .microseconds(state.maxerror),
        expected: .microseconds(state.esterror), pending: unit * abs(state.offset)),
      let (offset, gap) = readBoth()
    else { return nil }
    return WallClockReading(offset: offset, uncertainty: doubt + gap)
  }

  /// Returns the bound of a wall clock's error that follows from the kernel's figures.
  ///
  /// Some services (systemd-timesyncd) tell the kernel after each correction that there is no error at all. These show
  /// in an expected error of exactly zero, which no measurement has.
  ///
  /// - Parameters:
  ///   - largest, expected: the kernel's `maxerror` and `esterror`.
  ///   - pending: the magnitude of the correction that the kernel is still applying.
  /// - Returns: nil if the wall clock can't be used.
  static func uncertainty(
    isSynchronized: Bool, largest: Duration, expected: Duration, pending: Duration
  ) -> Duration? {
    guard isSynchronized, expected > .zero, largest >= expected else { return nil }
    return largest + pending
  }

  /// Reads both clocks, one between two readings of the other, and returns the closest of three.
  private static func readBoth() -> (offset: Duration, gap: Duration)? {
    var closest: (offset: Duration, gap: Duration)?
    var time = timespec()
    for _ in 0..<3 {
      let before = HostTime.now()
      guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return nil }
      let gap = HostTime.now() - before
      guard closest.map({ gap < $0.gap }) ?? true else { continue }
      let wall = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
      closest = (wall - .nanoseconds(before.nanoseconds) - gap / 2, gap)
    }
    return closest
  }
}
