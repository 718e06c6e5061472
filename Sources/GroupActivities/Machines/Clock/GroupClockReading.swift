import Timekeeping

/// The relation between this machine's host time and the party's group time, as known at one moment.
public struct GroupClockReading: Hashable, Sendable {
  /// Group time minus host time, in nanoseconds, at ``taken``.
  public var offset: Duration
  /// The host time of the reading.
  public var taken: HostTime
  /// The rate of group time minus that of host time, in seconds per second: the drift of two crystals, some
  /// 10⁻⁵.
  public var drift: Double
  /// The bound of the error at ``taken``: the true offset lies within ± this.
  public var uncertainty: Duration
  /// The 90th percentile of the round trips to the reference; zero for the reference itself.
  public var roundTrip: Duration
  /// A Boolean value that indicates whether this participant's own clock is the group's.
  public var isReference: Bool
  /// The number of other participants' wall clocks that make ``uncertainty`` smaller than the exchanges alone would.
  public internal(set) var wallClocks = 0

  /// The addition to ``drift`` until ``steeringEnd``, which reaches a better estimate without a jump.
  var steering = 0.0
  var steeringEnd: HostTime
  /// The growth of ``uncertainty``, in seconds per second.
  var wander = 0.0

  /// Creates a reading from an estimate. It isn't steered, and its uncertainty doesn't grow.
  public init(
    offset: Duration, taken: HostTime = HostTime(nanoseconds: 0), drift: Double = 0,
    uncertainty: Duration, roundTrip: Duration, isReference: Bool
  ) {
    self.offset = offset
    self.taken = taken
    self.drift = drift
    self.uncertainty = uncertainty
    self.roundTrip = roundTrip
    self.isReference = isReference
    steeringEnd = taken
  }

  /// A reading in which group time is host time, for a player that is in no party.
  public static let alone = GroupClockReading(
    offset: .zero, uncertainty: .zero, roundTrip: .zero, isReference: true)

  /// Returns the group time at a host time. It is exact near ``taken``. For times long past, it extrapolates
  /// the current clock; see ``anchor(_:at:)``.
  public func groupTime(at host: HostTime) -> GroupTime {
    GroupTime(nanoseconds: (host + offset(at: host)).nanoseconds)
  }

  /// Returns the host time at a group time: the inverse of ``groupTime(at:)``.
  public func hostTime(at group: GroupTime) -> HostTime {
    let there = HostTime(nanoseconds: (group - offset).nanoseconds)
    let ahead = (there - taken).inSeconds
    let end = (steeringEnd - taken).inSeconds
    let atEnd = end * (1 + drift + steering)
    let elapsed =
      if ahead <= 0 || end <= 0 {
        ahead / (1 + drift)
      } else if ahead <= atEnd {
        ahead / (1 + drift + steering)
      } else {
        end + (ahead - atEnd) / (1 + drift)
      }
    return there + Duration(clampingSeconds: elapsed - ahead)
  }

  /// Returns the start in host time of a line that began at `group`. The line is exact at `now` and from then
  /// on, however the two clocks have drifted apart since it began.
  public func anchor(_ group: GroupTime, at now: HostTime) -> HostTime {
    let here = groupTime(at: now)
    return group < here ? now - (here - group) : hostTime(at: group)
  }

  /// Returns the rate of group time minus that of host time at an instant, steering included, in seconds per
  /// second.
  public func rate(at host: HostTime) -> Double {
    drift + (host < steeringEnd ? steering : 0)
  }

  func offset(at host: HostTime) -> Duration {
    let elapsed = (host - taken).inSeconds
    let steered = max(0, min(elapsed, (steeringEnd - taken).inSeconds))
    return offset + Duration(clampingSeconds: elapsed * drift + steered * steering)
  }

  /// Returns the same relation, as of `now`.
  func rebased(at now: HostTime) -> GroupClockReading {
    guard now > taken else { return self }
    var reading = self
    let elapsed = now - taken
    let left = max(.zero, min(elapsed, steeringEnd - taken))
    reading.offset = offset(at: now)
    reading.uncertainty =
      max(.zero, uncertainty - left * abs(steering)) + elapsed * wander
    reading.taken = now
    reading.steeringEnd = max(now, steeringEnd)
    if reading.steeringEnd == now { reading.steering = 0 }
    return reading
  }
}
