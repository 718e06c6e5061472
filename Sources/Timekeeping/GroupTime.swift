/// An instant of the party's shared clock.
///
/// Group time is the host clock of one participant, the reference; all others estimate the offset between it and their
/// own ``HostTime``. It is the only kind of time that is sent.
public struct GroupTime: Hashable, Sendable {
  /// Nanoseconds since the group clock's start, which has no meaning outside the party.
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}

extension GroupTime: InstantProtocol {
  public static func < (a: GroupTime, b: GroupTime) -> Bool { a.nanoseconds < b.nanoseconds }

  public func advanced(by distance: Duration) -> GroupTime {
    GroupTime(nanoseconds: nanoseconds.addingClamped(distance.inNanoseconds))
  }

  public func duration(to other: GroupTime) -> Duration {
    .nanoseconds(other.nanoseconds.subtractingClamped(nanoseconds))
  }

  public static func + (instant: GroupTime, distance: Duration) -> GroupTime {
    instant.advanced(by: distance)
  }

  public static func - (instant: GroupTime, distance: Duration) -> GroupTime {
    instant.advanced(by: .zero - distance)
  }

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
