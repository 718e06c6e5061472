import Timekeeping

/// The player's state, as a value. Cheap to make: it uses values that mpv has already reported.
package struct PlayerSnapshot: Hashable, Sendable {
  /// A track of the film: a picture, a language, or subtitles. Mirrors an entry of mpv's `track-list`.
  package struct Track: Hashable, Sendable {
    /// The kind of a track's content; mpv's `type`.
    package enum Kind: Hashable, Sendable { case video, audio, subtitles }

    /// The kind of the content.
    package var kind: Kind
    /// mpv's number of the track, unique within its kind: the value of `vid`, `aid` or `sid`.
    package var id: Int
    /// The title from the file, not cleaned of control characters.
    package var title: String?
    /// The language from the file: an ISO 639 code.
    package var language: String?
    /// A Boolean value that indicates whether the track is played.
    package var isSelected: Bool
    /// A Boolean value that indicates whether the track is a still picture for the item, not a film.
    package var isAlbumArt: Bool
    /// The other file that contains the track; nil for the loaded file, and for one in memory.
    package var file: String?
    /// A Boolean value that indicates whether the track is subtitles whose format gives them a look of their own: Advanced
    /// SubStation Alpha.
    package var areStyledSubtitles = false
  }

  /// A chapter of the film. Mirrors an entry of mpv's `chapter-list`.
  package struct Chapter: Hashable, Sendable {
    /// The title from the file, not cleaned of control characters; nil if it has none.
    package var title: String?
    /// The chapter's position in the item.
    package var start: MediaTime
  }

  /// The size of the picture.
  package struct VideoSize: Hashable, Sendable {
    /// The width in pixels on the display, after the aspect ratio was applied.
    package var width: Int
    /// The height in pixels on the display, after the aspect ratio was applied.
    package var height: Int
  }

  /// The loaded path or URL. Nil while nothing is loaded.
  package var path: String?
  /// The title from the file or its name; not cleaned of control characters.
  package var title: String?
  /// A Boolean value that indicates whether mpv has opened the item: its tracks and duration are known.
  package var isLoaded = false
  /// A Boolean value that indicates whether the player is paused (`pause`). A player that waits for data isn't.
  package var isPaused = true
  /// The commanded rate, without a nudge.
  package var rate = 1.0
  /// The additional factor by which the speed is multiplied now, to be in step; 1 for none.
  package var nudge = 1.0
  /// The time before an instant at which the player needs its command to play then.
  package var startLatency = Duration.zero
  /// The time until a change of the speed is audible.
  package var speedChangeLatency = Duration.zero
  /// A Boolean value that indicates whether the player is still moving onto the line of the last play command.
  package var isSettling = false
  /// The position of playback now, from the last measurement and the clock.
  package var itemTime: MediaTime?
  /// The duration; nil while unknown, and for streams without end.
  package var duration: MediaTime?
  /// The end of the fetched data.
  package var bufferedUntil: MediaTime?
  /// A Boolean value that indicates whether the player can go to another position in the item: mpv can (`seekable`), and
  /// the item has an end and time stamps, or is a live stream.
  package var isSeekable = false
  /// A Boolean value that indicates whether only fetched data can be sought: the server supports no ranges, or the
  /// stream is live.
  package var isPartiallySeekable = false
  /// A Boolean value that indicates whether a seek is under way: no frame of the new position is shown yet.
  package var isSeeking = false
  /// A Boolean value that indicates whether playback waits for data (`paused-for-cache`).
  package var isStalled = false
  /// The part of the data that playback waits for which has arrived, in percent, 0...100
  /// (`cache-buffering-state`); nil while the player doesn't wait for data.
  package var loadedPercent: Int?
  /// A Boolean value that indicates whether the player is at the last frame.
  package var isAtEnd = false
  /// A Boolean value that indicates whether the data comes over a network.
  package var isRemote = false
  /// The volume in per cent; above 100 is amplified.
  package var volume = 100.0
  /// A Boolean value that indicates whether the sound is off (`mute`); ``volume`` keeps its value.
  package var isMuted = false
  /// The item's tracks, those of added files included.
  package var tracks: [Track] = []
  /// The item's chapters in order; empty if it has none.
  package var chapters: [Chapter] = []
  /// A Boolean value that indicates whether the selected subtitles are shown (`sub-visibility`).
  package var areSubtitlesVisible = true
  /// A Boolean value that indicates whether the picture is passed to a ``FrameTarget``.
  package var handsOutFrames = false
  /// A Boolean value that indicates whether the window covers the whole screen; nil without a window.
  package var isFullscreen: Bool?
  /// The current text of the subtitles, even while they aren't visible, with the tags of Advanced SubStation Alpha
  /// (`sub-text-ass`); events end with newlines.
  package var subtitleText = ""
  /// The size of the subtitles, as a multiple of the usual one (`sub-scale`).
  package var subtitleScale = 1.0
  /// The height of the subtitles in the picture, in per cent; 100 is the bottom (`sub-pos`).
  package var subtitlePosition = 100.0
  /// The size of the picture (`video-params`); nil without a picture.
  package var videoSize: VideoSize?
  /// The frame rate from the container; nil if there are no frames.
  package var framesPerSecond: Double?
  /// The audio output in use (`current-ao`); nil while there is none.
  package var audioOutput: String?

  /// A Boolean value that indicates whether a film's picture is played; false for a cover.
  package var hasVideo: Bool {
    tracks.contains { $0.kind == .video && $0.isSelected && !$0.isAlbumArt }
  }

  /// A Boolean value that indicates whether a sound track is played.
  package var hasAudio: Bool { tracks.contains { $0.kind == .audio && $0.isSelected } }

  /// The duration of a frame; nil if there are no frames.
  package var frameDuration: Duration? {
    guard hasVideo, let framesPerSecond, framesPerSecond > 0 else { return nil }
    return Duration(clampingSeconds: 1 / framesPerSecond)
  }
}

extension PlayerSnapshot.Track {
  /// Returns nil for kinds that newer versions of mpv may have.
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
    file = value["external-filename"]?.string.flatMap { MemoryFile.isPath($0) ? nil : $0 }
    areStyledSubtitles = kind == .subtitles && value["codec"]?.string == "ass"
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
