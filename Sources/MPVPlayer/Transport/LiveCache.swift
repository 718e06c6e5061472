import Timekeeping

/// The part of a live stream that mpv holds in memory, as `demuxer-cache-state` describes it.
///
/// FFmpeg can't seek in a live stream: outside this part a seek fails, and discards what is held. Playback then
/// continues with the next segment that arrives, later than what was asked for. A group of pictures is part of it
/// only once the next one has begun.
struct LiveCache: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    /// A seek to this position succeeds, or nothing is gained by waiting.
    case seek(to: MediaTime)
    /// The position has not been received yet.
    case wait
  }

  private struct Range: Hashable, Sendable {
    var start: MediaTime
    var end: MediaTime
  }

  /// The newest range; older ones can't be played beyond their ends. Nil until a group of pictures is complete.
  private let newest: Range?
  private let receivesMore: Bool

  /// More than the rounding between mpv's seconds and nanoseconds, and less than the 5 ms by which a frame may be
  /// earlier than an exact seek's target.
  private static let rounding = Duration.milliseconds(1)

  init(_ state: MPVValue) {
    newest = (state["seekable-ranges"]?.array ?? [])
      .compactMap { range in
        guard let start = range["start"]?.double, let end = range["end"]?.double else { return nil }
        return Range(start: MediaTime(seconds: start), end: MediaTime(seconds: end))
      }
      .max { $0.end < $1.end }
    receivesMore = state["eof"]?.flag != true && state["idle"]?.flag != true
  }

  /// Returns the step that brings the player to `target`, or to the earliest reachable position after it.
  func step(toward target: MediaTime) -> Step {
    guard let newest else { return receivesMore ? .wait : .seek(to: target) }
    if target > newest.end, receivesMore { return .wait }
    return .seek(to: max(target, newest.start + Self.rounding))
  }

  /// The earliest position that the player can seek to; nil while none is known.
  var earliest: MediaTime? { newest.map { $0.start + Self.rounding } }
}
