import CAVFormat

/// The formats of libavformat.
package enum ContainerFormats {
  /// The names of the formats that need one file only, as a value of `format_whitelist`. All others open what the file's
  /// content names: playlists, manifests, session descriptions (SDP), scripts.
  package static let selfContained = all.filter { !leading.contains($0) }.joined(separator: ",")

  private static let leading: Set = [
    "hls", "applehttp", "dash", "webm_dash_manifest", "concat", "imf", "sdp", "rtp", "rtsp", "sap",
    "avisynth", "vapoursynth", "lavfi",
  ]

  /// All names; without the formats that don't read a file themselves, such as devices.
  private static var all: [String] {
    var names: [String] = []
    var position: UnsafeMutableRawPointer?
    while let format = av_demuxer_iterate(&position) {
      // These fields are at the same offsets in all versions.
      guard format.pointee.flags & AVFMT_NOFILE == 0 else { continue }
      names.append(String(cString: format.pointee.name))
    }
    return names
  }
}
