import AVFormat

/// The limits for a film that another participant chose, and for the entries of a playlist on this machine, with the user's
/// own values of the options that they change.
struct ForeignLimits: Hashable, Sendable {
  /// The allowed formats, those of films, sound and subtitles, and the allowed protocols. A session description (SDP)
  /// would make libavformat listen on ports of this machine.
  private static let formats = [
    "format_whitelist":
      "hls,dash,mov,mp4,m4a,3gp,matroska,webm,mpegts,mpeg,mpegvideo,flv,avi,ogg,asf,nut,mxf,rm,"
      + "mp3,aac,flac,wav,ac3,eac3,dts,aiff,caf,ape,wv,tta,h264,hevc,m4v,ivf,webvtt,srt,ass",
    "protocol_whitelist": protocols,
  ]
  /// Without `httpproxy` no film is fetched with TLS, but no film can reach another host with that protocol either.
  private static let protocols =
    "http,https,tcp,tls,crypto,data" + (NetworkConfinement.isPossible ? ",httpproxy" : "")

  /// The options that the limits change, in the order in which they are set.
  static let options = [
    MPVProperty.loadUnsafePlaylists, MPVProperty.demuxerLavfOptions, MPVProperty.httpProxy,
    MPVProperty.streamLavfOptions, MPVProperty.ytdlRawOptions, MPVProperty.accessReferences,
    MPVProperty.ytdl,
  ]

  /// The formats and protocols of files that open nothing else, and those of a list with its files.
  private static let ownFormats = [
    "format_whitelist": ContainerFormats.selfContained, "protocol_whitelist": "file",
  ]
  private static let listFormats = [
    "format_whitelist": ContainerFormats.selfContained + ",hls",
    "protocol_whitelist": "file,crypto,data",
  ]

  /// Returns mpv's options for one file; the entries of a playlist don't have them.
  ///
  /// - Parameter ownFormat: the user's own options of libavformat.
  static func fileOptions(
    _ reach: FilmReach, ownFormat: MPVValue, liveStart: Int?
  ) -> [String: MPVValue] {
    var options: [String: MPVValue] = [:]
    var format: [String: String] = [:]
    switch reach {
    case .everything: break
    case .foreign: format = formats
    case .nothing, .folder:
      for (key, value) in ownFormat.map { format[key] = value.string }
      format.merge(reach == .folder ? listFormats : ownFormats) { $1 }
      options[MPVProperty.accessReferences] = .string(reach == .folder ? "yes" : "no")
    }
    if let liveStart {
      options["rebase-start-time"] = .string("no")
      format["live_start_index"] = "\(liveStart)"
    }
    if !format.isEmpty {
      options[MPVProperty.demuxerLavfOptions] = .string(
        format.map { "\($0)=%\($1.utf8.count)%\($1)" }.sorted().joined(separator: ","))
    }
    return options
  }

  /// The user's own values; nil while they are in use.
  private var own: [String: MPVValue]?

  /// A Boolean value that indicates whether the limits are in force, so that mpv's values aren't the user's.
  var isInForce: Bool { own != nil }

  /// The user's own options of libavformat; nil while they are in use.
  var ownFormat: MPVValue? { own?[MPVProperty.demuxerLavfOptions] }

  /// The user's own value of `http-proxy`; nil while it is in use.
  var ownProxy: MPVValue? { own?[MPVProperty.httpProxy] }

  /// The limits come into force.
  mutating func began(own: [String: MPVValue]) { self.own = own }

  /// The user's own values are in use again.
  mutating func ended() { own = nil }

  /// Returns the values to set, in their order; none while the user's own are in use.
  ///
  /// - Parameter proxy: the HTTP proxy for everything that belongs to a foreign film.
  func values(for reach: FilmReach, proxy: String?) -> [(name: String, value: MPVValue)] {
    guard let own else { return [] }
    var values = own
    switch reach {
    case .nothing, .everything: break
    case .folder:
      // The entries open nothing: they have been judged by their names.
      values[MPVProperty.loadUnsafePlaylists] = .flag(false)
      values[MPVProperty.accessReferences] = .flag(false)
      values[MPVProperty.ytdl] = .flag(false)
      values[MPVProperty.demuxerLavfOptions] = own[MPVProperty.demuxerLavfOptions]?.adding(
        Self.ownFormats)
      values[MPVProperty.streamLavfOptions] = own[MPVProperty.streamLavfOptions]?.adding(
        ["protocol_whitelist": "file"])
    case .foreign:
      values[MPVProperty.loadUnsafePlaylists] = .flag(false)
      values[MPVProperty.demuxerLavfOptions] = .map(Self.formats.mapValues { .string($0) })
      var stream = ["protocol_whitelist": Self.protocols]
      if let proxy {
        stream["http_proxy"] = proxy
        values[MPVProperty.httpProxy] = .string(proxy)
        values[MPVProperty.ytdlRawOptions] = own[MPVProperty.ytdlRawOptions]?.adding(
          ["proxy": proxy])
      }
      values[MPVProperty.streamLavfOptions] = own[MPVProperty.streamLavfOptions]?.adding(stream)
    }
    return Self.options.compactMap { name in
      guard let value = values[name], value != .none else { return nil }
      return (name, value)
    }
  }
}

extension MPVValue {
  /// Returns a list of keys and values with others added to it. The added values prevail.
  fileprivate func adding(_ others: [String: String]) -> MPVValue {
    var values = map
    for (key, value) in others { values[key] = .string(value) }
    return .map(values)
  }
}
