import Timekeeping

/// Decides where a film ends: what it promises, what can be read of it, and what has arrived may differ.
struct FilmEnd: Hashable, Sendable {
  /// The part of a film that mpv has read, at one moment.
  struct Reading: Hashable, Sendable {
    /// A Boolean value that indicates whether no more data comes (`demuxer-cache-state`).
    let isOver: Bool
    /// The end of the data; nil for an empty cache.
    let end: MediaTime?
    /// The place of the last packet in the file (`stream-pos`); nil if none was read since the last seek, and for a
    /// stream in segments.
    let byte: Int64?
    /// The file's size in bytes (`stream-end`); nil if it isn't known, as after the loss of a server.
    let size: Int64?

    init(cache: MPVValue, byte: MPVValue = .none, size: MPVValue = .none) {
      isOver = cache["eof"]?.flag == true
      end = cache["cache-end"]?.double.map(MediaTime.init(seconds:))
      self.byte = byte.integer
      self.size = size.integer
    }

    /// A Boolean value that indicates whether there was nothing to read at the last seek's target.
    var isEmpty: Bool { end == nil && byte == nil }

    /// A Boolean value that indicates whether nothing is left to play.
    var isUsedUp: Bool { isOver && end == nil }

    /// A Boolean value that indicates whether the file has been read to its last packet. An index may follow it.
    var isComplete: Bool? {
      guard let byte, let size else { return nil }
      return size - byte <= min(4 << 20, max(8 << 10, size / 20))
    }
  }

  /// The messages about a film's data in mpv's log.
  struct Complaints: Hashable, Sendable {
    /// Data couldn't be read, and none has come since.
    private(set) var hasFailed = false
    /// The file is shorter than its own headers say.
    private(set) var isIncomplete = false

    mutating func logged(_ line: String) {
      if Self.failures.contains(where: line.contains) { hasFailed = true }
      if Self.gaps.contains(where: line.contains) { isIncomplete = true }
    }

    mutating func dataArrived() { hasFailed = false }

    /// The messages of FFmpeg and mpv.
    private static let failures = [
      "Will reconnect", "Stream ends prematurely", "Seek failed", "error reading packet",
      "Failed to open segment", "Failed to open fragment", "keepalive request failed",
      "Failed to seek when reading", "Connection timed out", "Connection refused",
    ]
    private static let gaps = ["incomplete file", "partial file", "growing file"]
  }

  /// The film that is judged.
  struct Film: Hashable, Sendable {
    /// The promised duration; nil for none.
    var duration: MediaTime?
    var isRemote = false
    /// A Boolean value that indicates whether the film comes in parts (HLS, DASH), so that sizes say nothing.
    var isSegmented = false
    var complaints = Complaints()
    /// The amount by which a film may end before or after its promise.
    private static let endSlack = Duration.seconds(2)

    /// Returns whether more than two seconds of the promised film are missing after a position.
    func lacksRest(after position: MediaTime) -> Bool {
      duration.map { $0 - position > Self.endSlack } ?? false
    }

    /// Returns whether a position is the promised end of a film of which nothing is missing.
    func isWhole(_ reading: Reading, at position: MediaTime) -> Bool {
      duration.map { ($0 - position).magnitude <= Self.endSlack } == true
        && reading.isComplete == true && complaints == Complaints()
    }

    /// Returns whether data is missing because the server is gone. Otherwise the film ends here, and its promise is an
    /// estimate, or another stream's, or the file is incomplete.
    fileprivate func isLost(_ reading: Reading) -> Bool {
      guard isRemote else { return false }
      if complaints.hasFailed || isSegmented { return complaints.hasFailed }
      return reading.size == nil || reading.isComplete == false
    }
  }

  /// The meaning of an end that mpv reached.
  enum End: Hashable, Sendable {
    /// The film has its end here. `isEarly`: its rest is missing.
    case ended(at: MediaTime, isEarly: Bool)
    /// The rest of the film is missing, because its server is gone.
    case connectionLost
  }

  /// The meaning of a place to which the player went without a command.
  enum Landing: Hashable, Sendable {
    /// A user may have gone there.
    case chosen
    /// The rest of the film is missing, because its server is gone.
    case connectionLost
    /// No user went there: mpv found nothing to read at the place to go to.
    case unreadable
    /// It isn't known yet: mpv looks for a last frame, since nothing arrived.
    case undecided
  }

  /// An end before the promised one.
  struct Found: Hashable, Sendable {
    let position: MediaTime
    /// A Boolean value that indicates whether there are signs that the rest is missing.
    let isEarly: Bool
  }

  /// The transport command after which the end was reported.
  private var reportedAfter: UInt64?

  /// An end is about to be reported.
  ///
  /// - Parameter serial: the newest transport command.
  /// - Returns: whether it is news: one end is reported after each command.
  mutating func mustReport(after serial: UInt64) -> Bool {
    defer { reportedAfter = serial }
    return reportedAfter != serial
  }

  // MARK: Decisions

  /// Returns the meaning of an end that mpv reached.
  ///
  /// - Parameters:
  ///   - reported: `time-pos`; nil without a position.
  ///   - target: the target of the newest seek, from which the player hasn't moved on; nil for none.
  static func end(
    reported: MediaTime?, target: MediaTime?, _ reading: Reading, of film: Film
  ) -> End {
    let position = position(reported: reported, target: target, reading, of: film)
    guard film.lacksRest(after: position) else { return .ended(at: position, isEarly: false) }
    if film.isLost(reading) { return .connectionLost }
    let isCut = film.complaints.isIncomplete || film.complaints.hasFailed
    return .ended(
      at: position, isEarly: isCut || reading.isEmpty || reading.isComplete == false)
  }

  /// Returns the position of an end that mpv reached.
  ///
  /// A seek beyond what can be read may end without a frame. mpv then has no position, or reports the target, or the
  /// promised duration, to which it seeks for the last frame. That is no evidence that the film's end is there.
  private static func position(
    reported: MediaTime?, target: MediaTime?, _ reading: Reading, of film: Film
  ) -> MediaTime {
    if let reported, !reading.isEmpty, film.duration.map({ reported < $0 }) ?? true {
      return reported
    }
    let found = reading.end ?? (reading.byte == nil ? target : nil) ?? reported ?? film.duration
    guard let duration = film.duration else { return found ?? .zero }
    let position = min(found ?? duration, duration)
    return film.lacksRest(after: position) ? position : duration
  }

  /// Returns the meaning of a place to which the player went without a command.
  ///
  /// If nothing can be read after a seek, mpv seeks to the promised duration for the last frame on its own. A user who
  /// goes there gets the frames of the end, which can be read.
  ///
  /// - Parameter isOwn: whether the player's own seek led there instead of to its target.
  static func landing(
    at position: MediaTime, isOwn: Bool, _ reading: Reading, of film: Film
  ) -> Landing {
    if isCutOff(at: position, reading, of: film) { return .connectionLost }
    let isBeyondData =
      film.isRemote && film.duration != nil && !film.lacksRest(after: position)
      && reading.end.map(film.lacksRest) ?? true
    guard reading.isOver else { return isBeyondData ? .undecided : .chosen }
    if isBeyondData, film.isLost(reading) { return .connectionLost }
    if isOwn { return .undecided }
    return reading.isEmpty ? .unreadable : .chosen
  }

  /// Returns whether the received part of a film over a network ends here because its server is gone.
  static func isCutOff(at position: MediaTime, _ reading: Reading, of film: Film) -> Bool {
    guard reading.isOver, film.duration != nil, film.isLost(reading) else { return false }
    // The cache is empty after a seek that didn't reach the server, or led beyond what it has.
    guard let end = reading.end else { return true }
    return end - position < .seconds(1) && film.lacksRest(after: max(end, position))
  }
}
