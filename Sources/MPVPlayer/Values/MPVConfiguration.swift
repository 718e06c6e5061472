/// The settings for a new player.
public struct MPVConfiguration: Hashable, Sendable {
  /// The destination of the picture.
  public enum VideoMode: Hashable, Sendable {
    /// mpv's own window, with its keys and on-screen controller. Without a display the player falls back to ``none``
    /// and reports it with ``PlayerEvent/windowUnavailable(_:)``.
    case window
    /// Passed to a ``FrameTarget``, picture by picture (`vo=libmpv`).
    case frames
    /// Decoded but not shown (`vo=null`); the times of frames stay real.
    case none
  }

  /// An mpv option, written as on mpv's command line without the dashes.
  public struct Option: Hashable, Sendable {
    /// The option's name, such as `hwdec`; also a profile (`profile`).
    public let name: String
    /// The option's value, as on the command line.
    public let value: String
    /// A Boolean value that indicates whether an mpv that doesn't have the option does without. mpv's build decides
    /// which sound servers it knows.
    let isOptional: Bool

    /// Creates an option. An option that mpv doesn't have, or a value that it refuses, keeps the player from
    /// starting (``MPVError/Reason/unknownOption(name:)``, ``MPVError/Reason/badOptionValue(name:value:)``).
    public init(name: String, value: String) {
      self.init(name: name, value: value, isOptional: false)
    }

    init(name: String, value: String, isOptional: Bool) {
      self.name = name
      self.value = value
      self.isOptional = isOptional
    }
  }

  /// The destination of the picture at the start; ``MPVPlayer/setVideoMode(_:)`` changes it later.
  public var video: VideoMode
  /// A Boolean value that indicates whether the picture may be passed to a ``FrameTarget`` later, even if not from the
  /// beginning (``MPVPlayer/setVideoMode(_:)``).
  public var offersFrames = false
  /// A Boolean value that indicates whether another player of this program has the same configuration. Such a player
  /// opens none of the sockets and files that the configuration names for one player only (``ownedOptions``).
  public var isSecondary = false
  /// Ignores the user's own `mpv.conf`, `input.conf` and scripts.
  public var noConfig: Bool
  /// Options that are set last, in this order: they override the user's `mpv.conf` and everything that the player
  /// itself sets.
  public var options: [Option]

  /// Creates a configuration for a program's first player.
  public init(video: VideoMode = .window, noConfig: Bool = false, options: [Option] = []) {
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
    ] + PulseTimes.options + Self.pipeWireBuffer(.current()) + scriptsForPictures
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
    "record-file", "stream-dump", "o",
  ]

  /// The options for the start, in this order.
  ///
  /// - Parameter include: the path of a file with ``secondaryFile``; nil unless the player is secondary.
  func startOptions(include: String?) -> [Option] {
    guard let include else { return defaults + options }
    // First, because the user's configuration and the options override its first part.
    return [
      Option(name: "include", value: include),
      Option(name: "player-operation-mode", value: "pseudo-gui"),
    ] + defaults + ownOptions.filter { $0.name != "profile" }
  }

  /// The user's options without those that a secondary player doesn't get.
  private var ownOptions: [Option] {
    isSecondary ? options.filter { !Self.ownedOptions.contains($0.name) } : options
  }

  /// The contents of a configuration file for a secondary player.
  ///
  /// Options that are set before mpv reads its configuration lose to it, and those set afterwards come too late: the
  /// socket is open by then. In this mode mpv applies one profile in between (`player-operation-mode` in its manual).
  /// The first part keeps that mode's other defaults away.
  var secondaryFile: String {
    let profiles = options.filter { $0.name == "profile" }.map { "profile=\"\($0.value)\"" }
    return
      (["force-window=no", "screenshot-directory=", "[pseudo-gui]"] + profiles
      + Self.ownedOptions.map { $0 + "=" } + ["save-position-on-quit=no"])
      .joined(separator: "\n") + "\n"
  }

  /// Options that coordinated playback needs; they are set again after `mpv.conf` was read.
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

  /// The user's options that are set again after `mpv.conf`, without those that add to a list: adding happens only
  /// once.
  var repeatableOptions: [Option] {
    let once = ["-append", "-add", "-pre", "-remove", "-del", "-toggle", "-clr"]
    return ownOptions.filter { option in
      option.name != "profile" && !once.contains { option.name.hasSuffix($0) }
    }
  }
}

extension MPVConfiguration.VideoMode {
  /// Returns the mpv options for the mode. For a frame target, the target handles the shape and the subtitles: rendered
  /// into so few pixels, subtitles would be unreadable.
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
