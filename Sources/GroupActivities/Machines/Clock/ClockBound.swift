import Timekeeping

/// The uncertainty of a clock at a time. It grows afterwards with the possible drift.
struct ClockBound: Hashable, Sendable {
  var uncertainty: Duration
  var taken: HostTime

  func uncertainty(at now: HostTime) -> Duration {
    uncertainty + max(.zero, now - taken) * ClockEstimator.driftLimit
  }
}
