/// Mirrors `AVDelegatingPlaybackCoordinatorRateChangeOptions`.
public struct RateChangeOptions: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: Int
  /// Creates options from bits. Unknown bits have no effect.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Starts at once, without waiting for participants who aren't ready.
  public static let playImmediately = RateChangeOptions(rawValue: 1)
}

/// Mirrors `AVDelegatingPlaybackCoordinatorSeekOptions`.
public struct SeekOptions: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: Int
  /// Creates options from bits. Unknown bits have no effect.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Resumes at once after the seek, without waiting for participants who aren't ready.
  public static let resumeImmediately = SeekOptions(rawValue: 1)
}
