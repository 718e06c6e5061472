import AVFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The limits for a film that another participant chose, and for the entries of a playlist on this machine.
extension MPVPlayer {
  /// Returns the user's own HTTP proxy: mpv's option, or else the environment's.
  package func ownProxy() async -> String? {
    var option = limits.ownProxy
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
  func restrict(to reach: FilmReach, proxy: String?, serial: UInt64) async throws(MPVError) {
    let isLimited = reach == .foreign || reach == .folder
    if isLimited, !limits.isInForce {
      var own: [String: MPVValue] = [:]
      for name in ForeignLimits.options { own[name] = try await get(name).value }
      guard transportSerial == serial else { throw MPVError(.superseded, "load") }
      limits.began(own: own)
    }
    guard limits.isInForce else { return }
    for (name, value) in limits.values(for: reach, proxy: proxy) {
      try await set(name, value)
      guard transportSerial == serial else { throw MPVError(.superseded, "load") }
    }
    NetworkConfinement.confine(to: reach == .foreign ? proxy : nil)
    if !isLimited { limits.ended() }
  }
}
