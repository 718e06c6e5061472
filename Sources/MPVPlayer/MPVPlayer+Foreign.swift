import AVFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The limits for a film that another participant chose.
extension MPVPlayer {
  /// The allowed formats, those of films, sound and subtitles, and the allowed protocols. A session description (SDP)
  /// would make libavformat listen on ports of this machine.
  static let foreignFormats = [
    "format_whitelist":
      "hls,dash,mov,mp4,m4a,3gp,matroska,webm,mpegts,mpeg,mpegvideo,flv,avi,ogg,asf,nut,mxf,rm,"
      + "mp3,aac,flac,wav,ac3,eac3,dts,aiff,caf,ape,wv,tta,h264,hevc,m4v,ivf,webvtt,srt,ass",
    "protocol_whitelist": foreignProtocols,
  ]
  /// Without `httpproxy` no film is fetched with TLS, but no film can reach another host with that protocol either.
  private static let foreignProtocols =
    "http,https,tcp,tls,crypto,data" + (NetworkConfinement.isPossible ? ",httpproxy" : "")

  /// Returns the user's own HTTP proxy: mpv's option, or else the environment's.
  public func ownProxy() async -> String? {
    var option = ownOptions?[MPVProperty.httpProxy]
    if option == nil { option = try? await get(MPVProperty.httpProxy).value }
    if let url = option?.string, !url.isEmpty { return url }
    return getenv("http_proxy").map { String(cString: $0) }
  }

  /// Sets the options that limit the resources that a film may open, or restores the user's values.
  ///
  /// The options hold for the whole player and not for one file: the entries of a playlist are separate files, and may
  /// be playlists.
  ///
  /// - Parameter serial: the transport command that this belongs to. A newer command prevails.
  func restrict(isForeign: Bool, proxy: String?, serial: UInt64) async throws(MPVError) {
    if isForeign, ownOptions == nil {
      var own: [String: MPVValue] = [:]
      for name in Self.restricted { own[name] = try await get(name).value }
      guard transportSerial == serial else { throw MPVError(.superseded, "load") }
      ownOptions = own
    }
    guard let own = ownOptions else { return }
    var values = own
    if isForeign {
      values[MPVProperty.loadUnsafePlaylists] = .flag(false)
      values[MPVProperty.demuxerLavfOptions] = .map(Self.foreignFormats.mapValues { .string($0) })
      var stream = ["protocol_whitelist": Self.foreignProtocols]
      if let proxy {
        stream["http_proxy"] = proxy
        values[MPVProperty.httpProxy] = .string(proxy)
        values[MPVProperty.ytdlRawOptions] = own[MPVProperty.ytdlRawOptions]?.adding(
          ["proxy": proxy])
      }
      values[MPVProperty.streamLavfOptions] = own[MPVProperty.streamLavfOptions]?.adding(stream)
    }
    for name in Self.restricted {
      guard let value = values[name], value != .none else { continue }
      try await set(name, value)
      guard transportSerial == serial else { throw MPVError(.superseded, "load") }
    }
    NetworkConfinement.confine(to: isForeign ? proxy : nil)
    if !isForeign { ownOptions = nil }
  }

  private static let restricted = [
    MPVProperty.loadUnsafePlaylists, MPVProperty.demuxerLavfOptions, MPVProperty.httpProxy,
    MPVProperty.streamLavfOptions, MPVProperty.ytdlRawOptions,
  ]
}

extension MPVValue {
  /// Returns a list of keys and values with others added to it. The added values prevail.
  fileprivate func adding(_ others: [String: String]) -> MPVValue {
    var values: [String: MPVValue] = if case .map(let values) = self { values } else { [:] }
    for (key, value) in others { values[key] = .string(value) }
    return .map(values)
  }
}
