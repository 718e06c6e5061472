/// The settings for a new player.
package struct MPVConfiguration: Hashable, Sendable {
  /// The destination of the picture.
  package enum VideoMode: Hashable, Sendable {
    /// mpv's own window, with its keys and on-screen controller. Without a display the player falls back to ``none``
    /// and reports it with ``PlayerEvent/windowUnavailable(_:)``.
    case window
    /// Passed to a ``FrameTarget``, picture by picture (`vo=libmpv`).
    case frames
    /// Decoded but not shown (`vo=null`); the times of frames stay real.
    case none
  }

  /// An mpv option, written as on mpv's command line without the dashes.
  package struct Option: Hashable, Sendable {
    /// The option's name, such as `hwdec`; also a profile (`profile`).
    package let name: String
    /// The option's value, as on the command line.
    package let value: String
    /// A Boolean value that indicates whether an mpv that doesn't have the option does without. mpv's build decides
    /// which sound servers it knows.
    let isOptional: Bool

    /// Creates an option. An option that mpv doesn't have, or a value that it refuses, keeps the player from
    /// starting (``MPVError/Reason/unknownOption(name:)``, ``MPVError/Reason/badOptionValue(name:value:)``).
    package init(name: String, value: String) {
      self.init(name: name, value: value, isOptional: false)
    }

    init(name: String, value: String, isOptional: Bool) {
      self.name = name
      self.value = value
      self.isOptional = isOptional
    }
  }

  /// The destination of the picture at the start; ``MPVPlayer/setVideoMode(_:)`` changes it later.
  package var video: VideoMode
  /// A Boolean value that indicates whether the picture may be passed to a ``FrameTarget`` later, even if not from the
  /// beginning (``MPVPlayer/setVideoMode(_:)``).
  package var offersFrames = false
  /// A Boolean value that indicates whether another player of this program has the same configuration. Such a player
  /// opens none of the sockets and files that the configuration names for one player only (``ownedOptions``).
  package var isSecondary = false
  /// Ignores the user's own `mpv.conf`, `input.conf` and scripts.
  package var noConfig: Bool
  /// Options that are set last, in this order, as on mpv's command line: they override the user's `mpv.conf` and
  /// everything that the player itself sets, apart from the options with which each film is opened (``wholeFilm``).
  package var options: [Option]

  /// Creates a configuration for a program's first player.
  package init(video: VideoMode = .window, noConfig: Bool = false, options: [Option] = []) {
    self.video = video
    self.noConfig = noConfig
    self.options = options
  }
}

extension MPVConfiguration {
  /// A Boolean value that indicates whether any setting asks for a window.
  var mayOpenWindow: Bool { video == .window || options.contains { $0.name == "vo" } }

  /// The player's defaults, which the user's `mpv.conf` may change.
  ///
  /// libmpv starts as a bare library (`[libmpv]` in mpv's `etc/builtin.conf`); these options make it a player again.
  var defaults: [Option] {
    [
      Option(name: "config", value: noConfig ? "no" : "yes"),
      Option(name: "audio-client-name", value: "matinee"),
      Option(name: "input-default-bindings", value: "yes"),
      Option(name: "input-vo-keyboard", value: "yes"),
      // mpv keeps seven keys by default: a line typed while a slow machine shows a picture would lose its end.
      Option(name: "input-key-fifo-size", value: "1000"),
      Option(name: "input-cursor", value: "yes"),
      Option(name: "osc", value: video == .window ? "yes" : "no"),
      Option(name: "ytdl", value: "yes"),
      // For a server without range requests: received parts can be sought in nevertheless.
      Option(name: "force-seekable", value: "yes"),
      // A server without a valid certificate may be an impostor.
      Option(name: "tls-verify", value: "yes"),
      // A server that is silent for longer will not answer.
      Option(name: "network-timeout", value: "20"),
      Option(name: "title", value: "${media-title} - matinee"),
      // mpv asks PulseAudio for each time: PulseAudio's own estimate is up to 2 ms off for half a minute after each start.
      Option(name: "pulse-latency-hacks", value: "yes", isOptional: true),
    ] + Self.pipeWireBuffer(.current()) + scriptsForPictures
      + essentials(hasDisplay: true)
  }

  /// PipeWire begins a stream with its next cycle, which is about half as long as mpv's buffer. With mpv's own 20 ms a
  /// start is 3 ms from the group's line in the median, by mpv's word, and with 100 it is 9. But without real-time
  /// threads PipeWire drops a block of sound every few seconds with 20, by recordings, and none in 30 s with 100.
  static func pipeWireBuffer(_ priority: RealtimePriority) -> [Option] {
    if priority.isAvailable { return [] }
    return [Option(name: "pipewire-buffer", value: "100", isOptional: true)]
  }

  /// The scripts of mpv that draw on its picture. Where there will be none they start in vain, and take 10 ms of CPU time
  /// for it. Their names differ between versions of mpv.
  private var scriptsForPictures: [Option] {
    if video != .none || offersFrames || mayOpenWindow { return [] }
    return [
      "load-stats-overlay", "load-osd-console", "load-console", "load-select", "load-positioning",
    ]
    .map { Option(name: $0, value: "no", isOptional: true) }
  }

  /// mpv's options whose socket or file belongs to one player: a second one would take or overwrite it, and remove the
  /// socket at its end.
  static let ownedOptions = [
    "input-ipc-server", "input-ipc-client", "log-file", "dump-stats", "stream-record",
    "record-file", "stream-dump",
  ]

  /// The options for the start, in this order. ``file`` has the others.
  var startOptions: [Option] {
    [Option(name: "player-operation-mode", value: "pseudo-gui")] + defaults
      + options.filter { Self.earlyOptions.contains($0.name) }
  }

  /// mpv's options that say where its configuration is, and that no configuration may set.
  static let earlyOptions: Set = ["config", "config-dir"]

  /// The essential options that are set again after ``file``: the user's own `[pseudo-gui]` profile may have changed
  /// them.
  func finalOptions(hasDisplay: Bool) -> [Option] {
    let own = Set(options.map(\.name))
    return essentials(hasDisplay: hasDisplay).filter { !own.contains($0.name) }
  }

  /// The options with which each film is opened. Other values would show another part of it than the others see, repeat
  /// it, or shift its times.
  static let wholeFilm = [
    "end": "none", "length": "none", "rebase-start-time": "yes", "frames": "all", "sstep": "0",
    MPVProperty.abLoopA: "no", MPVProperty.abLoopB: "no", MPVProperty.loopFile: "no",
  ]

  /// Options that coordinated playback needs.
  func essentials(hasDisplay: Bool) -> [Option] {
    let options = [
      // Only the program itself uses the terminal.
      Option(name: "terminal", value: "no"),
      Option(name: "input-terminal", value: "no"),
      // The player outlives its films. At the end it stays at the last frame without changing `pause`, so that `pause`
      // changes only on a request; and it doesn't go on to the next entry of a list of its own.
      Option(name: "idle", value: "yes"),
      Option(name: "keep-open", value: "always"),
      Option(name: "keep-open-pause", value: "no"),
      // Positions are exact, and the group's: the player doesn't resume or repeat on its own.
      Option(name: "hr-seek", value: "yes"),
      Option(name: "resume-playback", value: "no"),
      Option(name: "loop-file", value: "no"),
      Option(name: "loop-playlist", value: "no"),
      // Playback continues, on the system's clock, if the sound card fails.
      Option(name: "audio-fallback-to-null", value: "yes"),
    ]
    return options + video.options(hasDisplay: hasDisplay)
  }
}

extension MPVConfiguration.VideoMode {
  /// Returns the mpv options for the mode. For a frame target, the target handles the shape, and usually the subtitles:
  /// rendered into so few pixels, those of the usual size would be unreadable.
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
