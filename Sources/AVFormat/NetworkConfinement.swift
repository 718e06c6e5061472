import CConnectGuard

/// Confines libavformat to one proxy while a film that another participant chose is loaded.
///
/// An option names the proxy, but a server's answer may name protocols that ignore it: `httpproxy://host:port` connects
/// to any host, and `https` depends on that protocol. No gentler way confines libavformat: see *Decisions* in the program's
/// documentation.
package enum NetworkConfinement {
  /// A Boolean value that indicates whether libavformat can be confined.
  package static let isPossible = connect_guard_install("libavformat.so")

  /// Limits the connections that libavformat makes from now on.
  ///
  /// - Parameter proxy: the proxy's URL (`http://user:password@127.0.0.1:port`); nil allows all connections.
  package static func confine(to proxy: String?) {
    guard isPossible else { return }
    guard let proxy else { return connect_guard_confine(0) }
    guard let port = proxy.split(separator: ":").last.flatMap({ UInt16($0) }), port > 0 else {
      preconditionFailure("the proxy's URL ends with its port")
    }
    connect_guard_confine(port)
  }
}
