import Timekeeping

/// The time and author of a write to shared state: a hybrid logical clock's reading (Kulkarni et al., 2014,
/// in group time) and the author's id. Stamps are totally ordered, and the newest wins, so participants that
/// hold the same messages hold the same state.
public struct Stamp: Hashable, Sendable, Codable {
  /// Nanoseconds of group time, or two more than the newest stamp seen, whichever is greater. A write that follows from
  /// another one has one more than that (``StampClock/following(_:)``).
  public let time: Int64
  /// The write's author, which breaks ties between equal times.
  public let participant: Participant.ID

  /// Creates a stamp. New writes take theirs from ``StampClock/next(at:)``.
  public init(time: Int64, participant: Participant.ID) {
    self.time = time
    self.participant = participant
  }

  private enum CodingKeys: String, CodingKey {
    case time = "t"
    case participant = "p"
  }
}

extension Stamp: Comparable {
  public static func < (a: Stamp, b: Stamp) -> Bool {
    a.time != b.time ? a.time < b.time : a.participant < b.participant
  }
}

/// Makes stamps that are newer than every stamp seen so far.
public struct StampClock: Hashable, Sendable {
  private let participant: Participant.ID
  private var newest = Int64.min

  /// Creates a clock that has seen no stamp.
  ///
  /// - Parameter participant: the author of the stamps to come.
  public init(participant: Participant.ID) { self.participant = participant }

  /// Makes a stamp that is newer than all stamps made or observed so far.
  public mutating func next(at now: GroupTime) -> Stamp {
    newest = max(now.nanoseconds, newest > .max - 2 ? .max : newest + 2)
    return Stamp(time: newest, participant: participant)
  }

  /// Makes a stamp for a write that follows from another one without anybody's decision. It is newer than that one, and
  /// older than each write that is decided on later, also by a participant that hasn't heard of it.
  public mutating func following(_ stamp: Stamp) -> Stamp {
    let time = stamp.time == .max ? .max : stamp.time + 1
    newest = max(newest, time)
    return Stamp(time: time, participant: participant)
  }

  /// Records another participant's stamp.
  ///
  /// - Returns: false for a stamp so far in the future that no honest clock made it. Accepting it would let
  ///   one participant freeze the group's state for as long as it likes.
  public mutating func observe(_ stamp: Stamp, at now: GroupTime) -> Bool {
    guard GroupTime(nanoseconds: stamp.time) - now <= Self.tolerance else { return false }
    newest = max(newest, stamp.time)
    return true
  }

  /// A time that the difference of two honest clocks never exceeds, also right after joining.
  static let tolerance = Duration.seconds(10)
}
