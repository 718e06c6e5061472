/// An instant of the party's shared clock.
///
/// Group time is the host clock of one participant, the reference; all others estimate the offset between it and their
/// own ``HostTime``. It is the only kind of time that is sent.
public struct GroupTime: Hashable, Sendable {
  /// Nanoseconds since the group clock's start, which has no meaning outside the party.
  public var nanoseconds: Int64

  /// Creates an instant from nanoseconds since the group clock's start.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}

extension GroupTime: InstantProtocol {
  public static func < (a: GroupTime, b: GroupTime) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Returns the instant at a distance from this one, clamped to the range of 64 bits.
  public func advanced(by distance: Duration) -> GroupTime {
    GroupTime(nanoseconds: nanoseconds.addingClamped(distance.inNanoseconds))
  }

  /// Returns the time until another instant: below zero if the other one is earlier. Clamped, never overflowing.
  public func duration(to other: GroupTime) -> Duration {
    .nanoseconds(other.nanoseconds.subtractingClamped(nanoseconds))
  }

  /// Returns a later instant, clamped like ``advanced(by:)``.
  public static func + (instant: GroupTime, distance: Duration) -> GroupTime {
    instant.advanced(by: distance)
  }

  /// Returns an earlier instant, clamped like ``advanced(by:)``.
  public static func - (instant: GroupTime, distance: Duration) -> GroupTime {
    instant.advanced(by: .zero - distance)
  }

  /// Returns the time from `b` to `a`, clamped like ``duration(to:)``.
  public static func - (a: GroupTime, b: GroupTime) -> Duration { b.duration(to: a) }
}

extension GroupTime: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}
