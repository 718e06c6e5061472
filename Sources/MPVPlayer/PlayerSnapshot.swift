import Timekeeping

/// What the player is doing, as a value. Cheap: made of what mpv has told, without asking it.
public struct PlayerSnapshot: Hashable, Sendable {
  public struct Track: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case video, audio, subtitles }

    public var kind: Kind
    /// mpv's number for it, unique within its kind: the value of `vid`, `aid` or `sid`.
    public var id: Int
    /// As the file has it: not cleaned of control characters.
    public var title: String?
    /// An ISO 639 code, as the file has it.
    public var language: String?
    public var isSelected: Bool
    /// A still picture that stands for the item, not a film.
    public var isAlbumArt: Bool
    /// The other file that it comes from; nil for the one that was loaded.
    public var file: String?
  }

  public struct Chapter: Hashable, Sendable {
    public var title: String?
    public var start: MediaTime
  }

  public struct VideoSize: Hashable, Sendable {
    /// In pixels as they are to be shown, after the aspect ratio was applied.
    public var width: Int
    public var height: Int
  }

  /// What was loaded: a path or a URL. Nil while nothing is.
  public var path: String?
  /// From the file or its name; not cleaned of control characters.
  public var title: String?
  public var isLoaded = false
  public var isPaused = true
  /// The commanded rate; a nudge doesn't show in it.
  public var rate = 1.0
  /// The factor beside ``rate`` by which the speed is multiplied now, to be in step; 1 for none.
  public var nudge = 1.0
  /// How long before an instant the player has to be told of it to play then.
  public var startLatency = Duration.zero
  /// How long a change of the speed takes to be heard.
  public var speedChangeLatency = Duration.zero
  /// Whether the player itself is still getting onto the line of the last play command.
  public var isSettling = false
  /// Where playback is now, by the last measurement and the clock.
  public var itemTime: MediaTime?
  /// Nil while unknown, and for streams without end.
  public var duration: MediaTime?
  /// How far data has been fetched.
  public var bufferedUntil: MediaTime?
  public var isSeekable = false
  /// Only what has been fetched can be sought: the server has no ranges, or the stream is live.
  public var isPartiallySeekable = false
  public var isSeeking = false
  /// Waiting for data (`paused-for-cache`).
  public var isStalled = false
  /// The part of the data that playback waits for which has arrived, in percent, 0...100
  /// (`cache-buffering-state`); nil while the player doesn't wait for data.
  public var loadedPercent: Int?
  /// On the last frame.
  public var isAtEnd = false
  /// Whether the data comes over a network.
  public var isRemote = false
  /// Percent; above 100 is amplified.
  public var volume = 100.0
  public var isMuted = false
  public var tracks: [Track] = []
  public var chapters: [Chapter] = []
  public var areSubtitlesVisible = true
  /// Whether the picture is handed to a ``FrameTarget``.
  public var handsOutFrames = false
  /// Whether the window covers the whole screen; nil without one.
  public var isFullscreen: Bool?
  /// What the subtitles say now, also while they aren't visible (`sub-text`); lines end with newlines.
  public var subtitleText = ""
  public var videoSize: VideoSize?
  /// As the container says; nil where there are no frames.
  public var framesPerSecond: Double?
  /// The audio output in use (`current-ao`), nil while there is none.
  public var audioOutput: String?

  public var hasVideo: Bool {
    tracks.contains { $0.kind == .video && $0.isSelected && !$0.isAlbumArt }
  }

  public var hasAudio: Bool { tracks.contains { $0.kind == .audio && $0.isSelected } }

  /// Nil where there are no frames.
  public var frameDuration: Duration? {
    guard hasVideo, let framesPerSecond, framesPerSecond > 0 else { return nil }
    return Duration(clampingSeconds: 1 / framesPerSecond)
  }
}

extension PlayerSnapshot.Track {
  /// - Returns: nil for kinds that newer versions of mpv may have.
  init?(_ value: MPVValue) {
    guard let id = value["id"]?.integer, let type = value["type"]?.string else { return nil }
    switch type {
    case "video": kind = .video
    case "audio": kind = .audio
    case "sub": kind = .subtitles
    default: return nil
    }
    self.id = Int(id)
    title = value["title"]?.string
    language = value["lang"]?.string
    isSelected = value["selected"]?.flag ?? false
    isAlbumArt = value["albumart"]?.flag ?? false
    file = value["external-filename"]?.string
  }
}

extension PlayerSnapshot.Chapter {
  init?(_ value: MPVValue) {
    guard let start = value["time"]?.double else { return nil }
    self.init(title: value["title"]?.string, start: MediaTime(seconds: start))
  }
}

extension PlayerSnapshot.VideoSize {
  init?(_ value: MPVValue) {
    guard let width = value["dw"]?.integer, let height = value["dh"]?.integer else { return nil }
    self.init(width: Int(width), height: Int(height))
  }
}
