import Timekeeping

/// The end of a film: its reports, and the difference to the end of the part that has arrived.
struct FilmEnd: Hashable, Sendable {
  /// The part of a film that mpv has fetched (`demuxer-cache-state`).
  struct Fetched: Hashable, Sendable {
    /// A Boolean value that indicates whether no more data comes.
    let isOver: Bool
    /// The end of the data; nil for an empty cache.
    let end: MediaTime?

    init(_ state: MPVValue) {
      isOver = state["eof"]?.flag == true
      end = state["cache-end"]?.double.map(MediaTime.init(seconds:))
    }
  }

  /// An end that is about to be reported.
  enum Report: Hashable, Sendable {
    /// The rest of the film is missing, because its server is gone.
    case connectionLost
    case ended(at: MediaTime, isEarly: Bool)
  }

  /// The place of a film to which the player went without a command.
  enum Landing: Hashable, Sendable {
    /// A user went there.
    case chosen
    /// The rest of the film is missing, because its server is gone.
    case connectionLost
    /// It isn't known yet whether the server is gone: mpv looks for a last frame, since nothing arrived.
    case undecided
  }

  /// The transport command after which the end was reported without mpv's saying so.
  private var reportedAfter: UInt64?

  /// Returns whether mpv's end is news after this transport command.
  func isNews(after serial: UInt64) -> Bool { reportedAfter != serial }

  /// The line of a play command has reached the film's end, where the player is paused.
  ///
  /// - Parameters:
  ///   - serial: the command.
  ///   - current: the newest command.
  ///   - isAtEnd: whether mpv says so, too: the end was reported then.
  /// - Returns: whether the end is to be reported.
  mutating func lineEnded(after serial: UInt64, current: UInt64, isAtEnd: Bool) -> Bool {
    guard serial == current, !isAtEnd else { return false }
    reportedAfter = serial
    return true
  }

  // MARK: Decisions

  /// Returns whether a film that ends here lacks its rest: more than two seconds of the promised duration.
  static func isEarly(_ position: MediaTime, duration: MediaTime?) -> Bool {
    duration.map { $0 - position > .seconds(2) } ?? false
  }

  /// Returns the report of an end that mpv reached.
  static func report(at position: MediaTime, duration: MediaTime?, isRemote: Bool) -> Report {
    let isEarly = isEarly(position, duration: duration)
    return isEarly && isRemote ? .connectionLost : .ended(at: position, isEarly: isEarly)
  }

  /// Returns the position of an end that mpv reached.
  ///
  /// A seek beyond the frames of a film over a network may end without one. mpv then has no position, or reports the
  /// promised duration, to which it seeks for the last frame. That is no evidence that the film's end has arrived.
  ///
  /// - Parameters:
  ///   - reported: `time-pos`; nil without a position.
  ///   - target: the target of the newest seek; nil if it isn't known.
  static func position(
    reported: MediaTime?, _ fetched: Fetched, target: MediaTime?, duration: MediaTime?,
    isRemote: Bool
  ) -> MediaTime {
    guard isRemote else { return reported ?? duration ?? .zero }
    if let reported, fetched.end != nil, duration.map({ reported < $0 }) ?? true { return reported }
    let end = duration ?? .zero
    let position = min(fetched.end ?? target ?? .zero, end)
    return isEarly(position, duration: duration) ? position : end
  }

  /// Returns the meaning of a place to which the player went without a command.
  ///
  /// If nothing arrives after a seek, mpv seeks to the promised duration for the last frame on its own. A user who goes
  /// there gets the frames of the end, which a participant without a connection can't have received.
  static func landing(
    at position: MediaTime, _ fetched: Fetched, duration: MediaTime?, isRemote: Bool
  ) -> Landing {
    if isCutOff(at: position, fetched, duration: duration, isRemote: isRemote) {
      return .connectionLost
    }
    guard isRemote, duration != nil, !isEarly(position, duration: duration),
      fetched.end.map({ isEarly($0, duration: duration) }) ?? true
    else { return .chosen }
    return fetched.isOver ? .connectionLost : .undecided
  }

  /// Returns whether the received part of the film ends here, and no more data will come.
  static func isCutOff(
    at position: MediaTime, _ fetched: Fetched, duration: MediaTime?, isRemote: Bool
  ) -> Bool {
    guard isRemote, fetched.isOver else { return false }
    // The cache is empty after a seek that didn't reach the server, or led beyond what it has.
    guard let end = fetched.end else { return duration != nil }
    return end - position < .seconds(1) && isEarly(max(end, position), duration: duration)
  }
}
