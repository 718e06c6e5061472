import Timekeeping

/// How this machine's host time and the party's group time hang together, as known at one moment.
public struct GroupClockReading: Hashable, Sendable {
  /// Group time minus host time, in nanoseconds, at ``taken``.
  public var offset: Duration
  /// Host time of the reading.
  public var taken: HostTime
  /// How much faster group time runs than host time, in seconds a second: the drift of two crystals, some
  /// 10⁻⁵.
  public var drift: Double
  /// The true offset lies within ± this, at ``taken``.
  public var uncertainty: Duration
  /// What nine of ten round trips to the reference stay below; zero for the reference itself.
  public var roundTrip: Duration
  /// Whether this participant's own clock is the group's.
  public var isReference: Bool

  /// What is added to ``drift`` until ``steeringEnd``, so that a better estimate is reached without a jump.
  var steering = 0.0
  var steeringEnd: HostTime
  /// By how much ``uncertainty`` grows, in seconds a second.
  var wander = 0.0

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

  /// Group time is host time: what a player that is in no party goes by.
  public static let alone = GroupClockReading(
    offset: .zero, uncertainty: .zero, roundTrip: .zero, isReference: true)

  /// Exact near ``taken``. For instants long past this says what the clock of now makes of them: see
  /// ``anchor(_:at:)``.
  public func groupTime(at host: HostTime) -> GroupTime {
    GroupTime(nanoseconds: (host + offset(at: host)).nanoseconds)
  }

  /// The inverse of ``groupTime(at:)``.
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

  /// Where in host time a line begins that began at `group`: so that it is right at `now`, and from then on,
  /// however the two clocks have drifted apart since it began.
  public func anchor(_ group: GroupTime, at now: HostTime) -> HostTime {
    let here = groupTime(at: now)
    return group < here ? now - (here - group) : hostTime(at: group)
  }

  /// How much faster group time runs than host time at an instant, steering included.
  public func rate(at host: HostTime) -> Double {
    drift + (host < steeringEnd ? steering : 0)
  }

  func offset(at host: HostTime) -> Duration {
    let elapsed = (host - taken).inSeconds
    let steered = max(0, min(elapsed, (steeringEnd - taken).inSeconds))
    return offset + Duration(clampingSeconds: elapsed * drift + steered * steering)
  }

  /// The same relation, as of `now`.
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
