/// Decides by what means mpv changes the speed of sound.
///
/// Resampling (`audio-pitch-correction=no`) moves what is heard continuously, and changes the pitch by the same factor.
/// A filter that keeps the pitch works in blocks: near speed 1, `scaletempo` and `scaletempo2` pass the sound through
/// until the accumulated difference exceeds their search range, and then repeat or drop 5 to 15 ms of it, while
/// `audio-pts` moves continuously. So a nudge at rate 1 is resampled, and the pitch is kept only at speeds where it
/// would be wrong, by the filter that mpv inserts or that the user configured. There, what is heard is up to 18 ms
/// (95 %) from `audio-pts`. More exact filters cost more than some machines have: `rubberband` needs a whole core for
/// eight channels.
struct PitchCorrection: Hashable, Sendable {
  /// The speeds that are resampled: mpv's resampler covers one per cent without being set up again.
  static let resampled = 0.9901...1.0099
  /// The speed that replaces 1 while nudges are expected: with 1 there would be no resampler, and the first nudge
  /// would insert it. One sample in a second at 44,100 samples per second and more.
  static let unity = 1.000012

  /// The user's setting of `audio-pitch-correction`; nil until it has been read.
  private(set) var isWanted: Bool?
  /// The last value of mpv's option.
  private(set) var isOn = true

  /// Takes the user's setting of `audio-pitch-correction`, which is read before the first change of it.
  mutating func read(isWanted: Bool) {
    guard self.isWanted == nil else { return }
    self.isWanted = isWanted
    isOn = isWanted
  }

  /// Returns whether mpv must keep the pitch at this speed.
  func isNeeded(at speed: Double, expectsNudges: Bool) -> Bool {
    guard isWanted != false else { return false }
    return !expectsNudges && speed == 1 || !Self.resampled.contains(speed)
  }

  mutating func wrote(_ isOn: Bool) { self.isOn = isOn }
}
