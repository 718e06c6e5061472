/// Mirrors `AVDelegatingPlaybackCoordinatorRateChangeOptions`.
public struct RateChangeOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Starts at once, whoever is ready.
  public static let playImmediately = RateChangeOptions(rawValue: 1)
}

/// Mirrors `AVDelegatingPlaybackCoordinatorSeekOptions`.
public struct SeekOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Resumes at once after the seek, whoever is ready.
  public static let resumeImmediately = SeekOptions(rawValue: 1)
}
