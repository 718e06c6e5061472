import Timekeeping

/// The state that mpv has reported. Each method takes one report and returns whether it is a change.
@dynamicMemberLookup
struct ReportedState: Hashable, Sendable {
  private(set) var values = PlayerSnapshot()
  /// mpv's last `cache-buffering-state`, which is 100 while playback doesn't wait for data.
  private var cacheBufferingState: Int?
  /// The container's format, as mpv names it.
  private var fileFormat: String?
  /// mpv's last `duration`.
  private var namedDuration: MediaTime?
  /// A Boolean value that indicates whether the file names no duration, so that mpv's grows with what it has read, or is
  /// an estimate.
  private(set) var isDurationGrowing = false
  /// A Boolean value that indicates whether the file's headers name a duration; nil until they have been read.
  private var namesDuration: Bool?
  /// The size in bytes of a file on a server; nil if it isn't known.
  private var remoteSize: Int64?

  subscript<Value>(dynamicMember path: KeyPath<PlayerSnapshot, Value>) -> Value {
    values[keyPath: path]
  }

  // MARK: The file

  /// The file's first frame is still to come.
  mutating func fileStarted() {
    values.isLoaded = false
    values.isAtEnd = false
    values.bufferedUntil = nil
    isDurationGrowing = false
    durationChanged(to: nil, isLive: false)
    namesDuration = nil
    remoteSize = nil
  }

  mutating func loaded() { values.isLoaded = true }

  mutating func unloaded() { values.isLoaded = false }

  /// Takes a property of the file that has no other effect.
  ///
  /// - Parameter isLive: whether the file is a live stream, for which mpv reports the duration that is available now.
  /// - Returns: false for another property.
  mutating func took(_ name: String, _ value: MPVValue, isLive: Bool) -> Bool {
    switch name {
    // mpv has neither between two files, and may report so when they have been read of the next one.
    case MPVProperty.duration:
      if let seconds = value.double {
        durationChanged(to: MediaTime(seconds: seconds), isLive: isLive)
      }
    case MPVProperty.streamEnd: remoteSize = value.integer
    case MPVProperty.seekable: values.isSeekable = value.flag ?? values.isSeekable
    case MPVProperty.partiallySeekable: values.isPartiallySeekable = value.flag ?? false
    case MPVProperty.fileFormat: fileFormat = value.string
    case MPVProperty.mediaTitle: values.title = value.string
    case MPVProperty.path: values.path = value.string
    case MPVProperty.chapterList:
      values.chapters = (value.array ?? []).compactMap(PlayerSnapshot.Chapter.init)
    case MPVProperty.containerFPS: values.framesPerSecond = value.double
    case MPVProperty.videoParams: values.videoSize = PlayerSnapshot.VideoSize(value)
    case MPVProperty.demuxerViaNetwork: values.isRemote = value.flag ?? false
    default: return false
    }
    return true
  }

  /// The duration of a file that names none is the end of what mpv has read, which isn't the film's end.
  private mutating func durationChanged(to duration: MediaTime?, isLive: Bool) {
    let isFirst = namedDuration == nil && duration != nil
    namedDuration = duration
    if isFirst, namesDuration == false || isNamedByReading { isDurationGrowing = true }
    values.duration = isLive || isDurationGrowing ? nil : duration
  }

  /// Takes a line of mpv's log. If FFmpeg has computed the duration from the bit rate, there may be more to play, which
  /// can be sought.
  mutating func logged(_ line: String) {
    guard line.contains("Estimating duration from bitrate") else { return }
    isDurationGrowing = true
    values.duration = nil
  }

  /// The properties of a file that was opened have been read.
  mutating func itemRead() {
    isDurationGrowing = isDurationGrowing || isNamedByReading
    namesDuration = namedDuration != nil && !isDurationGrowing
    if isDurationGrowing { values.duration = nil }
  }

  /// A Boolean value that indicates whether mpv's duration is the end of what it has read.
  private var isNamedByReading: Bool {
    guard let namedDuration, let until = values.bufferedUntil else { return false }
    return namedDuration - until < .milliseconds(500)
  }

  /// The file has been read to its end, so that its duration is known.
  mutating func durationMeasured(isLive: Bool) {
    guard isDurationGrowing else { return }
    isDurationGrowing = false
    values.duration = isLive ? nil : namedDuration
  }

  mutating func tracksChanged(_ value: MPVValue) -> Bool {
    change(\.tracks, to: (value.array ?? []).compactMap(PlayerSnapshot.Track.init))
  }

  /// A Boolean value that indicates whether the container has no index of its frames: a seek may end seconds after its
  /// target, at the next frame that can be decoded alone.
  var isInexact: Bool { fileFormat == "mpegts" || fileFormat == "mpeg" }

  /// A Boolean value that indicates whether the film comes in parts, each a file of its own.
  var isSegmented: Bool { fileFormat == "hls" || fileFormat == "dash" }

  // MARK: Playback

  mutating func paused(_ isPaused: Bool) -> Bool { change(\.isPaused, to: isPaused) }

  mutating func seeking(_ isSeeking: Bool) { values.isSeeking = isSeeking }

  mutating func atEnd(_ isAtEnd: Bool) -> Bool { change(\.isAtEnd, to: isAtEnd) }

  mutating func stalled(_ isStalled: Bool) -> Bool { change(\.isStalled, to: isStalled) }

  mutating func buffering(_ percent: Int?) { cacheBufferingState = percent }

  /// Updates the loaded percentage, which is known only while playback waits for data.
  mutating func updateLoadedPercent() -> Bool {
    let percent = values.isStalled ? cacheBufferingState.map { min(max($0, 0), 100) } : nil
    return change(\.loadedPercent, to: percent)
  }

  mutating func buffered(until end: MediaTime?) { values.bufferedUntil = end }

  // MARK: Sound and subtitles

  mutating func volumeChanged(_ volume: Double?) -> Bool {
    change(\.volume, to: volume ?? values.volume)
  }

  mutating func muted(_ isMuted: Bool) -> Bool { change(\.isMuted, to: isMuted) }

  mutating func audioOutputChanged(_ output: String?) -> Bool {
    change(\.audioOutput, to: output)
  }

  mutating func subtitlesShown(_ areVisible: Bool) { values.areSubtitlesVisible = areVisible }

  mutating func subtitleTextChanged(_ text: String?) -> Bool {
    change(\.subtitleText, to: text ?? "")
  }

  /// - Parameter property: `sub-scale` or `sub-pos`.
  mutating func subtitleShapeChanged(_ property: String, _ value: Double?) -> Bool {
    guard let value else { return false }
    return property == MPVProperty.subScale
      ? change(\.subtitleScale, to: value) : change(\.subtitlePosition, to: value)
  }

  // MARK: Combinations

  /// A Boolean value that indicates whether the picture or the sound moves.
  ///
  /// - Parameter hasStarted: whether the film's first frame has appeared.
  func isMoving(hasStarted: Bool) -> Bool {
    hasStarted && !values.isPaused && !values.isAtEnd && !values.isStalled && !values.isSeeking
  }

  /// A Boolean value that indicates whether subtitles are drawn at the bottom of the picture.
  var hasSubtitles: Bool {
    values.areSubtitlesVisible
      && values.tracks.contains { $0.kind == .subtitles && $0.isSelected }
  }

  /// Returns whether the player can go to another position.
  ///
  /// A stream without an end would be read until it reached a position that may never come. In a live stream that
  /// was loaded as one, positions follow the date, and so will come. A file without time stamps can't be sought.
  func canSeek(isLive: Bool) -> Bool {
    let isFile = !values.isRemote || remoteSize != nil && !isSegmented
    return values.isSeekable && (values.duration != nil || isLive || isDurationGrowing && isFile)
  }

  /// Returns whether playback could start at `rate` without running out of data soon.
  func isReady(rate: Double, from position: MediaTime?, isCacheFull: Bool) -> Bool {
    guard values.isRemote, !isCacheFull, !values.isAtEnd else { return true }
    guard let until = values.bufferedUntil, let position else { return false }
    if let duration = values.duration, until >= duration - .milliseconds(500) { return true }
    return until - position >= .seconds(2) * max(rate, 1)
  }

  private mutating func change<Value: Equatable>(
    _ path: WritableKeyPath<PlayerSnapshot, Value>, to value: Value
  ) -> Bool {
    guard values[keyPath: path] != value else { return false }
    values[keyPath: path] = value
    return true
  }
}
