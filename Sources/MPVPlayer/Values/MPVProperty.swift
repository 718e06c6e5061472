/// The names of mpv's properties and commands, spelled as mpv spells them (`mpv(1)`).
enum MPVProperty {
  static let accessReferences = "access-references"
  static let abLoopA = "ab-loop-a"
  static let abLoopB = "ab-loop-b"
  static let aid = "aid"
  static let alang = "alang"
  static let audioDevice = "audio-device"
  static let audioDelay = "audio-delay"
  static let audioDeviceList = "audio-device-list"
  static let audioPitchCorrection = "audio-pitch-correction"
  static let audioPTS = "audio-pts"
  static let autofit = "autofit"
  static let autofitSmaller = "autofit-smaller"
  static let border = "border"
  static let cacheBufferingState = "cache-buffering-state"
  static let chapterList = "chapter-list"
  static let containerFPS = "container-fps"
  static let cookies = "cookies"
  static let currentAO = "current-ao"
  static let currentWindowScale = "current-window-scale"
  static let demuxerCacheIdle = "demuxer-cache-idle"
  static let demuxerCacheState = "demuxer-cache-state"
  static let demuxerCacheTime = "demuxer-cache-time"
  static let demuxerLavfOptions = "demuxer-lavf-o"
  static let demuxerViaNetwork = "demuxer-via-network"
  static let duration = "duration"
  static let eofReached = "eof-reached"
  static let lavfiComplex = "lavfi-complex"
  static let tlsCAFile = "tls-ca-file"
  static let tlsVerify = "tls-verify"
  static let loopFile = "loop-file"
  static let loopPlaylist = "loop-playlist"
  static let loadUnsafePlaylists = "load-unsafe-playlists"
  static let fileFormat = "file-format"
  static let fullscreen = "fullscreen"
  static let geometry = "geometry"
  /// The time by which an exact seek begins to read earlier, for the current file only.
  static let seekDemuxerOffset = "file-local-options/hr-seek-demuxer-offset"
  /// The option by which the sound waits for a later picture, or is cut to begin with it; for the current file only.
  static let initialAudioSync = "file-local-options/initial-audio-sync"
  static let httpHeaderFields = "http-header-fields"
  static let httpProxy = "http-proxy"
  static let idleActive = "idle-active"
  static let keepAspect = "keepaspect"
  static let maximized = "window-maximized"
  static let mediaTitle = "media-title"
  static let mousePos = "mouse-pos"
  static let mute = "mute"
  static let onTop = "ontop"
  static let osdDimensions = "osd-dimensions"
  static let osdLevel = "osd-level"
  static let partiallySeekable = "partially-seekable"
  static let path = "path"
  static let pause = "pause"
  static let pausedForCache = "paused-for-cache"
  static let playlist = "playlist"
  static let playlistCount = "playlist-count"
  static let referrer = "referrer"
  static let replayGainFallback = "replaygain-fallback"
  static let replayGainPreamp = "replaygain-preamp"
  static let seekable = "seekable"
  static let sid = "sid"
  static let slang = "slang"
  static let speed = "speed"
  static let start = "start"
  static let streamEnd = "stream-end"
  static let streamLavfOptions = "stream-lavf-o"
  static let streamPos = "stream-pos"
  static let subDelay = "sub-delay"
  static let subPos = "sub-pos"
  static let subScale = "sub-scale"
  static let subText = "sub-text"
  static let subTextASS = "sub-text-ass"
  /// The name of ``subTextASS`` from mpv 0.38 on.
  static let subTextInASS = "sub-text/ass"
  static let subVisibility = "sub-visibility"
  static let timePos = "time-pos"
  static let trackList = "track-list"
  static let vid = "vid"
  static let videoParams = "video-params"
  static let vo = "vo"
  static let gpuAPI = "gpu-api"
  static let gpuContext = "gpu-context"
  static let volume = "volume"
  static let ytdl = "ytdl"
  static let ytdlRawOptions = "ytdl-raw-options"
  static let volumeMax = "volume-max"

  /// The properties that have times of the film.
  static let times: Set = [
    abLoopA, abLoopB, audioPTS, chapterList, demuxerCacheState, demuxerCacheTime, duration, timePos,
  ]

  /// The properties that are observed for as long as the player lives. None of them changes with every frame:
  /// `time-pos` and `audio-pts` are read when they are needed. `demuxer-cache-time` comes before `duration`, which is
  /// compared with it.
  static let observed = [
    pause, speed, eofReached, pausedForCache, cacheBufferingState, demuxerCacheTime, duration,
    seekable, abLoopA, abLoopB, loopFile,
    partiallySeekable, mediaTitle, fileFormat,
    path, playlistCount,
    volume, mute, fullscreen,
    trackList, chapterList, subVisibility, subText, subScale,
    subPos, containerFPS, videoParams, audioDevice,
    currentAO, demuxerCacheIdle, idleActive, demuxerViaNetwork, osdDimensions,
  ]
}

enum MPVCommand {
  static let add = "add"
  static let aoReload = "ao-reload"
  static let cycle = "cycle"
  static let defineSection = "define-section"
  static let disableSection = "disable-section"
  static let enableSection = "enable-section"
  static let expandText = "expand-text"
  static let loadfile = "loadfile"
  static let osdOverlay = "osd-overlay"
  static let playlistClear = "playlist-clear"
  static let quit = "quit"
  static let screenshotToFile = "screenshot-to-file"
  static let seek = "seek"
  static let showProgress = "show-progress"
  static let stop = "stop"
  static let subAdd = "sub-add"
}
