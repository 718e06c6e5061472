/// A position in an item: the time from the item's start at normal speed.
///
/// Stored as whole nanoseconds, so that equal times compare equal on every machine and survive encoding unchanged.
/// AVFoundation's `CMTime` and mpv's `time-pos` mean the same position.
public struct MediaTime: Hashable, Sendable {
  /// Nanoseconds from the item's start. Negative values lie before it (for example before a scheduled start).
  public var nanoseconds: Int64

  /// The item's start.
  public static let zero = MediaTime(nanoseconds: 0)

  /// Creates a position from whole nanoseconds, exactly.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates a position from seconds.
  ///
  /// - Parameter seconds: finite, and within ±9.2 × 10⁹; anything else is clamped to that range, not-a-number to zero,
  ///   because such values come from files and peers.
  public init(seconds: Double) { nanoseconds = Int64(clampingSeconds: seconds) }

  /// The position in seconds, rounded to the precision of a double: for mpv and for display.
  public var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension MediaTime: Comparable {
  public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }
}

extension MediaTime {
  /// Returns the position at a distance after `time`, clamped to the range of 64 bits.
  public static func + (time: MediaTime, distance: Duration) -> MediaTime {
    MediaTime(nanoseconds: time.nanoseconds.addingClamped(distance.inNanoseconds))
  }

  /// Returns the position at a distance before `time`, clamped to the range of 64 bits.
  public static func - (time: MediaTime, distance: Duration) -> MediaTime {
    MediaTime(nanoseconds: time.nanoseconds.subtractingClamped(distance.inNanoseconds))
  }

  /// Returns the distance from `b` to `a` in media time, clamped to the range of 64 bits. A player covers it in this
  /// time at rate 1.
  public static func - (a: MediaTime, b: MediaTime) -> Duration {
    .nanoseconds(a.nanoseconds.subtractingClamped(b.nanoseconds))
  }
}

extension MediaTime: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}
