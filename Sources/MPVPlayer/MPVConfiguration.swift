/// How to set a player up.
public struct MPVConfiguration: Hashable, Sendable {
  /// Where the picture goes.
  public enum VideoMode: Hashable, Sendable {
    /// mpv's own window, with its keys and on-screen controller. Without a display the player falls
    /// back to ``none`` and says so with ``PlayerEvent/windowUnavailable(_:)``.
    case window
    /// Handed to a ``FrameTarget``, picture by picture (`vo=libmpv`).
    case frames
    /// Decoded and shown nowhere (`vo=null`); the times of frames stay real.
    case none
  }

  /// One of mpv's options, as on its command line without the dashes.
  public struct Option: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public var video: VideoMode
  /// Whether the picture may be handed to a ``FrameTarget`` later, if not from the beginning
  /// (``MPVPlayer/setVideoMode(_:)``).
  public var offersFrames = false
  /// Leaves the user's own `mpv.conf`, `input.conf` and scripts out.
  public var noConfig: Bool
  /// Set last, in this order: they have the last word over the user's `mpv.conf` and over everything
  /// that the player itself sets.
  public var options: [Option]

  public init(video: VideoMode = .window, noConfig: Bool = false, options: [Option] = []) {
    self.video = video
    self.noConfig = noConfig
    self.options = options
  }
}

extension MPVConfiguration {
  /// Whether anything asks for a window.
  var mayOpenWindow: Bool { video == .window || options.contains { $0.name == "vo" } }

  /// Our defaults: the user's `mpv.conf` may change them.
  ///
  /// libmpv starts as a bare library (`[libmpv]` in mpv's `etc/builtin.conf`); these make it a
  /// player again.
  var defaults: [Option] {
    [
      Option(name: "config", value: noConfig ? "no" : "yes"),
      Option(name: "audio-client-name", value: "matinee"),
      Option(name: "input-default-bindings", value: "yes"),
      Option(name: "input-vo-keyboard", value: "yes"),
      // mpv keeps seven keys by default: a line that is typed while a slow machine shows a picture would lose its end.
      Option(name: "input-key-fifo-size", value: "1000"),
      Option(name: "input-cursor", value: "yes"),
      Option(name: "osc", value: video == .window ? "yes" : "no"),
      Option(name: "ytdl", value: "yes"),
      // A server without ranges: what has been fetched can be sought in all the same.
      Option(name: "force-seekable", value: "yes"),
      // Who can't prove who it is may be somebody else.
      Option(name: "tls-verify", value: "yes"),
      // A server that says nothing for longer won't.
      Option(name: "network-timeout", value: "20"),
      Option(name: "title", value: "${media-title} - matinee"),
    ] + essentials(hasDisplay: true)
  }

  /// What coordinated playback can't do without: set again after `mpv.conf` was read.
  func essentials(hasDisplay: Bool) -> [Option] {
    let options = [
      // The terminal is ours alone.
      Option(name: "terminal", value: "no"),
      Option(name: "input-terminal", value: "no"),
      // The player outlives its films. At the end it stands on the last frame without touching
      // `pause`, so that `pause` only ever changes because somebody wanted it.
      Option(name: "idle", value: "yes"),
      Option(name: "keep-open", value: "yes"),
      Option(name: "keep-open-pause", value: "no"),
      // Places are exact, and the group's: nothing resumes or repeats by itself.
      Option(name: "hr-seek", value: "yes"),
      Option(name: "resume-playback", value: "no"),
      Option(name: "loop-file", value: "no"),
      Option(name: "loop-playlist", value: "no"),
      // Playback goes on, on the system's clock, when the sound card can't.
      Option(name: "audio-fallback-to-null", value: "yes"),
    ]
    return options + video.options(hasDisplay: hasDisplay)
  }

  /// The user's options once more, after `mpv.conf`. Adding to a list is done only once.
  var repeatableOptions: [Option] {
    let once = ["-append", "-add", "-pre", "-remove", "-del", "-toggle", "-clr"]
    return options.filter { option in
      option.name != "profile" && !once.contains { option.name.hasSuffix($0) }
    }
  }
}

extension MPVConfiguration.VideoMode {
  /// What mpv has to be told for it. Where pictures are handed out, their shape and the subtitles are the target's
  /// affair: burnt into so few pixels nobody could read them.
  func options(hasDisplay: Bool) -> [MPVConfiguration.Option] {
    switch self {
    case .window where hasDisplay: []
    case .window, .none: [.init(name: MPVProperty.vo, value: "null")]
    case .frames:
      [
        .init(name: MPVProperty.keepAspect, value: "no"),
        .init(name: MPVProperty.osdLevel, value: "0"),
        .init(name: MPVProperty.subVisibility, value: "no"),
        .init(name: MPVProperty.vo, value: "libmpv"),
      ]
    }
  }
}
