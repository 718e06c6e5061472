/// Decides by what means mpv changes the speed of sound.
///
/// Resampling (`audio-pitch-correction=no`) moves what is heard continuously, and changes the pitch by the same factor.
/// A filter that keeps the pitch works in blocks: near speed 1, `scaletempo` and `scaletempo2` pass the sound through
/// until the accumulated difference exceeds their search range, and then repeat or drop 5 to 15 ms of it, while
/// `audio-pts` moves continuously. So a nudge is resampled, and a filter is used only for a speed whose pitch would be
/// wrong.
///
/// The filter is `rubberband`. Measured at 1.25 with three players whose nudges changed four times a second, by
/// recordings of noise: what is heard is 0.7 to 1.1 ms (95 %) off the player's own line with `rubberband`, 10 to 13 ms
/// with `scaletempo`, 12 to 18 ms with `scaletempo2`, and up to 7 ms with a `scaletempo` that doesn't search.
struct PitchCorrection: Hashable, Sendable {
  /// The tempo filter in mpv's chain.
  enum Filter: Hashable, Sendable {
    case none
    case ours
    /// The user's own serves as well.
    case users
    /// mpv inserts the one that it has.
    case mpvs
  }

  /// The speeds that are resampled: mpv's resampler covers one per cent without being set up again.
  static let resampled = 0.9901...1.0099
  /// The speed that replaces 1 while nudges are expected: with 1 there would be no resampler, and the first nudge
  /// would insert it. One sample in a second at 44,100 samples per second and more.
  static let unity = 1.000012
  static let names = ["rubberband", "scaletempo", "scaletempo2"]

  /// The user's setting of `audio-pitch-correction`; nil until it has been read.
  private(set) var isWanted: Bool?
  /// The last value of mpv's option.
  private(set) var isOn = true
  private(set) var filter = Filter.none

  /// Takes mpv's settings before the first change.
  ///
  /// - Parameters:
  ///   - isWanted: the user's setting of `audio-pitch-correction`.
  ///   - filters: the names of the filters in mpv's chain.
  mutating func read(isWanted: Bool, filters: [String]) {
    self.isWanted = isWanted
    isOn = isWanted
    if filters.contains(where: Self.names.contains) { filter = .users }
  }

  /// Returns whether mpv must keep the pitch at this speed.
  func isNeeded(at speed: Double, expectsNudges: Bool) -> Bool {
    guard isWanted != false else { return false }
    return !expectsNudges && speed == 1 || !Self.resampled.contains(speed)
  }

  /// Returns whether our filter must be inserted before this speed.
  func needsFilter(at speed: Double) -> Bool {
    isWanted == true && filter == .none && !Self.resampled.contains(speed)
  }

  /// Returns whether our filter has to be removed after the change to this speed.
  func hasNeedlessFilter(at speed: Double) -> Bool {
    filter == .ours && Self.resampled.contains(speed)
  }

  mutating func wrote(_ isOn: Bool) { self.isOn = isOn }

  /// Our filter was inserted; or this mpv doesn't have it.
  mutating func inserted(_ isThere: Bool) { filter = isThere ? .ours : .mpvs }

  mutating func removed() { if filter == .ours { filter = .none } }
}
