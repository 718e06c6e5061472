/// An interface on the bus. This is the only definition of MPRIS 2.2's names and types
/// (specifications.freedesktop.org/mpris-spec/2.2). It serves to check calls and to generate introspection.
struct MPRISInterface: Sendable {
  /// The way in which readers learn of a property's change.
  enum Notice: String, Sendable {
    case value = "true"
    /// Only the fact of a change: readers ask for the value.
    case invalidation = "invalidates"
    case none = "false"
  }

  struct Argument: Sendable {
    var name: String
    var type: String
  }

  struct Method: Sendable {
    var name: String
    var input: [Argument] = []
    var output: [Argument] = []
    var signature: String { input.map(\.type).joined() }
  }

  struct Signal: Sendable {
    var name: String
    var arguments: [Argument]
  }

  struct Property: Sendable {
    var name: String
    var type: String
    var isWritable = false
    var notice = Notice.value
  }

  var name: String
  var methods: [Method] = []
  var signals: [Signal] = []
  var properties: [Property] = []

  static let path = "/org/mpris/MediaPlayer2"

  static let root = MPRISInterface(
    name: "org.mpris.MediaPlayer2",
    methods: [Method(name: "Raise"), Method(name: "Quit")],
    properties: [
      Property(name: "CanQuit", type: "b"),
      Property(name: "Fullscreen", type: "b", isWritable: true),
      Property(name: "CanSetFullscreen", type: "b"),
      Property(name: "CanRaise", type: "b"),
      Property(name: "HasTrackList", type: "b"),
      Property(name: "Identity", type: "s"),
      Property(name: "DesktopEntry", type: "s"),
      Property(name: "SupportedUriSchemes", type: "as"),
      Property(name: "SupportedMimeTypes", type: "as"),
    ])

  static let player = MPRISInterface(
    name: "org.mpris.MediaPlayer2.Player",
    methods: [
      Method(name: "Next"), Method(name: "Previous"), Method(name: "Pause"),
      Method(name: "PlayPause"), Method(name: "Stop"), Method(name: "Play"),
      Method(name: "Seek", input: [Argument(name: "Offset", type: "x")]),
      Method(
        name: "SetPosition",
        input: [Argument(name: "TrackId", type: "o"), Argument(name: "Position", type: "x")]),
      Method(name: "OpenUri", input: [Argument(name: "Uri", type: "s")]),
    ],
    signals: [Signal(name: "Seeked", arguments: [Argument(name: "Position", type: "x")])],
    properties: [
      Property(name: "PlaybackStatus", type: "s"),
      Property(name: "LoopStatus", type: "s", isWritable: true),
      Property(name: "Rate", type: "d", isWritable: true),
      Property(name: "Shuffle", type: "b", isWritable: true),
      Property(name: "Metadata", type: "a{sv}"),
      Property(name: "Volume", type: "d", isWritable: true),
      Property(name: "Position", type: "x", notice: .none),
      Property(name: "MinimumRate", type: "d"),
      Property(name: "MaximumRate", type: "d"),
      Property(name: "CanGoNext", type: "b"),
      Property(name: "CanGoPrevious", type: "b"),
      Property(name: "CanPlay", type: "b"),
      Property(name: "CanPause", type: "b"),
      Property(name: "CanSeek", type: "b"),
      Property(name: "CanControl", type: "b", notice: .none),
    ])

  static let trackList = MPRISInterface(
    name: "org.mpris.MediaPlayer2.TrackList",
    methods: [
      Method(
        name: "GetTracksMetadata", input: [Argument(name: "TrackIds", type: "ao")],
        output: [Argument(name: "Metadata", type: "aa{sv}")]),
      Method(
        name: "AddTrack",
        input: [
          Argument(name: "Uri", type: "s"), Argument(name: "AfterTrack", type: "o"),
          Argument(name: "SetAsCurrent", type: "b"),
        ]),
      Method(name: "RemoveTrack", input: [Argument(name: "TrackId", type: "o")]),
      Method(name: "GoTo", input: [Argument(name: "TrackId", type: "o")]),
    ],
    signals: [
      Signal(
        name: "TrackListReplaced",
        arguments: [
          Argument(name: "Tracks", type: "ao"), Argument(name: "CurrentTrack", type: "o"),
        ]),
      Signal(
        name: "TrackAdded",
        arguments: [
          Argument(name: "Metadata", type: "a{sv}"), Argument(name: "AfterTrack", type: "o"),
        ]),
      Signal(name: "TrackRemoved", arguments: [Argument(name: "TrackId", type: "o")]),
      Signal(
        name: "TrackMetadataChanged",
        arguments: [
          Argument(name: "TrackId", type: "o"), Argument(name: "Metadata", type: "a{sv}"),
        ]),
    ],
    properties: [
      Property(name: "Tracks", type: "ao", notice: .invalidation),
      Property(name: "CanEditTracks", type: "b"),
    ])

  static let properties = MPRISInterface(
    name: "org.freedesktop.DBus.Properties",
    methods: [
      Method(
        name: "Get",
        input: [
          Argument(name: "interface_name", type: "s"), Argument(name: "property_name", type: "s"),
        ],
        output: [Argument(name: "value", type: "v")]),
      Method(
        name: "GetAll", input: [Argument(name: "interface_name", type: "s")],
        output: [Argument(name: "properties", type: "a{sv}")]),
      Method(
        name: "Set",
        input: [
          Argument(name: "interface_name", type: "s"), Argument(name: "property_name", type: "s"),
          Argument(name: "value", type: "v"),
        ]),
    ],
    signals: [
      Signal(
        name: "PropertiesChanged",
        arguments: [
          Argument(name: "interface_name", type: "s"),
          Argument(name: "changed_properties", type: "a{sv}"),
          Argument(name: "invalidated_properties", type: "as"),
        ])
    ])

  static let introspectable = MPRISInterface(
    name: "org.freedesktop.DBus.Introspectable",
    methods: [
      Method(name: "Introspect", output: [Argument(name: "xml_data", type: "s")])
    ])

  /// The interface that the bus library answers itself.
  static let peer = MPRISInterface(
    name: "org.freedesktop.DBus.Peer",
    methods: [
      Method(name: "Ping"),
      Method(name: "GetMachineId", output: [Argument(name: "machine_uuid", type: "s")]),
    ])

  /// The interfaces of MPRIS players.
  static let ours = [root, player, trackList]
  static let all = ours + [properties, introspectable, peer]

  static func named(_ name: String) -> MPRISInterface? { all.first { $0.name == name } }
}
