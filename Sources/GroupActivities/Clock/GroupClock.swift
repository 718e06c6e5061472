import Synchronization
import Timekeeping

/// How this machine's host time and the party's group time hang together, as known at one moment.
public struct GroupClockReading: Hashable, Sendable {
  /// Group time minus host time, in nanoseconds.
  public var offset: Duration
  /// The true offset lies within ± this.
  public var uncertainty: Duration
  /// The best recent round trip to the reference; zero for the reference itself.
  public var roundTrip: Duration
  /// Whether this participant's own clock is the group's.
  public var isReference: Bool

  public init(
    offset: Duration, uncertainty: Duration, roundTrip: Duration, isReference: Bool
  ) {
    self.offset = offset
    self.uncertainty = uncertainty
    self.roundTrip = roundTrip
    self.isReference = isReference
  }

  /// Group time is host time: what a player that is in no party goes by.
  public static let alone = GroupClockReading(
    offset: .zero, uncertainty: .zero, roundTrip: .zero, isReference: true)

  public func groupTime(at host: HostTime) -> GroupTime {
    GroupTime(nanoseconds: (host + offset).nanoseconds)
  }

  public func hostTime(at group: GroupTime) -> HostTime {
    HostTime(nanoseconds: (group - offset).nanoseconds)
  }
}

/// The party's clock, readable from any thread without waiting.
public final class GroupClock: Sendable {
  private let current: Mutex<GroupClockReading?>

  public init(_ reading: GroupClockReading? = nil) { current = Mutex(reading) }

  /// Nil until the first exchange with a member of the party.
  public var reading: GroupClockReading? { current.withLock { $0 } }

  package func set(_ reading: GroupClockReading?) { current.withLock { $0 = reading } }
}
