/// A property of mpv's that a key may change because it concerns only this player.
struct PlayerProperty: Hashable, Sendable {
  var name: String
  var label: String
  var requirement = PlayerCommand.Requirement.none
  /// The text after the value.
  var unit: String { ["volume", "ao-volume"].contains(name) ? " %" : "" }

  /// Creates the property; nil for one that a key may not change.
  init?(_ name: String) {
    self.name = name
    if let label = Self.everywhere[name] {
      self.label = label
    } else if let label = Self.inWindow[name] {
      self.label = label
      requirement = .window
    } else if let label = Self.alone[name] {
      self.label = label
      requirement = .noParty
    } else if Self.plain.contains(name) {
      label = name
      requirement = .window
    } else if let family = Self.families.first(where: { name.hasPrefix($0.prefix) }) {
      label = name
      requirement = family.requirement
    } else {
      return nil
    }
  }

  static var names: [String] {
    (Array(everywhere.keys) + Array(inWindow.keys) + Array(alone.keys) + Array(plain)).sorted()
  }

  private static let everywhere = [
    "volume": "Volume", "mute": "Mute", "ao-volume": "Device volume", "ao-mute": "Device mute",
    "aid": "Audio track", "audio": "Audio track", "audio-delay": "Audio delay",
    "audio-device": "Audio device", "audio-channels": "Audio channels",
    "audio-exclusive": "Exclusive audio", "audio-normalize-downmix": "Normalized downmix",
    "audio-pitch-correction": "Pitch correction", "audio-spdif": "Audio passthrough",
    "audio-samplerate": "Sample rate",
    "volume-max": "Highest volume", "replaygain": "Replay gain",
    "sid": "Subtitle track", "sub": "Subtitle track", "secondary-sid": "Second subtitle track",
    "sub-delay": "Subtitle delay", "secondary-sub-delay": "Second subtitle delay",
    "sub-speed": "Subtitle speed", "sub-visibility": "Subtitles",
    "sub-forced-only": "Forced subtitles only", "sub-forced-events-only": "Forced subtitles only",
    "sub-scale": "Subtitle size", "sub-pos": "Subtitle position",
    "sub-fix-timing": "Subtitle timing fix", "sub-fps": "Subtitle frame rate",
    "deinterlace": "Deinterlacing", "hwdec": "Hardware decoding",
    "video-aspect-override": "Aspect ratio", "video-rotate": "Rotation",
    "video-crop": "Crop", "screenshot-format": "Screenshot format",
    "screenshot-directory": "Screenshot folder", "screenshot-template": "Screenshot names",
    "demuxer-max-bytes": "Cache size", "ytdl-format": "Format of web videos",
  ]

  /// Properties of the window. The terminal's video has its own subtitles and colours.
  private static let inWindow = [
    "secondary-sub-pos": "Second subtitle position", "sub-font-size": "Subtitle font size",
    "sub-ass-override": "Subtitle style override", "secondary-sub-visibility": "Second subtitles",
    "sub-ass-vsfilter-aspect-compat": "Subtitle aspect", "sub-use-margins": "Subtitles in margins",
    "sub-ass-force-margins": "Subtitles in margins", "sub-gauss": "Subtitle blur",
    "blend-subtitles": "Blended subtitles",
    "brightness": "Brightness", "contrast": "Contrast", "gamma": "Gamma",
    "saturation": "Saturation", "hue": "Hue", "sharpen": "Sharpness", "deband": "Debanding",
    "interpolation": "Interpolation", "panscan": "Panscan", "keepaspect": "Keep aspect ratio",
    "dither-depth": "Dithering", "tone-mapping": "Tone mapping", "target-peak": "Target peak",
    "icc-profile-auto": "Colour profile", "glsl-shaders": "Shaders",
    "ontop": "Stay on top", "on-all-workspaces": "On all workspaces", "border": "Window border",
    "title-bar": "Title bar", "window-scale": "Window scale", "window-minimized": "Minimized",
    "window-maximized": "Maximized", "osd-level": "On-screen display", "cursor-autohide": "Cursor",
  ]

  private static let alone = [
    "loop": "File loop", "loop-file": "File loop", "loop-playlist": "Playlist loop",
    "ab-loop-a": "Loop start", "ab-loop-b": "Loop end", "ab-loop-count": "Loop count",
  ]

  /// Properties for the look of subtitles, video and mpv's own display in the window; their names are their labels.
  private static let plain = Set(
    """
    sub-align-x sub-align-y sub-ass sub-ass-hinting sub-ass-justify sub-ass-line-spacing \
    sub-ass-scale-with-window sub-ass-shaper sub-ass-vsfilter-blur-compat \
    sub-ass-vsfilter-color-compat sub-back-color sub-blur sub-bold sub-border-color \
    sub-border-size sub-border-style sub-outline-color sub-outline-size sub-color sub-font \
    sub-gray sub-italic sub-justify sub-line-spacing sub-margin-x sub-margin-y sub-scale-by-window \
    sub-scale-with-window sub-shadow-color sub-shadow-offset sub-spacing sub-hdr-peak \
    sub-filter-sdh sub-filter-sdh-harder sub-filter-regex-enable secondary-sub-ass-override \
    osd-align-x osd-align-y osd-back-color osd-bar osd-bar-align-x osd-bar-align-y osd-bar-h \
    osd-bar-w osd-blur osd-bold osd-border-color osd-border-size osd-color osd-duration osd-font \
    osd-font-size osd-fractions osd-italic osd-justify osd-margin-x osd-margin-y osd-msg1 osd-msg2 \
    osd-msg3 osd-on-seek osd-outline-size osd-scale osd-scale-by-window osd-shadow-offset \
    osd-spacing osd-status-msg video-align-x video-align-y video-margin-ratio-bottom \
    video-margin-ratio-left video-margin-ratio-right video-margin-ratio-top video-osd \
    video-output-levels video-pan-x video-pan-y video-scale-x video-scale-y video-stereo-mode \
    video-unscaled video-zoom
    """.split(separator: " ").map(String.init))

  /// Families of self-explanatory properties without a label of their own.
  private static let families: [(prefix: String, requirement: PlayerCommand.Requirement)] = [
    ("scale", .window), ("cscale", .window), ("dscale", .window), ("deband-", .window),
    ("screenshot-", .none), ("replaygain-", .none), ("user-data/", .none),
  ]
}
