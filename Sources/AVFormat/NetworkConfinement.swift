import CConnectGuard

/// Confines libavformat to one proxy while a foreign film is loaded.
///
/// An option names the proxy, but what a server answers may name protocols that don't heed it: `httpproxy://host:port`
/// connects to any host, and `https` can't do without that protocol.
public enum NetworkConfinement {
  /// A Boolean value that indicates whether libavformat can be confined.
  public static let isPossible = connect_guard_install("libavformat.so")

  /// Bounds the connections that libavformat makes from now on.
  ///
  /// - Parameter proxy: the proxy's URL (`http://user:password@127.0.0.1:port`); nil: everything may be connected to.
  public static func confine(to proxy: String?) {
    guard isPossible else { return }
    let port = proxy.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
    connect_guard_confine(port ?? 0)
  }
}
